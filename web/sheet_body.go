package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/web/bind"
)

// planInput is the body of a plan: what stands in the sheet from the block's anchor on.
type planInput struct {
	stepInput
	anchor       string
	at           placements.Location // that anchor names
	marked       checksum.Extent
	extent       checksum.Extent
	cells        checksum.Builder
	hasCells     bool
	fingerprints []uint64
	rows         []sentRows
	formulas     []host.Formula
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
	maxSheetRows    = placements.MaxRow + 1
	maxSheetColumns = placements.MaxColumn + 1
)

func (b *planInput) members(o *bind.Object) {
	b.stepInput.members(o)
	o.Required("anchor", "extent")
	bind.Text(o, "anchor", &b.anchor, maxText)
	o.Object("marked", extentMembers(&b.marked))
	o.Object("extent", extentMembers(&b.extent))
	o.Table("cells", maxSheetRows, maxSheetColumns, &b.cells, &b.hasCells)
	bind.Parsed(o, "fingerprints", &b.fingerprints, maxSheetRows, "a fingerprint of 16 hex digits", parseFingerprint)
	bind.Objects(o, "rows", &b.rows, maxSheetRows, func(o *bind.Object, r *sentRows) {
		o.Required("from", "cells")
		bind.Whole(o, "from", &r.from, 0)
		o.Table("cells", maxSheetRows, maxSheetColumns, &r.cells, &r.sent)
	})
	bind.Objects(o, "formulas", &b.formulas, 0, func(o *bind.Object, f *host.Formula) {
		o.Required("row", "column")
		bind.Whole(o, "row", &f.Row, 0)
		bind.Whole(o, "column", &f.Column, 0)
		bind.Text(o, "text", &f.Text, bind.AnyLength, isFormula)
		o.Flag("fixed", &f.Fixed)
	})
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

func (b *planInput) rules(_ *Server, _ *gin.Context, f *bind.Faults) error {
	var err error
	if b.at, err = placements.ParseLocation(b.anchor); err != nil || b.at.Sheet == "" {
		f.Join(placements.Detail{
			Pointer: "/anchor", Code: placements.CodeAddress, Message: "must name the sheet and the first cell of the block, such as Data!B2",
		})
	}
	for i := range b.rows {
		b.rows[i].grid = b.rows[i].cells.Grid()
	}
	slices.SortFunc(b.formulas, func(a, b host.Formula) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	for _, fault := range b.faults() {
		f.Join(fault)
	}
	return nil
}

// faults are what is wrong with the parts of the sheet together.
func (b *planInput) faults() (list []placements.Detail) {
	add := func(pointer, format string, args ...any) {
		list = append(list, placements.Detail{Pointer: pointer, Code: placements.CodeInvalid, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case b.hasCells == (b.fingerprints != nil):
		add("/cells", "or fingerprints must be sent, and not both")
	case b.hasCells && b.rows != nil:
		add("/rows", "belong to fingerprints: leave them out beside cells")
	}
	if b.at.Anchor.Row+b.extent.Rows > maxSheetRows || b.at.Anchor.Column+b.extent.Columns > maxSheetColumns {
		add("/extent", "reaches beyond the last cell of a sheet, XFD1048576")
	}
	if max(b.cells.Rows(), len(b.fingerprints)) > b.extent.Rows {
		add("/extent/rows", "must be at least the number of rows sent")
	}
	end := 0
	for i, r := range b.rows {
		at := fmt.Sprintf("/rows/%d", i)
		if r.from < end {
			add(at+"/from", "must be behind the rows before")
		}
		if end = r.from + r.grid.Rows(); end > len(b.fingerprints) {
			add(at, "must be among the rows that have fingerprints")
		}
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

// sheet is what was sent.
func (b *planInput) sheet() refresh.Sheet {
	s := refresh.Sheet{
		Name: b.at.Sheet, Anchor: b.at.Anchor, Marked: b.marked, Extent: b.extent, Fingerprints: b.fingerprints, Formulas: b.formulas,
	}
	if b.hasCells {
		s.Cells = b.cells.Grid()
	}
	for _, r := range b.rows {
		s.Rows = append(s.Rows, refresh.SheetRows{From: r.from, Cells: r.grid})
	}
	return s
}
