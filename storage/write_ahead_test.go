package storage_test

import (
	"errors"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/work"
)

func TestAWriteAheadRecordIsKeptUntilTheWriteIsCompleted(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.beginNext("a", c.manual())
		_, lease, release, err := c.q.LockDocument(c.Context(), shop.Tenant, "book")
		must(c.T, err)
		defer release()
		must(c.T, c.writeAhead(lease, a, p, "first"))
		must(c.T, c.writeAhead(lease, a, p, "second"))
		c.rows(p, "", "second")
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{
			Placements: []work.PlacementOutcome{{Placement: p, Before: c.placed(p), Written: true, Rows: []byte("second")}},
		}))
		c.rows(p, "second", "")
		c.refused(lease, a, p, "the run has ended")
	})
}

func TestWhoeverMayNotWriteAnyMoreIsTold(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		older := c.beginNext("a", c.manual())
		c.refused(work.DocumentLease{}, older, p, "the document was not locked")
		_, lease, release, err := c.q.LockDocument(c.Context(), shop.Tenant, "book")
		must(c.T, err)
		defer release()
		newer := c.begin("b", c.orphan("b")[0])
		c.refused(lease, older, p, "another attempt has begun")
		c.s.DropDocumentLock(c.T, shop.Tenant, "book")
		c.refused(lease, newer, p, "the lock ran out")
		_, _, releaseOther, err := c.q.LockDocument(c.Context(), shop.Tenant, "book")
		must(c.T, err)
		defer releaseOther()
		c.refused(lease, newer, p, "another run has the lock")
		c.rows(p, "", "")
	})
}

// refused checks that an attempt learns that it must not write.
func (c *clockwork) refused(lease work.DocumentLease, a *queue.Attempt, p placements.Placement, why string) {
	c.Helper()
	if err := c.writeAhead(lease, a, p, "x"); !errors.Is(err, storage.ErrLockLost) {
		c.Errorf("although %s, the answer is %v", why, err)
	}
}

// writeAhead records one write ahead.
func (c *clockwork) writeAhead(lease work.DocumentLease, a *queue.Attempt, p placements.Placement, rows string) error {
	c.Helper()
	noted, err := c.q.WriteAhead(c.Context(), lease, []work.WriteAhead{{Attempt: a, PlacementID: p.ID, Rows: []byte(rows)}})
	if err == nil && !noted[0] {
		return storage.ErrLockLost
	}
	return err
}

func TestABlockThatAWriteHasMovedIsRecordedThereWithItsRows(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A5")
		a := c.beginNext("a", c.manual())
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{
			Placements: []work.PlacementOutcome{{Placement: p, Before: c.placed(p), Written: true, Rows: []byte("at A5")}},
		}))
		before := c.placed(p)
		now := before.Placement
		now.AnchorCell, now.EndResultCell, now.ResultLocation = "A8", "A8", "S!A8"
		must(c.T, c.q.Move(c.Context(), c.d(), c.report.ID, work.Move{Before: before, Now: now, Completed: []byte("at A8")}))
		c.rows(now, "at A8", "")
		if got := c.placed(now); got.AnchorCell != "A8" || got.Claim != before.Claim || got.LastRun == nil {
			c.Errorf("the placement is %+v", got)
		}
		again := now
		again.AnchorCell, again.ResultLocation = "A9", "S!A9"
		must(c.T, c.q.Move(c.Context(), c.d(), c.report.ID, work.Move{Before: before, Now: again, Completed: []byte("at A9")}))
		c.rows(now, "at A8", "")
		if got := c.placed(now); got.AnchorCell != "A8" {
			c.Errorf("a placement that has changed since was moved to %s", got.AnchorCell)
		}
	})
}
