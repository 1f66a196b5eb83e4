package hosttest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/host"
)

// tellsReferring finds the formulas of the document that refer to columns of a block, wherever it stands, and changes nothing.
func tellsReferring(t *testing.T, b Spreadsheet) {
	r, ok := b.Host.(host.Referrer)
	if !ok {
		t.Fatalf("%T is no Referrer", b.Host)
	}
	block := place(t, b, b.block(), names(4)) // C4:D8
	zero := checksum.Num(0)
	for cell, text := range map[string]string{
		"G1": "C5*2", "G2": "SUM($D$4:$D$8)", "G3": "SUM(C1:D4)", "G4": "C3+C9+E5", "G5": "SUM(D:D)", "D9": "COUNTA(D5:D8)", "G6": "G1+1",
	} {
		b.Editor.SetFormula(t, b.Sheet, cell, text, zero)
	}
	b.Editor.SetFormula(t, b.Other, "A1", b.Sheet+"!D5", zero)
	b.Editor.SetFormula(t, b.Other, "A2", "D5", zero)
	state := b.State(t)
	block.Anchor.Row += 40 // where it stood once: its marker counts
	found, err := r.References(t.Context(), block, checksum.Extent{Rows: 1, Columns: 1}, []int{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]bool
	for _, list := range found {
		cells := map[string]bool{}
		for _, at := range list {
			cells[strings.ReplaceAll(at.String(), "'", "")] = true
		}
		got = append(got, cells)
	}
	want := []map[string]bool{
		{b.Sheet + "!G2": true, b.Sheet + "!G3": true, b.Sheet + "!G5": true, b.Sheet + "!D9": true, b.Other + "!A1": true},
		{b.Sheet + "!G1": true, b.Sheet + "!G3": true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells that refer to D and C (-want +got):\n%s", diff)
	}
	if b.State(t) != state {
		t.Error("the document changed")
	}
	missing := block
	missing.Document, missing.PlacementID = "no-such-document", "none"
	if _, err := r.References(t.Context(), missing, checksum.Extent{}, []int{0}); err == nil {
		t.Error("a document that is not there has references")
	}
}
