package xlsx

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

var _ host.Referrer = (*Folder)(nil)

// maxTraced is how many formulas of a document are looked at.
const maxTraced = 1_000_000

// References is host.Referrer's. It reads the file as it was last saved, each sheet in one pass, until every column has enough.
func (x *Folder) References(ctx context.Context, b host.Block, extent checksum.Extent, columns []int) ([][]placements.Location, error) {
	folder, err := openFolder(x.dir)
	if err != nil {
		return nil, fileFault(b.Document, err)
	}
	defer folder.close()
	name, seen, err := folder.locate(b.Document)
	if err != nil {
		return nil, err
	}
	p, err := folder.openXLSX(b.Document, name, seen)
	if err != nil {
		return nil, err
	}
	defer p.close()
	t, err := p.newTrace(b, extent, columns)
	if err != nil {
		return nil, err
	}
	for _, s := range t.wb.sheets {
		if s.part == "" || t.done() {
			continue
		}
		for f, err := range p.formulas(ctx, s) {
			if err != nil {
				return nil, err
			}
			if t.look(f.text, s, f.at); t.done() {
				break
			}
		}
	}
	return t.found, nil
}

// trace looks for formulas that refer to columns of a block.
type trace struct {
	wb      *workbook
	sheet   sheet             // of the block
	columns []placements.Rect // each with all rows of the block
	names   map[string][]int  // columns that a defined name refers to, by nameKey; none for a name that refers to none
	tables  []table           // on the sheet of the block
	found   [][]placements.Location
	left    int // formulas that may still be looked at
}

func (p *archive) newTrace(b host.Block, extent checksum.Extent, columns []int) (*trace, error) {
	wb, err := p.workbook()
	if err != nil {
		return nil, err
	}
	at, err := wb.locate(b)
	if err != nil {
		return nil, err
	}
	if at.marked {
		extent = at.extent
	}
	t := &trace{wb: wb, sheet: at.sheet, found: make([][]placements.Location, len(columns)), left: maxTraced}
	for _, c := range columns {
		column := placements.Anchor{Row: at.anchor.Row, Column: at.anchor.Column + c}
		t.columns = append(t.columns, covering(column, checksum.Extent{Rows: max(extent.Rows, 1), Columns: 1}, checksum.Extent{}))
	}
	if t.tables, err = p.tables(at.sheet); err != nil {
		return nil, err
	}
	names := map[string][]int{} // a name of a name refers to none
	for _, n := range slices.Concat(wb.names, wb.local) {
		names[nameKey(n.sheet, n.name)] = t.refers(n.ref, t.sheet, placements.Anchor{})
	}
	t.names = names
	return t, nil
}

// nameKey is a key for a name of a sheet, by its number, or of the workbook. Case makes no difference.
func nameKey(sheet, name string) string { return sheet + "!" + strings.ToLower(name) }

// done reports whether nothing more is to be looked for.
func (t *trace) done() bool {
	enough := func(list []placements.Location) bool { return len(list) >= host.MaxReferences }
	return t.left <= 0 || !slices.ContainsFunc(t.found, func(list []placements.Location) bool { return !enough(list) })
}

// look notes the formula of a cell under the columns that it refers to.
func (t *trace) look(text string, in sheet, at placements.Anchor) {
	t.left--
	for _, i := range t.refers(text, in, at) {
		if len(t.found[i]) < host.MaxReferences {
			t.found[i] = append(t.found[i], placements.Location{Sheet: in.name, Anchor: at, Rows: 1, Columns: 1})
		}
	}
}

// refers returns which of the columns the formula of a cell refers to.
func (t *trace) refers(text string, in sheet, at placements.Anchor) (list []int) {
	for _, r := range formula.References(text) {
		list = append(list, t.reached(r, in, at)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// reached returns the columns that a reference, as it stands in a cell, names.
func (t *trace) reached(r formula.Reference, in sheet, at placements.Anchor) []int {
	if r.Name == "" && r.Table == "" {
		if !t.spans(r.Sheet, in) {
			return nil
		}
		return t.within(r.Area)
	}
	for _, key := range []string{nameKey(t.number(r.Sheet, in), r.Name), nameKey("", r.Name)} {
		if columns, ok := t.names[key]; ok && r.Table == "" {
			return columns
		}
	}
	cell := placements.Rect{Top: at.Row, Bottom: at.Row, Left: at.Column, Right: at.Column}
	for _, table := range t.tables {
		own := r.Name == "" && in == t.sheet && table.area.Intersects(cell)
		if !own && !strings.EqualFold(table.name, r.Name) {
			continue
		}
		if area, ok := table.part(r.Table); ok {
			return t.within(area)
		}
	}
	return nil
}

// within returns the columns that have a cell in an area of the block's sheet.
func (t *trace) within(area placements.Rect) (list []int) {
	for i, column := range t.columns {
		if column.Intersects(area) {
			list = append(list, i)
		}
	}
	return list
}

// spans reports whether what a formula writes before the ! is the block's sheet, or sheets among which it is.
func (t *trace) spans(written string, in sheet) bool {
	first, last, several := strings.Cut(written, ":")
	switch {
	case written == "":
		return in == t.sheet
	case !several:
		return strings.EqualFold(written, t.sheet.name)
	}
	from, to, at := t.index(first), t.index(last), t.index(t.sheet.name)
	return from >= 0 && to >= 0 && min(from, to) <= at && at <= max(from, to)
}

// index returns the number of a sheet, -1 for none.
func (t *trace) index(name string) int {
	return slices.IndexFunc(t.wb.sheets, func(s sheet) bool { return strings.EqualFold(s.name, name) })
}

// number is the index of the sheet that a name was written with, or of the one that it stands in, as a defined name has it.
func (t *trace) number(written string, in sheet) string {
	if written == "" {
		written = in.name
	}
	return strconv.Itoa(t.index(written))
}
