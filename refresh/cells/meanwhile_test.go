package cells

import (
	"fmt"
	"testing"

	"mooring/checksum"
	"mooring/placements"
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
