package refresh

import (
	"context"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"

	"mooring/storage/record"
)

// elsewhere is an engine on the same storage whose folder of spreadsheets is another one.
func (r *rig) elsewhere(dir string) *Engine {
	r.Helper()
	h, err := (&xlsx.Config{Dir: dir}).Open(r.Context(), nil)
	must(r.T, err)
	tenants := maps.Clone(r.engine.tenants)
	tenant := tenants["acme"]
	tenant.Hosts = map[placements.Host]host.Host{placements.SheetsB: h}
	tenants["acme"] = tenant
	return New(Config{Store: r.engine.records, Tenants: tenants, Log: slog.New(slog.DiscardHandler)})
}

// A file that was written before is left to the agents that see it, whichever agent takes the run first.
func TestARunIsReleasedByAnAgentThatDoesNotSeeItsFile(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		seeing, blind := r.engine, r.elsewhere(r.TempDir())
		r.engine = blind
		r.failed(r.refresh(Request{}), placements.Structure, "cannot be opened: there is none") // no run is known to have seen it

		r.engine = seeing
		r.succeeded(r.refresh(Request{}), 4)
		r.exec("UPDATE cities SET people = 1 WHERE id = 1")
		r.engine = blind
		run := r.refresh(Request{})
		r.failed(run, placements.Transient, "not in the folder of this agent")
		if run.State != placements.RunQueued || run.NextAttemptAt == "" {
			t.Fatalf("the run is %s, want QUEUED with its next attempt", run.State)
		}
		r.engine = seeing
		r.succeeded(r.ended(run.ID), 1)
	})
}

// A disk that is not mounted takes the folder with it; what was never written there is a mistake.
func TestAMissingFolderIsWaitedForWhereAFileWasWritten(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		dir := r.TempDir()
		seeing, blind := r.engine, r.elsewhere(dir)
		must(r.T, os.Remove(dir))
		r.engine = blind
		r.failed(r.refresh(Request{}), placements.Structure, "does not exist")

		r.engine = seeing
		r.succeeded(r.refresh(Request{}), 4)
		r.exec("UPDATE cities SET people = 1 WHERE id = 1")
		r.engine = blind
		run := r.refresh(Request{})
		r.failed(run, placements.Transient, "looked for again until")
		if run.State != placements.RunQueued || run.NextAttemptAt == "" {
			t.Fatalf("the run is %s, want QUEUED with its next attempt", run.State)
		}
		r.engine = seeing
		r.succeeded(r.ended(run.ID), 1)
	})
}

// ended lets an agent work until a run has ended.
func (r *rig) ended(id string) (run *record.Run) {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.engine.Run(ctx) }()
	r.eventually("the run has ended", func() (ended bool) {
		var err error
		run, err = r.engine.queue.Run(r.Context(), r.d, id)
		must(r.T, err)
		return run.EndedAt != ""
	})
	cancel()
	must(r.T, <-done)
	return run
}

func TestAFileThatStaysAwayFailsItsRun(t *testing.T) {
	missing := &placements.Fault{Class: placements.Structure, Message: "does not exist", Err: fs.ErrNotExist}
	written := placements.Placement{WorkbookID: "book.xlsx", QueryChecksum: "q"}
	for _, tc := range []struct {
		fact  string
		after time.Duration // since the first attempt
		p     placements.Placement
		fault *placements.Fault
		alone bool
		want  placements.Class
	}{
		{"at first it may be another agent's", 0, written, missing, false, placements.Transient},
		{"so it may be for a day", missingHorizon - time.Minute, written, missing, false, placements.Transient},
		{"then it is gone", missingHorizon + time.Second, written, missing, false, placements.Structure},
		{"what was never written may never have been there", 0, placements.Placement{}, missing, false, placements.Structure},
		{
			"a sheet that is missing is so for all agents", 0, written, &placements.Fault{Class: placements.Structure}, false,
			placements.Structure,
		},
		{"a run that is worked on here alone is left to no other agent", 0, written, missing, true, placements.Structure},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			start := time.Now().Truncate(time.Millisecond)
			a := &attempt{
				run: &record.Run{StartedAt: placements.Time(start)}, begun: start.Add(tc.after), since: time.Now(),
				alone: tc.alone,
			}
			if got := a.awaitFile(tc.p, tc.fault); got.Class != tc.want {
				t.Errorf("%s: %s, want %s", got.Class, got.Message, tc.want)
			}
		})
	}
}
