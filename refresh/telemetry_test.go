package refresh

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/trace"
	"mooring/storage/record"
)

// told reads the lines of a log, and counts what each of them is about.
func told(t *testing.T, log *bytes.Buffer, message string) (lines []map[string]any) {
	t.Helper()
	for text := range strings.Lines(log.String()) {
		var line map[string]any
		must(t, json.Unmarshal([]byte(text), &line))
		if line["msg"] == message {
			lines = append(lines, line)
		}
	}
	return lines
}

// A run that ends is one line, whatever it wrote where; why it failed is told by its class, and neither by what the query said nor by cells.
func TestARunIsOneLine(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		var log bytes.Buffer
		r.engine.useLog(slog.New(trace.LogHandler(slog.NewJSONHandler(&log, nil))))
		one := r.connect("Sheet1!B2")
		r.edit("other.xlsx", func(*excelize.File) {})
		two := r.connectTo("other.xlsx", "Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 8)
		r.exec("ALTER TABLE cities RENAME TO secret")
		r.failed(r.refresh(Request{}), placements.Structure, "no such table")

		runs := told(r.T, &log, "run")
		if len(runs) != 2 {
			r.Fatalf("%d lines: %s", len(runs), &log)
		}
		for i, want := range []map[string]any{
			{"level": "INFO", "state": "SUCCEEDED", "rows": 4.0, "rowsWritten": 8.0},
			{"level": "WARN", "state": "FAILED", "class": "structure", "rowsWritten": 0.0},
		} {
			want["tenant"], want["deployment"], want["report"], want["trigger"] = "acme", 1.0, float64(r.report), "manual"
			for key, value := range want {
				if runs[i][key] != value {
					r.Errorf("run %d: %s is %v, want %v", i, key, runs[i][key], value)
				}
			}
			documents, _ := runs[i]["documents"].([]any)
			ids, _ := runs[i]["placements"].([]any)
			if len(documents) != 2 || !slices.Contains(documents, "other.xlsx") || !slices.Contains(ids, any(one.ID)) || !slices.Contains(ids, any(two.ID)) {
				r.Errorf("documents %v, placements %v", documents, ids)
			}
		}
		if text := log.String(); strings.Contains(text, "cities") || strings.Contains(text, "Bergen") {
			r.Errorf("the log holds a query or a cell: %s", text)
		}
	})
}

// A tick whose run is skipped is a line too; one whose run waits is none.
func TestASkippedTickIsALine(t *testing.T) {
	var log bytes.Buffer
	e := &Engine{log: slog.New(slog.NewJSONHandler(&log, nil))}
	for _, state := range []placements.RunState{placements.RunQueued, placements.RunSkipped} {
		e.logSkipped(t.Context(), record.Firing{Run: &record.Run{State: state, ScheduleID: 3, Trigger: record.TriggerSchedule}})
	}
	runs := told(t, &log, "run")
	if len(runs) != 1 || runs[0]["state"] != "SKIPPED" || runs[0]["schedule"] != 3.0 || runs[0]["trigger"] != "schedule" {
		t.Errorf("lines %v", runs)
	}
}

// What a run asks for is part of the trace of its request, though nothing is exported.
func TestARunGoesOnWithTheTraceOfItsRequest(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	eachRig(t, func(r *rig) {
		var log bytes.Buffer
		r.engine.useLog(slog.New(trace.LogHandler(slog.NewJSONHandler(&log, nil))))
		r.connect("Sheet1!B2")
		run, err := r.engine.Start(trace.Resume(r.Context(), parent), r.d, Request{Target: record.RunTarget{ReportID: r.report}})
		must(r.T, err)
		stop := r.serve()
		r.eventually("the run ends", func() bool {
			now, err := r.engine.queue.Queue.Runs.Get(r.Context(), r.d, run.ID)
			return err == nil && now.EndedAt != "" && now.Trace == parent
		})
		stop()
		runs := told(r.T, &log, "run")
		if len(runs) != 1 || runs[0]["trace_id"] != parent[3:35] {
			r.Errorf("lines %v", runs)
		}
	})
}
