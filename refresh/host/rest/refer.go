package rest

import (
	"context"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// Referring finds the formulas of a document that refer to columns of a block: by their cells, or by a name of these.
type Referring struct {
	sheet   string            // of the block
	sheets  []string          // all of the document in their order
	columns []placements.Rect // each with all rows of the block
	names   map[string][]int  // columns that a name stands for, in small letters
	found   [][]placements.Location
}

// NewReferring returns one that has found nothing in the columns of a block, which count from its first, with so many rows.
func NewReferring(sheet string, at placements.Anchor, rows int, columns []int, sheets []string) *Referring {
	r := &Referring{sheet: sheet, sheets: sheets, names: map[string][]int{}, found: make([][]placements.Location, len(columns))}
	for _, c := range columns {
		r.columns = append(r.columns, placements.Rect{
			Top: at.Row, Bottom: at.Row + max(rows, 1) - 1, Left: at.Column + c, Right: at.Column + c,
		})
	}
	return r
}

// Name says what a name stands for, in the words of a formula. A name of a name stands for none of the columns.
func (r *Referring) Name(name, refersTo string) {
	if columns := r.refers(refersTo, r.sheet, nil); len(columns) > 0 {
		r.names[strings.ToLower(name)] = columns
	}
}

// Add looks at the formulas of a sheet, whose positions count from an anchor.
func (r *Referring) Add(sheet string, anchor placements.Anchor, formulas []host.Formula) {
	for _, f := range formulas {
		for _, i := range r.refers(f.Text, sheet, r.names) {
			if len(r.found[i]) < host.MaxReferences {
				at := placements.Anchor{Row: anchor.Row + f.Row, Column: anchor.Column + f.Column}
				r.found[i] = append(r.found[i], placements.Location{Sheet: sheet, Anchor: at, Rows: 1, Columns: 1})
			}
		}
	}
}

// Found returns the cells, a list a column.
func (r *Referring) Found() [][]placements.Location { return r.found }

// refers returns which of the columns a formula on a sheet refers to.
func (r *Referring) refers(text, sheet string, names map[string][]int) (list []int) {
	for _, ref := range formula.References(strings.TrimPrefix(text, "=")) {
		switch {
		case ref.Table != "":
		case ref.Name != "":
			list = append(list, names[strings.ToLower(ref.Name)]...)
		case r.spans(ref.Sheet, sheet):
			for i, column := range r.columns {
				if column.Intersects(ref.Area) {
					list = append(list, i)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// spans reports whether what a formula on a sheet writes before the ! is the block's sheet, or sheets among which it is.
func (r *Referring) spans(written, sheet string) bool {
	first, last, several := strings.Cut(written, ":")
	switch {
	case written == "":
		return strings.EqualFold(sheet, r.sheet)
	case !several:
		return strings.EqualFold(written, r.sheet)
	}
	from, to, at := r.index(first), r.index(last), r.index(r.sheet)
	return from >= 0 && to >= 0 && min(from, to) <= at && at <= max(from, to)
}

func (r *Referring) index(name string) int {
	return slices.IndexFunc(r.sheets, func(s string) bool { return strings.EqualFold(s, name) })
}

// Locate returns where a block stands.
func Locate(ctx context.Context, s host.Session, b host.Block) (view host.View, err error) {
	found, err := s.Read(ctx, []host.Wanted{{Block: b, Extent: checksum.Extent{Rows: 1, Columns: 1}}})
	if err != nil {
		return view, err
	}
	return found[0].View, found[0].Err
}
