package storage_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// clientClock is a clockwork whose report stands in a document, and a client that refreshes it there.
type clientClock struct {
	*clockwork
	until time.Time
}

func eachClient(t *testing.T, test func(c *clientClock)) {
	t.Helper()
	eachClockwork(t, "skip", func(c *clockwork) {
		_, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
			ExternalWorkbookID: "book", ResultLocation: "Data!A1", PlacementID: "p1", AddressOnly: true,
		}, record.Actor{ID: ada.ID}, nil, false)
		must(t, err)
		test(&clientClock{clockwork: c})
	})
}

// start begins a run of the client.
func (c *clientClock) start() (*queue.Attempt, error) {
	run := &record.Run{
		ReportID: c.report.ID, PlacementID: "p1", ExternalWorkbookID: "book", Executor: record.ExecutorClient,
		RequestedBy: record.Actor{ID: ada.ID}, Placements: []record.RunPlacement{},
	}
	a, until, err := c.q.StartClient(c.Context(), c.d(), run, time.Hour)
	c.until = until
	return a, err
}

func (c *clientClock) mustStart() *queue.Attempt {
	c.Helper()
	a, err := c.start()
	must(c.T, err)
	return a
}

func (c *clientClock) resume(a *queue.Attempt) (*queue.Attempt, error) {
	return c.q.Queue.Clients.Resume(c.Context(), c.d(), a.Run, int64(a.Run.Attempt))
}

// lapse ends the lease as the time does.
func (c *clientClock) lapse(a *queue.Attempt) {
	c.Helper()
	began, err := time.Parse(time.RFC3339, a.Run.StartedAt)
	must(c.T, err)
	for {
		now, err := c.q.Queue.Clock(c.Context())
		must(c.T, err)
		_, _ = c.q.Queue.Clients.Renew(c.Context(), c.d(), a.Run, int64(a.Run.Attempt), now.Sub(began)+20*time.Millisecond)
		time.Sleep(30 * time.Millisecond)
		if _, err := c.resume(a); errors.Is(err, storage.ErrLockLost) {
			return
		}
	}
}

// outcome is what the client's run leaves.
func (c *clientClock) outcome(a *queue.Attempt) work.Outcome {
	c.Helper()
	r, err := c.q.Load(c.Context(), a)
	must(c.T, err)
	before := r.Placements[0]
	after := before.Placement
	after.EndResultCell, after.RefreshedAt, after.QueryChecksum = "B3", placements.Time(tick), "sum"
	after.ResultChecksum = &checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: 3, Hash: "aa"}}}
	after.Base, after.Placer = &placements.Base{Behalf: 9}, placements.PlacedByReader
	after.RunAs = &placements.RunAs{UID: ada.ID, Actions: []string{"ReportRead"}}
	before.Base = &placements.Base{Behalf: 7, Kept: &placements.Write{Query: "earlier", Checksum: after.ResultChecksum}}
	before.Own, before.RunAs = &checksum.Extent{Rows: 1, Columns: 1}, after.RunAs
	a.Run.State, a.Run.EndedAt, a.Run.RowsWritten = placements.RunSucceeded, placements.Time(tick), 3
	return work.Outcome{
		Refreshed: &record.User{ID: ada.ID},
		Placements: []work.PlacementOutcome{{
			Placement: after, Before: before, LastRun: placements.LastRun{RunID: a.Run.ID, State: placements.RunSucceeded}, Written: true,
			Rows: []byte("rows"), Edits: []record.Edit{{ID: "e", Row: 1, Name: "n", Yours: "mine", SeenAt: placements.Time(tick)}},
		}},
	}
}

func TestAClientRunIsKeptAndCompleted(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		if run := c.run(a.Run.ID); run.State != placements.RunRunning || run.Attempt != 1 || run.Executor != record.ExecutorClient {
			c.Errorf("the run is %+v", run)
		}
		c.depth(0)
		if due := c.due(); len(due) > 1 { // the schedule is
			c.Errorf("%v is due while the lease goes on", due)
		}
		if digest, err := c.q.Queue.Clients.PlannedDigest(c.Context(), c.d(), a.Run.ID); digest != "" || err != nil {
			c.Errorf("before a plan: %q, %v", digest, err)
		}
		if _, err := c.q.ClientPlan(c.Context(), a, "digest"); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("before a plan: %v", err)
		}
		want := c.outcome(a)
		must(c.T, c.q.KeepClientPlan(c.Context(), a, want, "digest"))

		b, err := c.resume(a)
		must(c.T, err)
		got, err := c.q.ClientPlan(c.Context(), b, "digest")
		must(c.T, err)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(storage.Placed{}), cmpopts.IgnoreFields(storage.Placed{}, "Claim")); diff != "" {
			c.Errorf("kept (-want +got):\n%s", diff)
		}
		must(c.T, c.q.Complete(c.Context(), b, got))
		if run := c.run(a.Run.ID); run.State != placements.RunSucceeded || run.RowsWritten != 3 {
			c.Errorf("the run is %+v", run)
		}
		r, err := c.s.Reports().Get(c.Context(), c.d(), c.report.ID)
		must(c.T, err)
		if p := r.Placements[0]; p.QueryChecksum != "sum" || p.EndResultCell != "B3" || p.Edits == nil || p.RunAs == nil {
			c.Errorf("the placement is %+v", p)
		}
		if digest, err := c.q.Queue.Clients.PlannedDigest(c.Context(), c.d(), a.Run.ID); digest != "digest" || err != nil {
			c.Errorf("afterwards: %q, %v", digest, err)
		}
		must(c.T, c.q.Complete(c.Context(), b, got)) // its answer was lost
		b.Run.RowsWritten++
		if err := c.q.Complete(c.Context(), b, got); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("completed another way: %v", err)
		}
		c.mustStart() // the document is free
	})
}

// The last plan counts: a run is not settled by one that another has taken the place of, however late.
func TestAPlanThatIsMadeMeanwhileCounts(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		must(c.T, c.q.KeepClientPlan(c.Context(), a, c.outcome(a), "first"))
		b, err := c.resume(a)
		must(c.T, err)
		first, err := c.q.ClientPlan(c.Context(), b, "first")
		must(c.T, err)
		must(c.T, c.q.KeepClientPlan(c.Context(), a, c.outcome(a), "last"))
		if err := c.q.Complete(c.Context(), b, first); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("settled by the first plan: %v", err)
		}
		if _, err := c.q.ClientPlan(c.Context(), b, "first"); !errors.Is(err, work.ErrOtherPlan) {
			c.Errorf("the first plan: %v", err)
		}
		last, err := c.q.ClientPlan(c.Context(), b, "last")
		must(c.T, err)
		must(c.T, c.q.Complete(c.Context(), b, last))
	})
}

// A plan that an earlier version kept has the JSON of its placements, and beside it what that does not show.
func TestAPlanOfAnEarlierVersionIsCompleted(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		must(c.T, c.q.KeepClientPlan(c.Context(), a, c.outcome(a), "digest"))
		key := c.s.ClientPlanKey(c.d(), a.Run.ID)
		text, err := c.s.Client().Get(c.Context(), key).Result()
		must(c.T, err)
		var plan struct {
			Run        string
			Placements []map[string]any
		}
		must(c.T, json.Unmarshal([]byte(text), &plan))
		body := map[string]any{
			"id": "p1", "workbookId": "book", "host": "SHEETS_B", "sheetName": "Data", "anchorCell": "A1", "resultLocation": "Data!A1",
			"runAs": map[string]any{"uid": ada.ID},
		}
		maps.Copy(plan.Placements[0], map[string]any{
			"Placement": body, "Before": body, "Actions": []string{"ReportRead"}, "Own": checksum.Extent{Rows: 2, Columns: 3},
		})
		earlier, err := json.Marshal(plan)
		must(c.T, err)
		must(c.T, c.s.Client().Set(c.Context(), key, earlier, 0).Err())
		got, err := c.q.ClientPlan(c.Context(), a, "digest")
		must(c.T, err)
		p := got.Placements[0]
		as := p.Placement
		if as.WorkbookID != "book" || as.Own == nil || as.Own.Columns != 3 || !slices.Equal(as.RunAs.Actions, []string{"ReportRead"}) {
			c.Errorf("the placement is %+v", as)
		}
		if p.Before.WorkbookID != "book" || p.Before.Own != nil || string(p.Rows) != "rows" {
			c.Errorf("the rest is %+v", p)
		}
		must(c.T, c.q.Complete(c.Context(), a, got))
	})
}

func TestALeaseThatEndedHoldsNothing(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		o := c.outcome(a)
		must(c.T, c.q.KeepClientPlan(c.Context(), a, o, "digest"))
		if _, err := c.q.Queue.Clients.Take(c.Context(), c.d(), a.Run, false); !errors.Is(err, queue.ErrEnded) {
			c.Errorf("taken while its lease goes on: %v", err)
		}
		c.lapse(a)
		for what, err := range map[string]error{
			"complete": c.q.Complete(c.Context(), a, o), "plan": c.q.KeepClientPlan(c.Context(), a, o, "other"),
		} {
			if !errors.Is(err, storage.ErrLockLost) {
				c.Errorf("%s: %v", what, err)
			}
		}
		noted, err := c.q.WriteAhead(c.Context(), work.ClientLease(a), []work.WriteAhead{{Attempt: a, PlacementID: "p1", Rows: []byte("x")}})
		if !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("write-ahead: %v, %v", noted, err)
		}
		due := c.due()
		if len(due) != 2 {
			c.Fatalf("due is %v, want the schedule and the run", due)
		}
		must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), []record.Due{{Deployment: c.d(), RunID: a.Run.ID}}))
		b := c.beginNext("a", a.Run.ID)
		if b.Run.Attempt != 1 { // an add-in has one
			c.Errorf("in the agent's hands the attempt is %d", b.Run.Attempt)
		}
		must(c.T, c.end(b, placements.RunFailed))
		c.mustStart()
	})
}

func TestAClientRunIsTakenToBeStopped(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		b, err := c.q.Queue.Clients.Take(c.Context(), c.d(), a.Run, true)
		must(c.T, err)
		if !b.Stopped || b.Run.Attempt != 1 {
			c.Errorf("it is stopped %t, attempt %d", b.Stopped, b.Run.Attempt)
		}
		if _, err := c.resume(a); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("its client goes on: %v", err)
		}
		must(c.T, c.end(b, placements.RunStopped))
		if _, err := c.q.Queue.Clients.Take(c.Context(), c.d(), a.Run, true); !errors.Is(err, queue.ErrEnded) {
			c.Errorf("taken once it has ended: %v", err)
		}
	})
}

func TestADocumentIsOneClientsOrOneAgents(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		if _, err := c.start(); placements.CodeOf(err) != placements.CodeRunning || placements.DetailsOf(err)[0].RunID != a.Run.ID {
			c.Errorf("another client: %v", err)
		}
		if who, err := c.q.DocumentWriter(c.Context(), c.tenant, "book"); err != nil || who != "an add-in, run "+a.Run.ID {
			c.Errorf("the writer is %q, %v", who, err)
		}
		b, err := c.q.Queue.Clients.Take(c.Context(), c.d(), a.Run, true)
		must(c.T, err)
		must(c.T, c.end(b, placements.RunStopped))
		c.s.SetLocks(50*time.Millisecond, time.Minute)
		_, _, release, err := c.q.LockDocument(c.Context(), c.tenant, "book")
		must(c.T, err)
		if _, err := c.start(); !errors.Is(err, storage.ErrBusy) {
			c.Errorf("while an agent writes: %v", err)
		}
		release()
		c.mustStart()
	})
}

func TestARenewedLeaseEndsLaterButWithinTheLimit(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		a := c.mustStart()
		if d := c.until.Sub(a.Begun); d != queue.ClientLease {
			c.Errorf("the lease is %s", d)
		}
		until, err := c.q.Queue.Clients.Renew(c.Context(), c.d(), a.Run, 1, time.Hour)
		if err != nil || until.Before(c.until) {
			c.Errorf("renewed until %s, %v; it was %s", until, err, c.until)
		}
		began, err := time.Parse(time.RFC3339, a.Run.StartedAt)
		must(c.T, err)
		if until, err = c.q.Queue.Clients.Renew(c.Context(), c.d(), a.Run, 1, time.Minute); err != nil || until.Sub(began) != time.Minute {
			c.Errorf("within the limit until %s, %v; it began at %s", until, err, began)
		}
		if _, err := c.q.Queue.Clients.Renew(c.Context(), c.d(), a.Run, 2, time.Hour); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("another fence: %v", err)
		}
	})
}

// The lock of a document may have another name than the id that a run was asked for: that of its host is in it.
func TestAClientRunLocksTheDocumentThatItNames(t *testing.T) {
	eachClient(t, func(c *clientClock) {
		run := &record.Run{
			ReportID: c.report.ID, PlacementID: "p1", ExternalWorkbookID: "book", Document: "share:book", Executor: record.ExecutorClient,
			RequestedBy: record.Actor{ID: ada.ID}, Placements: []record.RunPlacement{},
		}
		a, _, err := c.q.StartClient(c.Context(), c.d(), run, time.Hour)
		must(t, err)
		held := func(want bool, document string) {
			c.Helper()
			who, err := c.q.DocumentWriter(c.Context(), c.tenant, document)
			if must(t, err); (who != "") != want {
				t.Errorf("%s is held by %q, want %t", document, who, want)
			}
		}
		held(true, "share:book")
		held(false, "book")
		if _, err := c.resume(a); err != nil {
			t.Errorf("resumed: %v", err)
		}
		again, err := c.q.Queue.Runs.Get(c.Context(), c.d(), run.ID)
		if must(t, err); again.LockedDocument() != "share:book" {
			t.Errorf("the run has %q", again.LockedDocument())
		}
		must(t, c.q.Queue.Runs.Stop(c.Context(), c.d(), run.ID))
		held(false, "share:book")
	})
}
