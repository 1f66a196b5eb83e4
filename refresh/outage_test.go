package refresh

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/storage"
)

var errDown = fmt.Errorf("%w: connection refused", storage.ErrUnavailable)

// However many loops and attempts fail because of an outage, the log has one line when it begins, and one with their number when no loop fails any more.
func TestAnOutageIsTwoLines(t *testing.T) {
	var log bytes.Buffer
	e := &Engine{log: slog.New(slog.NewJSONHandler(&log, nil))}
	one := e.outage.Round(e.log, false, errDown)
	other := e.outage.Round(e.log, false, errDown)
	if level := e.outage.Level(e.log, errDown); level != slog.LevelDebug {
		t.Errorf("an attempt that fails by it is logged at %s", level)
	}
	one = e.outage.Round(e.log, one, nil)
	one = e.outage.Round(e.log, one, errors.New("another fault"))
	other = e.outage.Round(e.log, other, errDown)
	if lines := told(t, &log, "storage answers again"); !other || one || len(lines) != 0 {
		t.Errorf("%v, %v: it is over while a loop fails because of it: %v", one, other, lines)
	}
	e.outage.Round(e.log, other, nil)
	e.outage.Round(e.log, false, nil)
	over := told(t, &log, "storage answers again")
	if begun := told(t, &log, "agent waits for the storage"); len(begun) != 1 || len(over) != 1 || over[0]["failed"] != 4.0 {
		t.Errorf("it begins with %v and ends with %v", begun, over)
	}
	if e.outage.Caused(e.log, errors.New("another fault")) || e.outage.Caused(e.log, nil) {
		t.Error("another error is taken for an outage")
	}
}

// An outage that only an attempt met is over with the next round of any loop.
func TestAnOutageOfAnAttempt(t *testing.T) {
	var log bytes.Buffer
	e := &Engine{log: slog.New(slog.NewJSONHandler(&log, nil))}
	e.outage.Caused(e.log, errDown)
	e.outage.Round(e.log, false, nil)
	if over := told(t, &log, "storage answers again"); len(over) != 1 || over[0]["failed"] != 1.0 {
		t.Errorf("it ends with %v", over)
	}
}

// The line of what failed in a run names documents and placements; what failed for one cause is one line.
func TestAFailureNamesItsPlacements(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		var log bytes.Buffer
		r.engine.useLog(slog.New(slog.NewJSONHandler(&log, nil)))
		one := r.connect("Sheet1!B2")
		r.edit("other.xlsx", func(*excelize.File) {})
		two := r.connectTo("other.xlsx", "Sheet1!B2")
		r.exec("ALTER TABLE cities RENAME TO secret")
		r.failed(r.refresh(Request{}), placements.Structure, "no such table")
		lines := told(r.T, &log, "refresh failed")
		if len(lines) != 1 {
			r.Fatalf("%d lines: %v", len(lines), lines)
		}
		if got, want := fmt.Sprint(lines[0]["documents"], lines[0]["placements"], lines[0]["failed"]), fmt.Sprint([]string{"book.xlsx", "other.xlsx"}, []string{one.ID, two.ID}, 2); got != want {
			r.Errorf("it names %s, want %s", got, want)
		}
	})
}
