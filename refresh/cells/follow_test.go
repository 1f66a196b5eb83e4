package cells

import (
	"slices"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/hosttest"
	"mooring/storage/record"
)

// listed are the texts of a list in the order of their numbers.
const listed = "(SELECT group_concat(t, '') FROM (SELECT t FROM texts WHERE t IN (@%) ORDER BY n))"

// TestCellsAreFollowedThroughRuns: after each edit a run takes what stands in the cells by then, wherever they are.
func TestCellsAreFollowedThroughRuns(t *testing.T) {
	t.Parallel()
	edits := hosttest.StructuralEdits()
	if len(edits) != 46 {
		t.Errorf("%d edits, want 46", len(edits))
	}
	for name, of := range everyHost {
		for _, edit := range edits {
			t.Run(name+"/"+edit.Fact, func(t *testing.T) {
				t.Parallel()
				followed(newRig(t, of(t), texts(t)), edit)
			})
		}
	}
}

func followed(r *rig, edit hosttest.StructuralEdit) {
	column, row := fromCell("column", placements.ParameterText), fromCell("row", placements.ParameterText)
	column.List, row.List = true, true
	r.asksSQL("SELECT @cell AS cell, "+strings.ReplaceAll(listed, "%", "column")+" AS below, "+strings.ReplaceAll(listed, "%", "row")+" AS beside",
		fromCell("cell", placements.ParameterText), column, row)
	hosttest.FillParameters(r.T, r.Spreadsheet)
	said := placements.ParameterSettings{}
	for i, at := range hosttest.ParameterPlaces {
		said[[]string{"cell", "column", "row"}[i]] = placements.ParameterSetting{Cell: "Other!" + at}
	}
	r.place(r.Document, "C4", said)
	r.succeeds()
	r.shows("at first", "cell", "abcd", "xyz")

	edit.Do(r.T, r.Spreadsheet)
	places := edit.Places(r.Spreadsheet)
	r.Editor.Set(r.T, places[0].Sheet, places[0].Anchor.String(), checksum.Str("moved"))
	r.leaves(places)
	run := r.succeeds()
	r.shows(edit.Fact, "moved", r.textOf(places[1]), r.textOf(places[2]))
	for i, name := range []string{"cell", "column", "row"} {
		if got := run.Placements[0].Parameters[name].Cell; got != places[i].String() {
			r.Errorf("the run says that %s stood at %s, want %s", name, got, places[i])
		}
		if got := r.stands().Parameters[name].Cell; got != places[i].String() {
			r.Errorf("the placement has %s at %s, want %s", name, got, places[i])
		}
	}
	if n := r.source.asked(); n != 2 {
		r.Errorf("%d queries, want 2", n)
	}
}

// TestACellThatAnotherReportShifts: until its document has a name for it, its placement is told where the rows of other blocks move it.
func TestACellThatAnotherReportShifts(t *testing.T) {
	t.Parallel()
	eachHost(t, func(r *rig) {
		const rows = "SELECT t FROM texts ORDER BY n LIMIT "
		r.asksSQL(rows + "2")
		growing := r.report
		r.options.ShiftRows = placements.Sent(true)
		r.place(r.Document, "C4", nil)
		r.succeeds()

		r.options.ShiftRows = placements.Optional[bool]{}
		p, q := fromCell("p", placements.ParameterText), fromCell("q", placements.ParameterText)
		q.List = true
		r.asksSQL("SELECT @p || "+strings.ReplaceAll(listed, "%", "q")+" AS p", p, q)
		for at, text := range map[string]string{"C10": "North", "C12": "x", "C13": "y"} {
			r.Editor.Set(r.T, r.Sheet, at, checksum.Str(text))
		}
		r.place(r.Document, "G4", placements.ParameterSettings{"p": {Cell: "Data!C10"}, "q": {Cell: "Data!C12:C13"}})
		following := r.report

		r.report = growing
		r.update(record.ReportInput{SQLQuery: placements.Sent(rows + "5")})
		r.succeeds()
		r.holds("the cell is shifted", "C13", checksum.Str("North"))
		r.report = following
		if at := r.stands().Parameters; at["p"].Cell != "Data!C13" || at["q"].Cell != "Data!C15:C16" {
			r.Errorf("the placement has its cells at %s and %s", at["p"].Cell, at["q"].Cell)
		}
		r.succeeds()
		r.holds("what the cells hold", "G5", checksum.Str("Northxy"))
	})
}

// leaves puts something else where the cell stood, if nothing of the places stands there now.
func (r *rig) leaves(places []placements.Location) {
	r.Helper()
	old, err := placements.ParseLocation("Other!" + hosttest.ParameterPlaces[0])
	must(r.T, err)
	taken := func(l placements.Location) bool {
		end := l.End()
		return l.Sheet == old.Sheet && l.Anchor.Row <= old.Anchor.Row && old.Anchor.Row <= end.Row &&
			l.Anchor.Column <= old.Anchor.Column && old.Anchor.Column <= end.Column
	}
	if places[1].Sheet == old.Sheet && !slices.ContainsFunc(places, taken) {
		r.types(hosttest.ParameterPlaces[0], "left behind")
	}
}

// textOf is what a list's cells hold, one after the other.
func (r *rig) textOf(l placements.Location) (text string) {
	r.Helper()
	for i := range l.Rows * l.Columns {
		at := placements.Anchor{Row: l.Anchor.Row + i/l.Columns, Column: l.Anchor.Column + i%l.Columns}
		c, _ := r.Editor.Get(r.T, l.Sheet, at.String())
		text += c.Text
	}
	return text
}

// shows checks the only row of the block at C4.
func (r *rig) shows(fact string, row ...string) {
	r.Helper()
	for i, text := range row {
		r.holds(fact, placements.Anchor{Row: 4, Column: 2 + i}.String(), checksum.Str(text))
	}
}
