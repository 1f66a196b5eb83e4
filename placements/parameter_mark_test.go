package placements

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNamesOfCells: a number is given once for each parameter, and a name that was given for other cells does not count.
func TestNamesOfCells(t *testing.T) {
	of := []Parameter{{Name: "a", Type: ParameterText, FromCells: true}, {Name: "b", Type: ParameterText, FromCells: true}}
	stamp := Stamp{MayEdit: true, By: RunAs{UID: 1}, NewID: "p", Parameters: of}
	var p Placement
	connect := func(document string, declared bool, said ParameterSettings) {
		t.Helper()
		var existing []Placement
		if p.ID != "" {
			existing = []Placement{p}
		}
		ch, err := Connect(existing, Connection{
			ExternalWorkbookID: document, ResultLocation: "Data!A5", PlacementID: p.ID, AddressOnly: true, Declared: declared, Parameters: Sent(said),
		}, stamp)
		if err != nil {
			t.Fatal(err)
		}
		p = ch.Placement
	}
	want := func(fact, cell string, marks map[string]ParameterMark) {
		t.Helper()
		if diff := cmp.Diff(marks, p.Marks); diff != "" || p.Parameters["a"].Cell != cell {
			t.Errorf("%s: the cell is %q, want %q, marks (-want +got):\n%s", fact, p.Parameters["a"].Cell, cell, diff)
		}
	}
	connect("book", false, ParameterSettings{"a": {Cell: "Setup!$b$2"}})
	want("at first", "Setup!B2", map[string]ParameterMark{"a": {Number: 1, Said: "Setup!B2"}})
	p.Follow("a", Location{Sheet: "Setup", Anchor: Anchor{Row: 4, Column: 1}, Rows: 1, Columns: 1}, NameStood)
	want("followed", "Setup!B5", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameStood}})
	connect("book", true, ParameterSettings{"a": {Cell: "Setup!B2"}})
	want("a file that says what it said", "Setup!B5", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameStood}})
	connect("book", true, ParameterSettings{"a": {Cell: "Setup!B5"}})
	want("a file that says where it stands", "Setup!B5", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameStood}})
	p.Follow("a", Location{Sheet: "Setup", Anchor: Anchor{Row: 7, Column: 1}, Rows: 1, Columns: 1}, NameStood)
	connect("book", true, ParameterSettings{"a": {Cell: "Setup!B5"}})
	want("a file that says where it stood between", "Setup!B8", map[string]ParameterMark{"a": {1, "Setup!B2", []string{"Setup!B5"}, NameStood}})
	for row := range 2 * maxWas {
		p.Follow("a", Location{Sheet: "Setup", Anchor: Anchor{Row: 20 + row, Column: 1}, Rows: 1, Columns: 1}, NameStood)
	}
	if was := p.Marks["a"].Was; len(was) != maxWas || was[maxWas-1] != "Setup!B51" {
		t.Errorf("the places where it stood are %q", was)
	}
	connect("book", false, ParameterSettings{"a": {Cell: "Setup!B2"}, "b": {Cell: "Setup!B3"}})
	want("a person who names another", "Setup!B2", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameNone}, "b": {2, "Setup!B3", nil, NameNone}})
	p.Follow("a", Location{Sheet: "Setup", Anchor: Anchor{Row: 1, Column: 1}, Rows: 1, Columns: 1}, NameStood)
	connect("book", false, ParameterSettings{"b": {Cell: "Setup!B3"}})
	want("none", "", map[string]ParameterMark{"a": {1, "", nil, NameNone}, "b": {2, "Setup!B3", nil, NameNone}})
	connect("book", false, ParameterSettings{"a": {Cell: "Setup!B2"}})
	want("again", "Setup!B2", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameNone}, "b": {2, "", nil, NameNone}})
	p.Follow("a", Location{Sheet: "Setup", Anchor: Anchor{Row: 1, Column: 1}, Rows: 1, Columns: 1}, NameStood)
	connect("another", false, ParameterSettings{"a": {Cell: "Setup!B2"}})
	want("in another document", "Setup!B2", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameNone}, "b": {2, "", nil, NameNone}})
	p.Follow("a", Location{Sheet: "Setup", Anchor: Anchor{Row: 4, Column: 1}, Rows: 1, Columns: 1}, NameStood)
	p.Lose("a")
	want("deleted", "Setup!B5", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameLost}, "b": {2, "", nil, NameNone}})
	connect("another", true, ParameterSettings{"a": {Cell: "Setup!B2"}})
	want("a file that says what it said of a deleted one", "Setup!B5", map[string]ParameterMark{"a": {1, "Setup!B2", nil, NameLost}, "b": {2, "", nil, NameNone}})
	found := p
	found.Follow("a", Location{Sheet: "Setup", Anchor: Anchor{Row: 7, Column: 1}, Rows: 1, Columns: 1}, NameStood)
	if found.Marks["a"].Named != NameStood || p.Marks["a"].Named != NameLost {
		t.Errorf("one that is back is %+v, before it was %+v", found.Marks, p.Marks)
	}
	connect("another", false, ParameterSettings{"a": {Cell: "Setup!B5"}})
	want("a person who says the address of a deleted one", "Setup!B5", map[string]ParameterMark{"a": {1, "Setup!B5", nil, NameNone}, "b": {2, "", nil, NameNone}})
	p.Lose("a")
	want("one without a name", "Setup!B5", map[string]ParameterMark{"a": {1, "Setup!B5", nil, NameNone}, "b": {2, "", nil, NameNone}})
	if _, err := Connect(nil, Connection{ExternalWorkbookID: "book", ResultLocation: "Data!A5:C9", Parameters: Sent(ParameterSettings{"a": {Cell: "data!B7"}})}, stamp); CodeOf(err) != CodeParameterCell {
		t.Errorf("a cell inside the block: %v", err)
	}
}
