package cells

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/storage/record"
)

// TestACellThatChangesMeanwhile is asked for once more, and then is a conflict.
func TestACellThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for times := range 3 {
		t.Run(fmt.Sprint(times, " times"), func(t *testing.T) {
			t.Parallel()
			eachHost(t, func(r *rig) {
				r.types("F10", "zero")
				r.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterText))
				r.place(r.Document, "C4", inCell("p", "F10"))
				r.source.during = func(n int) {
					if n <= times {
						r.types("F10", fmt.Sprint("value ", n))
					}
				}
				switch run := r.refresh(); times {
				case 0, 1:
					want := []string{"zero", "value 1"}[times]
					if r.holds("the last value", "C5", checksum.Str(want)); run.State != placements.RunSucceeded {
						r.Errorf("run is %s (%s)", run.State, run.Error)
					}
				default:
					const want = "cells from which the report takes values changed twice while it was queried: refresh it again once they stay"
					if r.holds("nothing", "C5", checksum.Cell{}); run.ErrorClass != placements.Conflict || run.Error != want {
						r.Errorf("run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
					}
				}
				if n := r.source.asked(); n != min(times, 1)+1 {
					r.Errorf("%d queries", n)
				}
			})
		})
	}
}

// TestAnotherCellThatIsNamedMeanwhile is the one that counts, also where a user types into the one before.
func TestAnotherCellThatIsNamedMeanwhile(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.types("F10", "zero")
		r.types("G12", "another cell")
		r.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterText))
		r.place(r.Document, "C4", inCell("p", "F10"))
		r.source.during = func(n int) {
			if n == 1 {
				r.types("F10", "typed meanwhile")
				r.place(r.Document, "C4", inCell("p", "G12"))
			}
		}
		run := r.succeeds()
		r.holds("what the other cell says", "C5", checksum.Str("another cell"))
		if said := run.Placements[0].Parameters["p"].Cell; said != "Other!G12" {
			r.Errorf("the run says that p stood at %s", said)
		}
		if now := r.stands().Parameters["p"].Cell; now != "Other!G12" {
			r.Errorf("the placement takes p from %s", now)
		}
		if n := r.source.asked(); n != 2 {
			r.Errorf("%d queries", n)
		}
		r.source.during = nil
		r.Editor.InsertRows(r.T, r.Other, 1, 2)
		r.types("G14", "followed")
		r.succeeds()
		r.holds("the other cell has the name", "C5", checksum.Str("followed"))
	})
}

// TestACellThatGoesMeanwhile: what the write finds counts, and nothing is written.
func TestACellThatGoesMeanwhile(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.followsACell()
		r.types("F10", "South")
		r.source.asked()
		r.source.during = func(int) { r.Editor.Set(r.T, r.Other, "F10", checksum.Cell{}) }
		run := r.refresh()
		if r.holds("what it held", "C5", checksum.Str("North")); run.ErrorClass != placements.Conflict || run.Error != "p has no value" {
			r.Errorf("run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
		}
	})
}

// TestADocumentThatCannotBeRead holds up no other, and takes part in no query.
func TestADocumentThatCannotBeRead(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		closed := r.add("closed.xlsx")
		r.types("F10", "North")
		closed.Editor.Set(r.T, closed.Other, "F10", checksum.Str("South"))
		r.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterText))
		r.place(closed.Document, "C4", inCell("p", "F10"))
		r.place(r.Document, "C4", inCell("p", "F10"))
		r.succeeds()
		r.source.asked()
		closed.Deny(r.T)
		r.types("F10", "moved")
		run := r.refresh()
		if r.holds("the other document", "C5", checksum.Str("moved")); run.State != placements.RunFailed || run.ErrorClass == placements.Conflict {
			r.Errorf("run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
		}
		if n := r.source.asked(); n != 1 {
			r.Errorf("%d queries, want that of the document that can be read", n)
		}
	})
}

// locking is a host one of whose documents is not to be had for now.
type locking struct {
	host.Driver
	document string
}

func (l *locking) Open(ctx context.Context, document string) (host.Session, error) {
	if document == l.document {
		return nil, &placements.Fault{Class: placements.Transient, Message: "the document is locked", Err: errors.New("locked")}
	}
	return l.Driver.Open(ctx, document)
}

// TestADocumentThatIsLocked waits by itself, while the others are written.
func TestADocumentThatIsLocked(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.documents.driver = &locking{r.documents.driver, "locked.xlsx"}
		locked := newRig(r.T, r.documents, r.source.Source)
		other := locked.add("locked.xlsx")
		for _, d := range []hosttest.Spreadsheet{locked.Spreadsheet, other} {
			d.Editor.Set(r.T, d.Other, "F10", checksum.Str("North"))
		}
		locked.asksSQL("SELECT @p AS p", fromCell("p", placements.ParameterText))
		locked.place(other.Document, "C4", inCell("p", "F10"))
		locked.place(locked.Document, "C4", inCell("p", "F10"))
		run := locked.attempt()
		if locked.holds("the other document", "C5", checksum.Str("North")); run.State != placements.RunQueued || run.ErrorClass != placements.Transient {
			r.Errorf("run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
		}
		if n := locked.source.asked(); n != 1 {
			r.Errorf("%d queries, want that of the document that is not locked", n)
		}
	})
}

// attempt has an agent make one attempt of a run of the report.
func (r *rig) attempt() *record.Run {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.engine.Run(ctx) }()
	defer func() {
		cancel()
		must(r.T, <-done)
	}()
	run, err := r.engine.Start(ctx, deployment, refresh.Request{Target: record.RunTarget{ReportID: r.report}, By: owner})
	must(r.T, err)
	for run.EndedAt == "" && run.NextAttemptAt == "" {
		time.Sleep(5 * time.Millisecond)
		run, err = r.store.Queue().Runs.Get(ctx, deployment, run.ID)
		must(r.T, err)
	}
	return run
}
