package xlsx

import (
	"bytes"
	"io"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// grownTable is a table as it follows its block.
type grownTable struct {
	*table
	sources []int // of each column, its number before or -1 for one that is new; nil where all stay as they are
}

// followed is the table, which is the patch's block, as it stands once the block is written. It has a row of data even where the block has
// none, as every table does. Rows that a person added to the table below the block stay in it.
func (w *writer) followed(t *table, p *sheetPatch) (grownTable, error) {
	after := *t
	last := p.Block.Anchor.Row + max(p.Extent.Rows, 2) - 1
	switch {
	case t.totals > 0:
		if last > t.bottom() {
			return grownTable{}, w.totalsInTheWay(t)
		}
	case p.before.Rows == 0 || p.table.bottom() > p.Block.Anchor.Row+p.before.Rows-1:
		after.area.Bottom = max(t.area.Bottom, last)
	default:
		after.area.Bottom = last
	}
	columns, sources, err := w.headings(t, p)
	if err != nil {
		return grownTable{}, err
	}
	after.columns = columns
	after.area.Right += len(columns) - len(t.columns)
	return grownTable{&after, sources}, nil
}

// resized is a table's part with the table, its filter and its sort order over other cells. The filter leaves out the totals, which
// LibreOffice counts in.
func (t *table) resized(doc []byte, to placements.Rect) ([]byte, error) {
	data := to
	data.Bottom -= t.totals
	s := xml.NewScanner(bytes.NewReader(doc))
	err := s.Root("table", nil)
	if err != nil {
		return nil, err
	}
	var edits []xml.Edit
	set := func(name, value string) {
		if e, ok := s.EditAttr(name, value); ok {
			edits = append(edits, e)
		}
	}
	set("ref", rangeName(to))
	set("insertRow", "0") // that it shows an empty row because it has none
	for ; err == nil; err = s.Next() {
		switch {
		case s.Opens("autoFilter"):
			set("ref", rangeName(data))
		case s.Opens("sortState"), s.Opens("sortCondition"):
			if sorted, ok := cursor.Area(s, "ref"); ok {
				sorted.Bottom = data.Bottom
				set("ref", rangeName(sorted))
			}
		}
	}
	if err != io.EOF {
		return nil, err
	}
	return xml.Apply(doc, edits), nil
}

// totalsRows are the rows of totals, of a table that has some.
func (t *table) totalsRows() placements.Rect {
	r := t.area
	r.Top = t.bottom() + 1
	return r
}
