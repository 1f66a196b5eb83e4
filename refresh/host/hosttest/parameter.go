package hosttest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

func parameterCases() []testCase {
	return []testCase{
		{"cells of parameters are read where they were last, until they have names", readsUnnamed},
		{"cells of parameters say what they are", readsTyped},
		{"cells of parameters that cannot be read hinder no others", refusesParameters},
		{"cells of parameters that were deleted are not read", losesParameters},
		{"cells that a name no longer tells one of are not read", losesShape},
		{"cells of parameters are named along with a block, and not for themselves", namesParameters},
		{"a parameter that takes its value from another cell takes its name along", renamesParameters},
		{"cells of parameters follow a block that shifts, from that write on", shiftsParameters},
		{"cells of parameters are named where earlier writes of the session moved them", namesMoved},
		{"a list is torn by no block that shifts beside it", tearsNoList},
		{"cells of parameters are read together with blocks, as they are by then", readsTogether},
	}
}

// parameter is a parameter of the suite's block.
func (b Spreadsheet) parameter(number int, at string) host.ParameterCells {
	l, err := placements.ParseLocation(at)
	if err != nil {
		panic(err)
	}
	if l.Sheet == "" {
		l.Sheet = b.Other
	}
	return host.ParameterCells{ID: host.ParameterID(b.block().PlacementID, number), At: l, List: l.Range}
}

// unnamed are cells that have no name yet.
func unnamed(p host.ParameterCells) host.ParameterCells {
	p.ID = ""
	return p
}

// readParameters reads cells alone, in a session of its own.
func readParameters(t *testing.T, b Spreadsheet, cells ...host.ParameterCells) []host.FoundParameter {
	t.Helper()
	s := open(t, b)
	defer s.Close()
	return s.parameters(cells...)
}

func (s session) parameters(cells ...host.ParameterCells) []host.FoundParameter {
	s.t.Helper()
	_, found, err := s.Session.(host.ParameterReader).ReadParameters(s.t.Context(), nil, cells)
	if err != nil {
		s.t.Fatalf("ReadParameters: %v (%v)", err, errors.Unwrap(err))
	}
	return found
}

// readWith reads a block together with cells of parameters.
func (s session) readWith(block host.Block, want checksum.Extent, cells ...host.ParameterCells) (host.View, []host.FoundParameter) {
	s.t.Helper()
	found, parameters, err := s.Session.(host.ParameterReader).ReadParameters(s.t.Context(), []host.Wanted{{Block: block, Extent: want}}, cells)
	if err == nil {
		err = found[0].Err
	}
	if err != nil {
		s.t.Fatalf("ReadParameters: %v (%v)", err, errors.Unwrap(err))
	}
	return found[0].View, parameters
}

// values are what cells hold.
func values(f host.FoundParameter) (list []checksum.Cell) {
	for _, c := range f.Cells {
		list = append(list, c.Value)
	}
	return list
}

// wantParameter checks where cells were found, and that they are read as the document has them there.
func wantParameter(t *testing.T, b Spreadsheet, f host.FoundParameter, at string, marked bool) {
	t.Helper()
	if f.Err != nil {
		t.Errorf("%s: %s", at, Detail(f.Err))
		return
	}
	if f.At.String() != at || f.Marked != marked {
		t.Errorf("found at %s, marked %t; want %s, %t", f.At, f.Marked, at, marked)
		return
	}
	var want []checksum.Cell
	for i := range f.At.Rows * f.At.Columns {
		cell := placements.Anchor{Row: f.At.Anchor.Row + i/f.At.Columns, Column: f.At.Anchor.Column + i%f.At.Columns}
		c, _ := b.Editor.Get(t, f.At.Sheet, cell.String())
		want = append(want, c)
	}
	if diff := cmp.Diff(want, values(f)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", at, diff)
	}
}

// ParameterPlaces are the cell, the column and the row of the sheet Other that FillParameters fills.
var ParameterPlaces = [...]string{"F10", "F20:F23", "H10:J10"}

// FillParameters fills cells of the other sheet from which parameters take values.
func FillParameters(t *testing.T, b Spreadsheet) {
	t.Helper()
	for cell, text := range map[string]string{
		"F10": "cell", "F20": "a", "F21": "b", "F22": "c", "F23": "d", "H10": "x", "I10": "y", "J10": "z", "E5": "beside",
	} {
		b.Editor.Set(t, b.Other, cell, checksum.Str(text))
	}
}

// setup is FillParameters, and returns the parameters that take their values there.
func setup(t *testing.T, b Spreadsheet) []host.ParameterCells {
	t.Helper()
	FillParameters(t, b)
	return []host.ParameterCells{b.parameter(1, ParameterPlaces[0]), b.parameter(2, ParameterPlaces[1]), b.parameter(31, ParameterPlaces[2])}
}

// name writes the suite's block, and has the document name cells.
func name(t *testing.T, b Spreadsheet, g *checksum.Grid, cells ...host.ParameterCells) {
	t.Helper()
	s := open(t, b)
	defer s.Close()
	v, _ := s.readWith(b.block(), g.Extent(), cells...)
	p := patchAll(b.block(), v, g)
	p.Parameters = cells
	s.write(p)
}

func readsUnnamed(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	state := b.State(t)
	for i := range cells {
		cells[i].ID = ""
	}
	cells = append(cells, cells[0], unnamed(b.parameter(4, "C3"))) // as another parameter has it, and a blank one
	found := readParameters(t, b, cells...)
	for i, at := range []string{"F10", "F20:F23", "H10:J10", "F10", "C3"} {
		wantParameter(t, b, found[i], b.Other+"!"+at, false)
	}
	if found[0].Calls != 1 {
		t.Errorf("%d calls, want 1", found[0].Calls)
	}
	for i := range cells {
		cells[i].ID = host.ParameterID("none", i) // a name that is missing
	}
	found = readParameters(t, b, cells...)
	for i, at := range []string{"F10", "F20:F23", "H10:J10", "F10", "C3"} {
		wantParameter(t, b, found[i], b.Other+"!"+at, false)
	}
	if len(readParameters(t, b)) != 0 || b.State(t) != state {
		t.Error("the document changed, or something was found where nothing was wanted")
	}
}

// readsTyped reads cells of every kind, by their addresses and by their names.
func readsTyped(t *testing.T, b Spreadsheet) {
	for cell, c := range map[string]checksum.Cell{
		"B1": checksum.Str("Q3"), "B2": checksum.Num(0.1), "B3": checksum.Bool(true), "B4": checksum.Num(46023), "B5": checksum.Num(46023.5),
		"B10": checksum.Str("merged"), "B12": checksum.Str("'=1+1"), "B13": checksum.Num(46023),
	} {
		b.Editor.Set(t, b.Other, cell, c)
	}
	b.Editor.SetFormula(t, b.Other, "B6", "1+1", checksum.Num(2))
	b.Editor.SetFormula(t, b.Other, "B7", "1/0", checksum.Err("#DIV/0!"))
	b.Editor.Set(t, b.Other, "B9", checksum.Str("ab"))
	b.Editor.SetNumberFormat(t, b.Other, "B4", "yyyy-mm-dd")
	b.Editor.SetNumberFormat(t, b.Other, "B5", "hh:mm")
	b.Editor.SetNumberFormat(t, b.Other, "B13", "0.00")
	b.Editor.Merge(t, b.Other, "B10:C11")
	one := func(c checksum.Cell) host.TypedCell { return host.TypedCell{Value: c} }
	list := []host.TypedCell{
		one(checksum.Str("Q3")), one(checksum.Num(0.1)), one(checksum.Bool(true)),
		{Value: checksum.Num(46023), Date: true},
		{Value: checksum.Num(46023.5), Date: true},
		one(checksum.Num(2)), one(checksum.Err("#DIV/0!")), one(checksum.Cell{}), one(checksum.Str("ab")),
		one(checksum.Str("merged")),
		{Covered: b.SeesMerges},
		one(checksum.Str("'=1+1")), one(checksum.Num(46023)),
	}
	row := []host.TypedCell{one(checksum.Str("merged")), {Covered: b.SeesMerges}, {}}
	cells := []host.ParameterCells{b.parameter(1, "B1:B13"), b.parameter(2, "B10:D10"), b.parameter(3, "B10"), b.parameter(4, "B4")}
	name(t, b, names(2), cells...)
	for _, named := range []bool{true, false} {
		for i := range cells {
			if !named {
				cells[i] = unnamed(cells[i])
			}
		}
		found := readParameters(t, b, cells...)
		for i, want := range [][]host.TypedCell{list, row, {one(checksum.Str("merged"))}, {list[3]}} {
			if diff := cmp.Diff(want, found[i].Cells); diff != "" || found[i].Err != nil || found[i].Marked != named || found[i].Date1904 {
				t.Errorf("%s, marked %t (%v, %v) (-want +got):\n%s", cells[i].At, found[i].Marked, found[i].Date1904, found[i].Err, diff)
			}
		}
	}
	if b.Count1904 == nil {
		return
	}
	b.Count1904(t)
	for i, f := range readParameters(t, b, cells...) {
		if !f.Date1904 || f.Err != nil {
			t.Errorf("%s counts dates from 1904: %t, %v", cells[i].At, f.Date1904, f.Err)
		}
	}
}

// wantCause checks why cells are not read.
func wantCause(t *testing.T, f host.FoundParameter, cause error) {
	t.Helper()
	wantClass(t, f.Err, placements.Conflict)
	if !errors.Is(f.Err, cause) || len(f.Cells) > 0 {
		t.Errorf("%s: %d cells, %s; want the cause %v", f.At, len(f.Cells), Detail(f.Err), cause)
	}
}

func refusesParameters(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	name(t, b, names(2), cells...)
	block := b.parameter(5, "F20:G21") // no column or row
	large := b.parameter(6, fmt.Sprintf("A1:A%d", host.MaxParameterCells+1))
	several := b.parameter(7, "F20:F21")
	several.List = false
	found := readParameters(t, b, unnamed(b.parameter(4, "Nowhere!B2")), cells[0], unnamed(block), cells[1], unnamed(large), unnamed(several), cells[2])
	wantCause(t, found[0], host.ErrParameterSheet)
	wantCause(t, found[2], host.ErrParameterShape)
	wantCause(t, found[4], host.ErrParameterLarge)
	wantCause(t, found[5], host.ErrParameterShape)
	for i, at := range []string{1: "F10", 3: "F20:F23", 6: "H10:J10"} {
		if at != "" {
			wantParameter(t, b, found[i], b.Other+"!"+at, true)
		}
	}
}

func losesParameters(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	name(t, b, names(2), cells...)
	b.Editor.DeleteRows(t, b.Other, 10, 1)
	found := readParameters(t, b, cells...)
	if b.ForgetsNames {
		wantParameter(t, b, found[0], b.Other+"!F10", false)
	} else {
		wantCause(t, found[0], host.ErrParameterDeleted)
		wantCause(t, found[2], host.ErrParameterDeleted)
	}
	wantParameter(t, b, found[1], b.Other+"!F19:F22", true)
	b.Editor.DeleteSheet(t, b.Other)
	cause := host.ErrParameterDeleted
	if b.ForgetsNames {
		cause = host.ErrParameterSheet
	}
	for _, f := range readParameters(t, b, cells...) {
		wantCause(t, f, cause)
	}
}

// losesShape reads cells whose names are those of rectangles by now.
func losesShape(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	for i, p := range cells {
		place(t, b, b.blockAt(p.ID, b.Other, 40+5*i, 3), names(2))
	}
	for _, f := range readParameters(t, b, cells...) {
		wantCause(t, f, host.ErrParameterShape)
	}
}

func namesParameters(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	g := names(3)
	block := place(t, b, b.block(), g)
	state := b.State(t)
	s := open(t, b)
	v, _ := s.readWith(block, checksum.Extent{}, cells...)
	p := hostPatch(block, v, g)
	p.Parameters = cells
	if w := s.write(p); w.Calls != 0 || b.State(t) != state {
		t.Errorf("%d calls for names alone, and the document is %s; it was %s", w.Calls, b.State(t), state)
	}
	other := b.blockAt("other", b.Sheet, 20, 2)
	q := patchAll(other, s.read(other, names(1).Extent()), names(1))
	for _, same := range cells[:2] { // of another placement, which takes its values from the same cells
		same.ID = host.ParameterID("other", len(q.Parameters))
		q.Parameters = append(q.Parameters, same)
	}
	p = patchAll(block, v, names(4))
	p.Parameters = cells
	if w := s.writeAll(p, q); w[0].Calls != 1 {
		t.Errorf("%d calls to write two blocks with names, want 1", w[0].Calls)
	}
	found := readParameters(t, b, append(cells, q.Parameters...)...)
	for i, at := range []string{"F10", "F20:F23", "H10:J10", "F10", "F20:F23"} {
		wantParameter(t, b, found[i], b.Other+"!"+at, true)
	}
	if found[0].Calls != 1 {
		t.Errorf("%d calls, want 1", found[0].Calls)
	}
	holds(t, read(t, b, block, checksum.Extent{}), names(4))
}

func renamesParameters(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	name(t, b, names(2), cells...)
	to := b.parameter(1, "E5")
	name(t, b, names(3), to)
	b.Editor.InsertRows(t, b.Other, 1, 2)
	found := readParameters(t, b, append(cells, b.parameter(1, b.Other+"!A1"))...)
	for i, at := range []string{"E7", "F22:F25", "H12:J12", "E7"} {
		wantParameter(t, b, found[i], b.Other+"!"+at, true)
	}
}

// shiftsParameters lets a block gain and lose rows above cells of its sheet that are named by the same write, and by one before.
func shiftsParameters(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	place(t, b, b.block(), names(3)) // C4:D7
	for cell, text := range map[string]string{"C12": "below", "D14": "p", "D15": "q", "H5": "beside"} {
		b.Editor.Set(t, b.Sheet, cell, checksum.Str(text))
	}
	cells := []host.ParameterCells{b.parameter(1, b.Sheet+"!C12"), b.parameter(2, b.Sheet+"!D14:D15"), b.parameter(3, b.Sheet+"!H5")}
	for i, want := range [][]string{{"C15", "D17:D18", "H5"}, {"C13", "D15:D16", "H5"}} {
		s := open(t, b)
		v, _ := s.readWith(b.block(), checksum.Extent{}, cells...)
		p := hostPatch(b.block(), v, names(6), checksum.Span{From: 4, To: 7})
		p.Shifts = []checksum.Shift{{At: 4, Rows: 3}}
		if i == 1 {
			p = hostPatch(b.block(), v, names(4))
			p.Shifts = []checksum.Shift{{At: 5, Rows: -2}}
		}
		p.Parameters = cells
		s.write(p)
		found := readParameters(t, b, cells...)
		for i, at := range want {
			wantParameter(t, b, found[i], b.Sheet+"!"+at, true)
			cells[i].At = found[i].At
		}
	}
}

// namesMoved writes two blocks one by one, the second of which names cells that the first has moved since they were read.
func namesMoved(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt("other", b.Sheet, 3, 8)}, names(3))
	b.Editor.Set(t, b.Sheet, "C12", checksum.Str("below"))
	cells := b.parameter(1, b.Sheet+"!C12")
	s := open(t, b)
	views, found, err := s.Session.(host.ParameterReader).ReadParameters(t.Context(), wants(blocks), []host.ParameterCells{unnamed(cells)})
	if err != nil || found[0].Err != nil {
		t.Fatal(Detail(errors.Join(err, found[0].Err)))
	}
	grows := hostPatch(blocks[0], views[0].View, names(5), checksum.Span{From: 4, To: 6})
	grows.Shifts = []checksum.Shift{{At: 4, Rows: 2}}
	s.write(grows)
	other := patchAll(blocks[1], views[1].View, names(4))
	other.Parameters = []host.ParameterCells{cells}
	s.write(other)
	wantParameter(t, b, readParameters(t, b, cells)[0], b.Sheet+"!C14", true)
}

// tearsNoList lets a block shift whose columns have only some cells of a list.
func tearsNoList(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	block := place(t, b, b.block(), names(3)) // C4:D7
	for _, cell := range []string{"B12", "C12", "D12"} {
		b.Editor.Set(t, b.Sheet, cell, checksum.Str(cell))
	}
	list := b.parameter(1, b.Sheet+"!B12:D12")
	name(t, b, names(3), list)
	s := open(t, b)
	p := hostPatch(block, s.read(block, checksum.Extent{}), names(4), checksum.Span{From: 4, To: 5})
	p.Shifts = []checksum.Shift{{At: 4, Rows: 1}}
	s.write(p)
	wantParameter(t, b, readParameters(t, b, list)[0], b.Sheet+"!B12:D12", true) // as a spreadsheet program leaves a name
}

// readsTogether reads a block and cells that have changed since they were read alone.
func readsTogether(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	name(t, b, names(3), cells...)
	b.Editor.Set(t, b.Other, "F10", checksum.Str("another"))
	s := open(t, b)
	v, found := s.readWith(b.block(), names(3).Extent(), cells...)
	holds(t, v, names(3))
	if !v.Marked || v.Calls != 1 || found[0].Calls != 0 {
		t.Errorf("marked %t, %d and %d calls; want one for both", v.Marked, v.Calls, found[0].Calls)
	}
	for i, at := range []string{"F10", "F20:F23", "H10:J10"} {
		wantParameter(t, b, found[i], b.Other+"!"+at, true)
	}
	if got := values(found[0]); len(got) != 1 || got[0] != checksum.Str("another") {
		t.Errorf("the cell holds %v", got)
	}
	s.write(patchAll(b.block(), v, names(4)))
	holds(t, read(t, b, b.block(), checksum.Extent{}), names(4))
}
