package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/web/bind"
)

// Content is what an add-in says of a sheet: what stands there from the block's anchor on.
type Content struct {
	anchor       string
	at           placements.Location // that anchor names
	marked       checksum.Extent
	stamp        string
	extent       checksum.Extent
	table        int
	cells        checksum.Builder
	hasCells     bool
	grid         *checksum.Grid // of cells
	fingerprints []uint64
	rows         []sentRows
	formulas     []host.Formula
	status       *sentStatus
	filters      *sentStatus
	parameters   sentParameters
	around       []refresh.SheetFormulas
}

// sentStatus is what stands in a cell outside the block.
type sentStatus struct {
	cell   string
	at     placements.Location // that cell names
	marked bool
	text   string
}

// sentRows are rows of a sheet whose fingerprints do not tell their cells.
type sentRows struct {
	from  int
	cells checksum.Builder
	sent  bool
	grid  *checksum.Grid // of cells
}

// The size of the largest sheet.
const (
	maxRows    = placements.MaxRow + 1
	maxColumns = placements.MaxColumn + 1
)

// MaxAround is how many formulas around its block an add-in sends at most, of how many sheets.
const (
	MaxAround       = 100_000
	maxAroundSheets = 1024
)

// maxAnchor bounds the name of a sheet with a cell.
const maxAnchor = 1024

// Members names the members of the object that says it.
func (b *Content) Members(o *bind.Object) {
	o.Required("anchor", "extent")
	bind.Text(o, "anchor", &b.anchor, maxAnchor)
	o.Object("marked", extentMembers(&b.marked))
	bind.Text(o, "stamp", &b.stamp, host.MaxStamp)
	o.Object("extent", extentMembers(&b.extent))
	bind.Whole(o, "table", &b.table, 0)
	o.Table("cells", maxRows, maxColumns, &b.cells, &b.hasCells)
	bind.Parsed(o, "fingerprints", &b.fingerprints, maxRows, "a fingerprint of 16 hex digits", parseFingerprint)
	bind.Objects(o, "rows", &b.rows, maxRows, func(o *bind.Object, r *sentRows) {
		o.Required("from", "cells")
		bind.Whole(o, "from", &r.from, 0)
		o.Table("cells", maxRows, maxColumns, &r.cells, &r.sent)
	})
	bind.Objects(o, "formulas", &b.formulas, 0, func(o *bind.Object, f *host.Formula) {
		o.Required("row", "column")
		bind.Whole(o, "row", &f.Row, 0)
		bind.Whole(o, "column", &f.Column, 0)
		bind.Text(o, "text", &f.Text, bind.AnyLength, isFormula)
		o.Flag("fixed", &f.Fixed)
	})
	bind.Objects(o, "around", &b.around, maxAroundSheets, func(o *bind.Object, s *refresh.SheetFormulas) {
		o.Required("sheet", "formulas")
		bind.Text(o, "sheet", &s.Name, maxAnchor)
		bind.Objects(o, "formulas", &s.Formulas, MaxAround, aroundFormula)
	})
	bind.Pointer(o, "status", &b.status, statusMembers)
	bind.Pointer(o, "appliedFilters", &b.filters, statusMembers)
	b.parameters.members(o)
}

func statusMembers(o *bind.Object, s *sentStatus) {
	o.Required("cell")
	bind.Text(o, "cell", &s.cell, maxAnchor)
	o.Flag("marked", &s.marked)
	bind.Text(o, "text", &s.text, bind.AnyLength)
}

func aroundFormula(o *bind.Object, f *host.Formula) {
	o.Required("row", "column", "text")
	bind.Whole(o, "row", &f.Row, 0)
	bind.Whole(o, "column", &f.Column, 0)
	bind.Text(o, "text", &f.Text, bind.AnyLength, isFormula)
}

func extentMembers(e *checksum.Extent) func(*bind.Object) {
	return func(o *bind.Object) {
		o.Required("rows", "columns")
		bind.Whole(o, "rows", &e.Rows, 1)
		bind.Whole(o, "columns", &e.Columns, 1)
	}
}

// parseFingerprint reads a fingerprint as decisions.md §8 writes it.
func parseFingerprint(text string) (uint64, error) {
	if len(text) != 16 {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseUint(text, 16, 64)
}

// isFormula takes formulas with their =, and the empty text of a cell that the formula of another one fills.
func isFormula(text string) (code placements.Code, message string) {
	if text != "" && (len(text) < 2 || text[0] != '=') {
		return "", "must begin with =, or be empty for a cell that another one's formula fills"
	}
	return "", ""
}

// Check adds to f what is wrong with the values together.
func (b *Content) Check(f *bind.Faults) {
	b.at = located(f, "/anchor", b.anchor, "must name the sheet and the first cell of the block, such as Data!B2")
	if b.status != nil {
		b.status.at = located(f, "/status/cell", b.status.cell, oneCell)
	}
	if b.filters != nil {
		b.filters.at = located(f, "/appliedFilters/cell", b.filters.cell, oneCell)
	}
	b.parameters.check(f)
	b.grid = b.cells.Grid()
	for i := range b.rows {
		b.rows[i].grid = b.rows[i].cells.Grid()
	}
	slices.SortFunc(b.formulas, func(a, b host.Formula) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	for _, fault := range b.faults() {
		f.Join(fault)
	}
}

const oneCell = "must name the sheet and the cell, such as Data!B1"

const beyond = "reaches beyond the last cell of a sheet, XFD1048576"

// fits reports whether a rectangle from the anchor on lies within a sheet. Its size is what was sent: a sum may overflow.
func (b *Content) fits(e checksum.Extent) bool {
	return e.Rows <= maxRows-b.at.Anchor.Row && e.Columns <= maxColumns-b.at.Anchor.Column
}

// located parses a sheet with a cell, and adds to f when it is none.
func located(f *bind.Faults, pointer, text, message string) placements.Location {
	at, err := placements.ParseLocation(text)
	if err != nil || at.Sheet == "" {
		f.Join(placements.Detail{Pointer: pointer, Code: placements.CodeAddress, Message: message})
	}
	return at
}

// faults are what is wrong with the parts of the sheet together.
func (b *Content) faults() (list []placements.Detail) {
	add := func(pointer, format string, args ...any) {
		list = append(list, placements.Detail{Pointer: pointer, Code: placements.CodeInvalid, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case b.hasCells == (b.fingerprints != nil):
		add("/cells", "or fingerprints must be sent, and not both")
	case b.hasCells && b.rows != nil:
		add("/rows", "belong to fingerprints: leave them out beside cells")
	}
	if !b.fits(b.extent) {
		add("/extent", beyond)
	}
	if !b.fits(b.marked) {
		add("/marked", beyond)
	}
	if !b.fits(checksum.Extent{Columns: b.table}) {
		add("/table", beyond)
	}
	if max(b.grid.Rows(), len(b.fingerprints)) > b.extent.Rows {
		add("/extent/rows", "must be at least the number of rows sent")
	}
	if b.hasCells && b.grid.Columns() > b.extent.Columns {
		add("/extent/columns", "must be at least the number of columns sent")
	}
	if n := b.aroundSize(); n > MaxAround {
		add("/around", "has %d formulas in all, and at most %d are taken: leave it out", n, MaxAround)
	}
	end := 0
	for i, r := range b.rows {
		at := fmt.Sprintf("/rows/%d", i)
		if r.from < end {
			add(at+"/from", "must be behind the rows before")
		}
		if r.from > len(b.fingerprints)-r.grid.Rows() {
			add(at, "must be among the rows that have fingerprints")
		}
		end = r.from + r.grid.Rows()
	}
	for i, one := range b.formulas {
		if one.Row >= b.extent.Rows || one.Column >= b.extent.Columns {
			add("/formulas", "must lie within extent: row %d, column %d does not", one.Row, one.Column)
		}
		if i > 0 && one.Position == b.formulas[i-1].Position {
			add("/formulas", "must name each cell once: row %d, column %d occurs twice", one.Row, one.Column)
		}
	}
	return list
}

// aroundSize is how many formulas were sent of what stands around the block.
func (b *Content) aroundSize() (n int) {
	for _, s := range b.around {
		n += len(s.Formulas)
	}
	return n
}

// sheet is what was said of the cell; nil for nothing.
func (s *sentStatus) sheet() *refresh.SheetStatus {
	if s == nil {
		return nil
	}
	return &refresh.SheetStatus{At: s.at, Marked: s.marked, Text: s.text}
}

// Sheet is what was said.
func (b *Content) Sheet() refresh.Sheet {
	s := refresh.Sheet{
		Name: b.at.Sheet, Anchor: b.at.Anchor, Marked: b.marked, Stamp: b.stamp, Extent: b.extent, Table: b.table, Fingerprints: b.fingerprints,
		Formulas: b.formulas, Around: b.around, Parameters: b.parameters.read(), Date1904: b.parameters.date1904,
	}
	if b.hasCells {
		s.Cells = b.grid
	}
	s.Status, s.Filters = b.status.sheet(), b.filters.sheet()
	for _, r := range b.rows {
		s.Rows = append(s.Rows, refresh.SheetRows{From: r.from, Cells: r.grid})
	}
	return s
}
