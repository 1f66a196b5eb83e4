package storage_test

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// wanted is the run that is stored to want a placement.
func (c *clockwork) wanted(p placements.Placement) string {
	c.Helper()
	probe := c.begin("prober", c.entryOf(c.probe()))
	defer func() { must(c.T, c.end(probe, placements.RunSkipped)) }()
	return probe.Wanted(p.ID)
}

// probe makes a run that nothing hinders: one of a document that is not there.
func (c *clockwork) probe() string {
	c.Helper()
	run := &record.Run{ReportID: c.report.ID, ExternalWorkbookID: "nowhere"}
	refused, err := c.q.Queue.Runs.Enqueue(c.Context(), c.tenant, record.Order{DeploymentID: c.d().ID, Run: run})
	must(c.T, errors.Join(append(refused, err)...))
	return run.ID
}

// entryOf takes the entry of a run.
func (c *clockwork) entryOf(run string) queue.Entry {
	c.Helper()
	for _, e := range c.take("prober") {
		if e.RunID == run {
			return e
		}
	}
	c.Fatalf("run %s is not in the queue", run)
	return queue.Entry{}
}

// mustClaim has an attempt claim a placement that no other run wants.
func (c *clockwork) mustClaim(a *queue.Attempt, p placements.Placement) {
	c.Helper()
	if !c.claim(a, nil, p) {
		c.Fatal("the placement is not claimed")
	}
}

// disconnect takes a placement away.
func (c *clockwork) disconnect(p placements.Placement) {
	c.Helper()
	target := placements.Target{PlacementID: p.ID, ExternalWorkbookID: p.WorkbookID}
	_, _, err := c.s.Placements().Disconnect(c.Context(), c.d(), c.report.ID, target, adaReads, nil, true)
	must(c.T, err)
}

// A run that ends as a whole has tried nothing that it wanted; nor has one whose attempt died, and before whose next one the placement was moved.
func TestARunThatHasEndedWantsNothing(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.beginNext("a", c.manual())
		c.mustClaim(a, p)
		must(c.T, c.end(a, placements.RunFailed))
		if run := c.wanted(p); run != "" {
			c.Errorf("run %s wants the placement, and has failed", run)
		}
		a = c.beginNext("a", c.manual())
		c.mustClaim(a, p)
		must(c.T, c.end(c.begin("b", c.orphan("b")[0]), placements.RunSucceeded))
		if run := c.wanted(p); run != "" {
			c.Errorf("run %s wants the placement, and has succeeded", run)
		}
	})
}

// What an attempt that waits has not claimed is another run's, or nobody's: it is decided again.
func TestARunWaitsOnlyForWhatItWants(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.beginNext("a", c.manual())
		c.mustClaim(a, p)
		c.disconnect(p)
		if err := c.waits(a, p); !errors.Is(err, queue.ErrTaken) {
			c.Errorf("it waits for a placement that is gone: %v", err)
		}
	})
}

// A run that waits for a placement alone is not left to wait when that goes.
func TestARunIsWokenWhenWhatItWaitsForGoes(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		id := c.manual()
		a := c.beginNext("a", id)
		c.mustClaim(a, p)
		must(c.T, c.waits(a, p))
		c.depth(0)
		c.disconnect(p)
		c.beginNext("a", id)
	})
}

// The answer to the end of an attempt may be lost: sent again, it is answered as the first time. What another attempt has left is not.
func TestTheEndOfAnAttemptMayBeSentAgain(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		id := c.manual()
		a := c.beginNext("a", id)
		c.mustClaim(a, p)
		for range 2 {
			must(c.T, c.waits(a, p))
		}
		must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), c.dueRuns()))
		b := c.beginNext("b", id)
		if err := c.waits(a, p); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("an earlier attempt ends behind a later one: %v", err)
		}
		for range 2 {
			must(c.T, c.end(b, placements.RunSucceeded))
		}
		if err := c.end(b, placements.RunFailed); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("it ends another way: %v", err)
		}
		if r := c.q.Queue.Renew(c.Context(), b.Pulse())[0]; !errors.Is(r.Err, storage.ErrLockLost) {
			c.Errorf("it is renewed once it has ended: %+v", r)
		}
	})
}

// An attempt that another one has overtaken, through another entry of the run, leaves none behind that would be taken for a dead agent's.
func TestAnAttemptThatIsGivenUpLeavesNoEntry(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		id := c.manual()
		first := c.take("a")[0]
		must(c.T, c.q.Queue.Runs.Stop(c.Context(), c.d(), id))
		a := c.begin("a", first)
		must(c.T, c.q.Queue.GiveUp(c.Context(), a)) // it is the latest
		c.depth(2)
		c.begin("b", c.take("b")[0])
		must(c.T, c.q.Queue.GiveUp(c.Context(), a))
		c.depth(1)
	})
}

// An agent that storage took for dead takes its own entry back, and begins another attempt by it: the first one leaves it that.
func TestAnAttemptThatIsGivenUpLeavesTheEntryOfItsAgentsNext(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		c.manual()
		first := c.begin("a", c.take("a")[0])
		c.begin("a", c.orphan("a")[0])
		must(c.T, c.q.Queue.GiveUp(c.Context(), first))
		c.depth(1)
		third := c.begin("b", c.orphan("b")[0])
		if third.Fence != 3 {
			c.Errorf("the run of an agent that died begins under fence %d", third.Fence)
		}
		must(c.T, c.end(third, placements.RunSucceeded))
		c.depth(0)
	})
}

// A run that waits for its next attempt, while an entry of it is in the queue still, waits no more once an agent has begun: it would be taken from
// the agent when that attempt was due, and not before, if the agent dies.
func TestARunThatAnAgentBeginsWaitsNoMore(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		run := &record.Run{ReportID: c.report.ID}
		must(c.T, c.q.Queue.Hold(c.Context(), c.d(), run))
		must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), []record.Due{{Deployment: c.d(), RunID: run.ID}})) // its lease has ended
		held := c.beginHeld(run)
		c.mustClaim(held, p)
		must(c.T, c.waits(held, p))
		c.beginNext("a", run.ID)
		if b := c.begin("b", c.orphan("b")[0]); b.Fence != 3 {
			c.Errorf("the run of an agent that died begins under fence %d", b.Fence)
		}
	})
}

// A run that waits for what stands in a document is not left to wait when that is moved out of it.
func TestARunIsWokenWhenWhatItWaitsForIsMoved(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		run := &record.Run{ReportID: c.report.ID, ExternalWorkbookID: p.WorkbookID}
		must(c.T, storagetest.Enqueue(c.Context(), c.q, c.d(), run))
		a := c.beginNext("a", run.ID)
		c.mustClaim(a, p)
		must(c.T, c.waits(a, p))
		c.depth(0)
		_, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
			ExternalWorkbookID: "another", ResultLocation: "S!A1", PlacementID: p.ID, AddressOnly: true,
		}, adaReads, nil, false)
		must(c.T, err)
		c.beginNext("a", run.ID)
	})
}

// A run that was at work when a backup was made has ended once that is restored, and wants nothing more: else every later run would wait beside it.
func TestARestoredRunWantsNothing(t *testing.T) {
	source, target := storagetest.Redis(t), storagetest.Redis(t)
	c := newClockwork(t, storagetest.Open(t, source), shop, "skip")
	p := c.connect("S!A1")
	a := c.beginNext("a", c.manual())
	c.mustClaim(a, p)
	_, err := restore(t.Context(), storage.Config{Address: target}, backedUp(t, storage.Config{Address: source}), restoring(false))
	must(t, err)
	c.s = storagetest.Open(t, target)
	c.q = c.s.Work()
	must(t, c.q.Queue.Prepare(t.Context()))
	if run := c.run(a.Run.ID); run.State != placements.RunStopped {
		t.Errorf("the run is %s", run.State)
	}
	if run := c.wanted(p); run != "" {
		t.Errorf("run %s wants the placement", run)
	}
}
