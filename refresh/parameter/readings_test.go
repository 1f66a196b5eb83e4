package parameter_test

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/parameter"
)

// declared are parameters of which one may come from cells.
func declared() []placements.Parameter {
	return []placements.Parameter{
		{Name: "region", Title: "Region", Type: placements.ParameterText, Allowed: []placements.Scalar{text("North"), text("South")}, FromCells: true},
		{Name: "year", Type: placements.ParameterNumber, Default: new(placements.OneValue(placements.NumberScalar(2026)))},
	}
}

func text(s string) placements.Scalar { return placements.TextScalar(s) }

// from is a placement that takes its region from a cell.
func from(cell string) *placements.Placement {
	return &placements.Placement{ID: "p", Parameters: placements.ParameterSettings{"region": {Cell: cell}}}
}

// holding is what the cells of p say where each holds a text; empty for a blank one.
func holding(p *placements.Placement, s string) *parameter.Reading {
	feeds := parameter.Feeds(p, declared())
	found := make([]host.FoundParameter, len(feeds))
	for i, one := range feeds {
		cell := host.TypedCell{}
		if s != "" {
			cell.Value = checksum.Str(s)
		}
		found[i] = host.FoundParameter{At: one.Cells.At, Cells: []host.TypedCell{cell}}
	}
	return parameter.NewReading(feeds, found, false)
}

func TestReadingsCountForTheCellsThatWereRead(t *testing.T) {
	p, moved := from("Setup!B2"), from("Setup!B3")
	var r parameter.Readings
	r.Keep(p, holding(p, "North"))
	if r.Of(p) == nil || r.Of(moved) != nil {
		t.Errorf("read at B2: %v at B2, %v at B3", r.Of(p), r.Of(moved))
	}
	if _, err := r.Arguments(moved, declared()); err == nil {
		t.Error("values of cells that were not read")
	}
	fixed := &placements.Placement{ID: "p", Parameters: placements.ParameterSettings{"region": {Value: new(placements.OneValue(text("South")))}}}
	if with, err := r.Arguments(fixed, declared()); err != nil || with.Find("region").Value.Scalars()[0] != text("South") {
		t.Errorf("of a placement that says its value: %v, %v", with, err)
	}
}

func TestEqualValuesHaveOneKey(t *testing.T) {
	p, q := from("Setup!B2"), from("Setup!B3")
	q.ID = "q"
	var r parameter.Readings
	for _, row := range []struct {
		first, second string
		equal         bool
	}{{"North", "North", true}, {"North", "South", false}, {"North", "West", false}, {"West", "East", true}} {
		r.Keep(p, holding(p, row.first))
		r.Keep(q, holding(q, row.second))
		if got := r.Key(p, declared()) == r.Key(q, declared()); got != row.equal {
			t.Errorf("%s and %s: equal keys %t", row.first, row.second, got)
		}
	}
}

func TestCellsMayChangeOnceWhileTheSourceIsAsked(t *testing.T) {
	p := from("Setup!B2")
	var r parameter.Readings
	r.Keep(p, holding(p, "North"))
	if !r.Replace(p, p, holding(p, "South")) {
		t.Error("the first change does not count as one")
	}
	if r.Replace(p, p, holding(p, "North")) {
		t.Error("the second change counts as the first")
	}
	if got := r.Of(p).Values["region"].Scalars()[0]; got != text("North") {
		t.Errorf("the cell said last %v", got)
	}
}

// TestCellsThatAreNamedMeanwhileAreRead: what the ones of before say is not theirs, and the source is asked once more for both together.
func TestCellsThatAreNamedMeanwhileAreRead(t *testing.T) {
	p, anew := from("Setup!B2"), from("Setup!C3")
	var r parameter.Readings
	r.Keep(p, holding(p, "North"))
	if !r.Replace(p, anew, holding(p, "South")) {
		t.Error("the first change does not count as one")
	}
	if got := r.Of(anew); got != nil {
		t.Errorf("before they were read they said %v", got.Values)
	}
	r.Keep(anew, holding(anew, "North"))
	if r.Replace(anew, anew, holding(anew, "South")) {
		t.Error("the second change counts as the first")
	}
}

func TestWhatARunKeepsOfValues(t *testing.T) {
	var r parameter.Readings
	if used := r.Used(&placements.Placement{ID: "p"}, nil); used != nil {
		t.Errorf("without parameters %v", used)
	}
	p := from("Setup!B2")
	for holds, want := range map[string]placements.ParameterSettings{
		"North": {
			"region": {Value: new(placements.OneValue(text("North"))), Cell: "Setup!B2"}, "year": {Value: declared()[1].Default},
		},
		"West": {"region": {Value: new(placements.OneValue(text("West"))), Cell: "Setup!B2"}}, // refused, and kept
		"":     {"region": {Cell: "Setup!B2"}},
	} {
		r.Keep(p, holding(p, holds))
		if got := r.Used(p, declared()); !got.Equal(want) {
			t.Errorf("of a cell that holds %q: %+v, want %+v", holds, got, want)
		}
	}
}
