package xlsx_test

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/xlsx"
)

// TestAgainstAModel writes and clears several blocks at random, values and formulas, in a sheet that has cells of others, and
// compares every cell of it with a map.
func TestAgainstAModel(t *testing.T) {
	const size, most = 12, 3 // of a block's own part of the sheet, and how many blocks
	x, path := openModel(t)
	rapid.Check(t, func(t *rapid.T) {
		model := map[placements.Anchor]modelCell{}
		handmade(path.tb, path.dir, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + modelRows(t, model, size, most*size) + "</sheetData>")})
		for range rapid.IntRange(1, 3).Draw(t, "writes") {
			var patches []host.Patch
			for i := range rapid.IntRange(1, most).Draw(t, "blocks") {
				p := drawPatch(t, size)
				p.Block.PlacementID += string(rune('0' + i))
				p.Block.Anchor.Column += i * size
				patches = append(patches, p)
			}
			s, err := x.Open(path.tb.Context(), "book.xlsx")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Write(path.tb.Context(), patches); err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			s.Close()
			for _, p := range patches {
				applyToModel(model, p)
			}
		}
		v, err := hosttest.ReadBlock(x, host.Block{Document: "book.xlsx", PlacementID: "other", Sheet: "Sheet1"}, checksum.Extent{Rows: size, Columns: most * size})
		if err != nil {
			t.Fatal(err)
		}
		formulas := map[host.Position]string{}
		for _, f := range v.Formulas {
			formulas[f.Position] = f.Text
		}
		for row := range size {
			got := append(v.Cells.Cells(row, nil), make([]checksum.Cell, most*size)...)
			for column := range most * size {
				at := placements.Anchor{Row: row, Column: column}
				have := modelCell{got[column], formulas[host.Position{Row: row, Column: column}]}
				if have != model[at] {
					t.Fatalf("%s holds %+v, want %+v", at, have, model[at])
				}
			}
		}
	})
}

// modelCell is what a cell of the model shows, and its formula with the =.
type modelCell struct {
	checksum.Cell
	formula string
}

type modelFolder struct {
	tb  *testing.T
	dir string
}

func openModel(t *testing.T) (*xlsx.Folder, modelFolder) {
	t.Helper()
	dir := t.TempDir()
	x, err := xlsx.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x, modelFolder{t, dir}
}

// modelRows writes a sheet with gaps in it, some of its rows and cells without their places.
func modelRows(t *rapid.T, model map[placements.Anchor]modelCell, rows, columns int) (xml string) {
	for row, next := 0, 0; row < rows; row++ {
		if rapid.Bool().Draw(t, "no row") {
			continue
		}
		tag := "<row>"
		if row != next || rapid.Bool().Draw(t, "row placed") {
			tag = `<row r="` + placements.Anchor{Row: row}.String()[1:] + `">`
		}
		xml, next = xml+tag, row+1
		for column, next := 0, 0; column < columns; column++ {
			if rapid.Bool().Draw(t, "no cell") {
				continue
			}
			at := placements.Anchor{Row: row, Column: column}
			ref := ""
			if column != next || rapid.Bool().Draw(t, "cell placed") {
				ref = ` r="` + at.String() + `"`
			}
			next = column + 1
			if rapid.Bool().Draw(t, "formula") {
				xml += `<c` + ref + ` t="str"><f>"theirs"</f><v>theirs</v></c><!-- note -->`
				model[at] = modelCell{checksum.Str("theirs"), `="theirs"`}
				continue
			}
			xml += `<c` + ref + ` t="str"><v>theirs</v></c>`
			model[at] = modelCell{Cell: checksum.Str("theirs")}
		}
		xml += "</row>"
	}
	return xml
}

func drawPatch(t *rapid.T, size int) host.Patch {
	p := host.Patch{
		Block: host.Block{
			Document: "book.xlsx", PlacementID: "p", Sheet: "Sheet1",
			Anchor: placements.Anchor{Row: rapid.IntRange(0, size/2).Draw(t, "row"), Column: rapid.IntRange(0, size/2).Draw(t, "column")},
		},
		Extent: checksum.Extent{Rows: rapid.IntRange(1, size/2).Draw(t, "rows"), Columns: rapid.IntRange(1, size/2).Draw(t, "columns")},
	}
	var b checksum.Builder
	cell := rapid.SampledFrom([]checksum.Cell{{}, checksum.Num(1.5), checksum.Str("ours"), checksum.Bool(true), checksum.Err("#N/A")})
	for range p.Extent.Rows {
		b.Append(rapid.SliceOfN(cell, 0, p.Extent.Columns).Draw(t, "cells")...)
	}
	p.Grid = b.Grid()
	for row := 0; row < p.Extent.Rows; row++ {
		if !rapid.Bool().Draw(t, "written") {
			continue
		}
		p.Rows = append(p.Rows, checksum.Span{From: row, To: row + 1})
		for column := range p.Extent.Columns {
			if text := rapid.SampledFrom([]string{"value", "value", "", "=1&2"}).Draw(t, "formula"); text != "value" {
				p.Formulas = append(p.Formulas, host.Formula{Position: host.Position{Row: row, Column: column}, Text: text})
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "cleared") {
		r := checksum.CellRect{Row: rapid.IntRange(0, size/2).Draw(t, "from"), Column: rapid.IntRange(0, size/2).Draw(t, "left")}
		r.Rows, r.Columns = rapid.IntRange(0, size/2-r.Row).Draw(t, "high"), rapid.IntRange(0, size/2-r.Column).Draw(t, "wide")
		p.Clear = append(p.Clear, r)
	}
	return p
}

func applyToModel(model map[placements.Anchor]modelCell, p host.Patch) {
	a := p.Block.Anchor
	kept := map[placements.Anchor]modelCell{}
	formulas := map[host.Position]string{}
	for _, f := range p.Formulas {
		formulas[f.Position] = f.Text
		if at := (placements.Anchor{Row: a.Row + f.Row, Column: a.Column + f.Column}); f.Text == "" {
			kept[at] = model[at]
		}
	}
	defer func() { maps.Copy(model, kept) }()
	for _, r := range p.Clear {
		for row := range r.Rows {
			for column := range r.Columns {
				delete(model, placements.Anchor{Row: a.Row + r.Row + row, Column: a.Column + r.Column + column})
			}
		}
	}
	for _, s := range p.Rows {
		for row := s.From; row < s.To; row++ {
			cells := append(p.Grid.Cells(row, nil), make([]checksum.Cell, p.Extent.Columns)...)
			for column := range p.Extent.Columns {
				formula := formulas[host.Position{Row: row, Column: column}]
				model[placements.Anchor{Row: a.Row + row, Column: a.Column + column}] = modelCell{cells[column], formula}
			}
		}
	}
}
