package cells

import (
	"fmt"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
)

// requests runs the report, and returns what that asked of the document's host.
func (r *rig) requests() int {
	r.Helper()
	r.asked()
	r.succeeds()
	return r.asked()
}

// allPlaces are where the blocks of these tests stand.
var allPlaces = []string{"C4", "F4", "I4", "L4", "O4"}

// TestRequestsOfCells: a run of a document without parameter cells makes not one request more than ever, one with them a single one, however many
// placements have some. The names of five cells are a batch more for Graph, which takes twenty steps in each, when they are given.
func TestRequestsOfCells(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, len(allPlaces)} {
		t.Run(fmt.Sprint(n, " placements"), func(t *testing.T) {
			t.Parallel()
			eachHost(t, func(r *rig) {
				naming := 0
				if n > 1 && r.kind == placements.SheetsB && !r.SeesMerges {
					naming = 1
				}
				countsRequests(r, allPlaces[:n], naming)
			})
		})
	}
}

func countsRequests(r *rig, places []string, naming int) {
	first, changed, same := r.withoutParameters(places)
	const query = "SELECT @p AS p, n FROM texts LIMIT 3"
	r.Spreadsheet = r.add("values.xlsx")
	r.asksSQL(query, fromCell("p", placements.ParameterText))
	say := func(text string) {
		value := placements.OneValue(placements.TextScalar(text))
		for _, at := range places {
			r.place(r.Document, at, placements.ParameterSettings{"p": {Value: &value}})
		}
	}
	say("North")
	r.compare("values, first", r.requests(), first)
	say("South")
	r.compare("values, changed", r.requests(), changed)
	r.compare("values, unchanged", r.requests(), same)

	r.Spreadsheet = r.add("cells.xlsx")
	r.asksSQL(query, fromCell("p", placements.ParameterText))
	enter := func(row int, text string) {
		for i := range places {
			r.types(fmt.Sprint("F", row+i), text)
		}
	}
	enter(10, "North")
	for i, at := range places {
		r.place(r.Document, at, inCell("p", fmt.Sprint("F", 10+i)))
	}
	r.compare("cells without names", r.requests(), first+1+naming)
	r.compare("cells, unchanged", r.requests(), same+1)
	enter(10, "South")
	r.compare("cells, changed", r.requests(), changed+1)
	r.Editor.InsertRows(r.T, r.Other, 1, 3)
	r.compare("cells that were moved", r.requests(), same+1)
	enter(13, "North")
	r.compare("cells that were moved, changed", r.requests(), changed+1)
	r.holds("the first block", "C5", checksum.Str("North"))
}

// withoutParameters returns the requests of runs of a report without any: the first, one whose rows have changed, and one that finds all as it was.
func (r *rig) withoutParameters(places []string) (first, changed, same int) {
	r.Helper()
	r.Spreadsheet = r.add("without.xlsx")
	r.asksSQL("SELECT 'North' AS p, n FROM texts LIMIT 3")
	for _, at := range places {
		r.place(r.Document, at, nil)
	}
	first = r.requests()
	r.update(record.ReportInput{SQLQuery: placements.Sent("SELECT 'South' AS p, n FROM texts LIMIT 3")})
	changed = r.requests()
	r.holds("without parameters", "C5", checksum.Str("South"))
	return first, changed, r.requests()
}

func (r *rig) compare(fact string, got, want int) {
	r.Helper()
	if got != want {
		r.Errorf("%s: %d requests, want %d", fact, got, want)
	}
}

// TestAMissingName costs requests of its own, until the next write gives it again: two at Google, where the cell may have been deleted, one at
// Graph.
func TestAMissingName(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		r.followsACell()
		r.types("F10", "moved")
		changed := r.requests()
		r.types("F10", "South")
		r.unname(r.Document)
		if r.ForgetsNames { // the cell may have been deleted
			r.asked()
			r.conflicts("a name that is gone", deletedCell)
			r.compare("a name that is gone, which is found out", r.asked(), 3)
			r.place(r.Document, "C4", inCell("p", "F10"))
			r.compare("said again", r.requests(), changed)
			r.holds("said again", "C5", checksum.Str("South"))
			return
		}
		more := 0
		if !r.SeesMerges {
			more = 1
		}
		r.compare("a name that is gone", r.requests(), changed+more)
		r.holds("what stands at the address", "C5", checksum.Str("South"))
		r.types("F10", "North")
		r.compare("named anew", r.requests(), changed)
	})
}
