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
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

var _ host.Referrer = (*Folder)(nil)

// maxTraced is how many formulas of a document are looked at.
const maxTraced = 1_000_000

// References is host.Referrer's. It reads the file as it was last saved, each sheet in one pass, until every column has enough.
func (x *Folder) References(ctx context.Context, b host.Block, extent checksum.Extent, columns []int) ([][]placements.Location, error) {
	folder, err := archive.OpenDir(x.dir)
	if err != nil {
		return nil, archive.FileFault(b.Document, err)
	}
	defer folder.Close()
	name, seen, err := folder.Locate(b.Document)
	if err != nil {
		return nil, err
	}
	p, err := folder.OpenArchive(b.Document, name, seen)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	t, err := newTrace(p, b, extent, columns)
	if err != nil {
		return nil, err
	}
	for _, s := range t.wb.Sheets {
		if s.Part == "" || t.done() {
			continue
		}
		for f, err := range sheet.New(p).Formulas(ctx, s) {
			if err != nil {
				return nil, err
			}
			if t.look(f.Text, s, f.At); t.done() {
				break
			}
		}
	}
	return t.found, nil
}

// trace looks for formulas that refer to columns of a block.
type trace struct {
	wb      *part.Workbook
	sheet   part.Sheet        // of the block
	columns []placements.Rect // each with all rows of the block
	names   map[string][]int  // columns that a defined name refers to, by nameKey; none for a name that refers to none
	tables  []part.Table      // on the sheet of the block
	found   [][]placements.Location
	left    int // formulas that may still be looked at
}

func newTrace(p *archive.Archive, b host.Block, extent checksum.Extent, columns []int) (*trace, error) {
	wb, err := part.ReadWorkbook(p)
	if err != nil {
		return nil, err
	}
	at, err := wb.Locate(b)
	if err != nil {
		return nil, err
	}
	if at.Marked {
		extent = at.Extent
	}
	t := &trace{wb: wb, sheet: at.Sheet, found: make([][]placements.Location, len(columns)), left: maxTraced}
	for _, c := range columns {
		column := placements.Anchor{Row: at.Anchor.Row, Column: at.Anchor.Column + c}
		t.columns = append(t.columns, covering(column, checksum.Extent{Rows: max(extent.Rows, 1), Columns: 1}, checksum.Extent{}))
	}
	if t.tables, err = part.Tables(p, at.Sheet); err != nil {
		return nil, err
	}
	names := map[string][]int{} // a name of a name refers to none
	for _, n := range slices.Concat(wb.Names, wb.Local) {
		names[nameKey(n.Sheet, n.Name)] = t.refers(n.Ref, t.sheet, placements.Anchor{})
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
func (t *trace) look(text string, in part.Sheet, at placements.Anchor) {
	t.left--
	for _, i := range t.refers(text, in, at) {
		if len(t.found[i]) < host.MaxReferences {
			t.found[i] = append(t.found[i], placements.Location{Sheet: in.Name, Anchor: at, Rows: 1, Columns: 1})
		}
	}
}

// refers returns which of the columns the formula of a cell refers to.
func (t *trace) refers(text string, in part.Sheet, at placements.Anchor) (list []int) {
	for _, r := range formula.References(text) {
		list = append(list, t.reached(r, in, at)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// reached returns the columns that a reference, as it stands in a cell, names.
func (t *trace) reached(r formula.Reference, in part.Sheet, at placements.Anchor) []int {
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
		own := r.Name == "" && in == t.sheet && table.Area.Intersects(cell)
		if !own && !strings.EqualFold(table.Name, r.Name) {
			continue
		}
		if area, ok := table.Cells(r.Table); ok {
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
func (t *trace) spans(written string, in part.Sheet) bool {
	first, last, several := strings.Cut(written, ":")
	switch {
	case written == "":
		return in == t.sheet
	case !several:
		return strings.EqualFold(written, t.sheet.Name)
	}
	from, to, at := t.index(first), t.index(last), t.index(t.sheet.Name)
	return from >= 0 && to >= 0 && min(from, to) <= at && at <= max(from, to)
}

// index returns the number of a sheet, -1 for none.
func (t *trace) index(name string) int {
	return slices.IndexFunc(t.wb.Sheets, func(s part.Sheet) bool { return strings.EqualFold(s.Name, name) })
}

// number is the index of the sheet that a name was written with, or of the one that it stands in, as a defined name has it.
func (t *trace) number(written string, in part.Sheet) string {
	if written == "" {
		written = in.Name
	}
	return strconv.Itoa(t.index(written))
}
