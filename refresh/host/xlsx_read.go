package host

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"mooring/checksum"
	"mooring/placements"
)

// xlsxReader turns a rectangle of a sheet part into a Grid.
type xlsxReader struct {
	*xmlScanner
	xlsxCursor
	rect     placements.Rect
	shared   func() (*xlsxStrings, error) // the shared strings, read when first needed
	grid     checksum.Builder
	gridRow  int // rows of the grid that are complete
	gridCell int // cells of the row after them
	formulas []Formula
	texts    xlsxShared
	arrays   []placements.Rect // areas filled by one formula
	value    []byte            // of the current cell
	formula  xlsxFormula       // of the current cell, if it has one
}

// readSheet reads the cells of rect, and the formulas in it.
func (p *xlsxPackage) readSheet(ctx context.Context, wb *xlsxWorkbook, sheet xlsxSheet, rect placements.Rect) (*checksum.Grid, []Formula, error) {
	part, err := p.stream(ctx, sheet.part, xlsxMaxSheet)
	if err != nil {
		return nil, nil, err
	}
	defer part.Close()
	var loaded *xlsxStrings
	r := &xlsxReader{
		xmlScanner: newXMLScanner(part), xlsxCursor: xlsxCursor{-1, -1}, rect: rect,
		shared: func() (*xlsxStrings, error) {
			if loaded == nil {
				loaded, err = p.sharedStrings(ctx, wb)
			}
			return loaded, err
		},
	}
	if err := r.read(); err != nil {
		return nil, nil, xlsxBroken(p.document, fmt.Errorf("%s: %w", sheet.part, err))
	}
	r.endRows(rect.Bottom + 1)
	if err := r.addArrays(); err != nil {
		return nil, nil, xlsxBroken(p.document, fmt.Errorf("%s: %w", sheet.part, err))
	}
	return r.grid.Grid(), r.formulas, nil
}

// read goes through the rows down to the rectangle's last.
func (r *xlsxReader) read() error {
	if err := r.root("worksheet", nil); err != nil {
		return err
	}
	for {
		if err := r.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch {
		case r.closes("sheetData"):
			return nil
		case r.opens("row"):
			if err := r.toRow(r.xmlScanner); err != nil {
				return err
			}
			if r.row > r.rect.Bottom {
				return nil
			}
			if r.row < r.rect.Top && r.kind == xmlStart {
				skipRow(r.xmlScanner)
			}
		case r.opens("c"):
			if err := r.cell(); err != nil {
				return err
			}
		}
	}
}

// cell reads the cell whose tag the scanner stands at.
func (r *xlsxReader) cell() error {
	if err := r.toCell(r.xmlScanner); err != nil {
		return err
	}
	if r.kind == xmlEmpty {
		return nil
	}
	t, _ := xmlAttr(r.attrs, "t")
	kind := string(t)
	formula, err := r.content()
	if err != nil {
		return err
	}
	at := placements.Anchor{Row: r.row, Column: r.column}
	if formula {
		r.texts.note(&r.formula, at)
	}
	if r.row < r.rect.Top || r.column < r.rect.Left || r.column > r.rect.Right {
		return nil
	}
	if formula {
		r.formulas = append(r.formulas, Formula{r.position(at), r.texts.text(&r.formula, at)})
	}
	if len(r.value) == 0 && kind != "e" {
		return nil
	}
	r.endRows(r.row)
	for ; r.gridCell < r.column-r.rect.Left; r.gridCell++ {
		r.grid.Empty()
	}
	r.gridCell++
	return r.add(kind)
}

// position is a cell as seen from the rectangle's first.
func (r *xlsxReader) position(a placements.Anchor) Position {
	return Position{Row: a.Row - r.rect.Top, Column: a.Column - r.rect.Left}
}

// endRows completes the grid's rows above row, a row of the sheet.
func (r *xlsxReader) endRows(row int) {
	for ; r.rect.Top+r.gridRow < row; r.gridRow++ {
		r.grid.EndRow()
		r.gridCell = 0
	}
}

// content reads to the end of a cell. It leaves the cell's value or inline text in r.value, and its formula in r.formula
// if it tells that there is one.
func (r *xlsxReader) content() (formula bool, err error) {
	r.value = r.value[:0]
	inValue, inFormula := false, false
	for depth := r.depth(); ; {
		if err := r.next(); err != nil {
			return false, err
		}
		switch {
		case r.depth() < depth:
			return formula, nil
		case r.opens("f"):
			formula = true
			r.formula.start(r.xmlScanner)
			r.noteArray()
			inFormula = r.kind == xmlStart
		case r.kind == xmlStart && r.is("is"):
			if r.value, err = readXLSXText(r.xmlScanner, r.value); err != nil {
				return false, err
			}
		case r.opens("v"):
			inValue = r.kind == xmlStart
		case r.kind == xmlEnd:
			inValue, inFormula = false, false
		case inFormula:
			r.formula.text = appendCharacters(r.formula.text, r.xmlScanner)
		case inValue:
			r.value = appendCharacters(r.value, r.xmlScanner)
		}
	}
}

// noteArray keeps the area of a formula that fills more than its own cell: an array, a spilled one or a data table.
func (r *xlsxReader) noteArray() {
	if r.formula.kind == "array" || r.formula.kind == "dataTable" {
		if area, ok := xlsxArea(r.xmlScanner, "ref"); ok && area.Intersects(r.rect) {
			r.arrays = append(r.arrays, area)
		}
	}
}

// add appends r.value, of a cell whose t attribute is kind, to the grid.
func (r *xlsxReader) add(kind string) error {
	switch kind {
	case "s":
		shared, err := r.shared()
		if err != nil {
			return err
		}
		text, err := shared.at(bytes.TrimSpace(r.value))
		r.grid.TextBytes(text)
		return err
	case "inlineStr":
		r.grid.TextBytes(r.value)
	case "str":
		r.grid.TextBytes(decodeXLSXText(r.value, 0))
	case "b":
		r.grid.Bool(xmlTrue(string(bytes.TrimSpace(r.value))))
	case "e":
		r.grid.Error(string(bytes.TrimSpace(r.value)))
	case "d":
		return r.date(string(bytes.TrimSpace(r.value)))
	default:
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(r.value)), 64)
		if err != nil {
			return fmt.Errorf("row %d, column %d: %q is no number", r.row+1, r.column+1, r.value)
		}
		r.grid.Number(v)
	}
	return nil
}

// date appends an ISO 8601 date, as some programs write them, as the serial number that others would.
func (r *xlsxReader) date(s string) error {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, t.Location())
			days := t.Sub(epoch).Hours() / 24
			r.grid.Number(days)
			return nil
		}
	}
	return fmt.Errorf("row %d, column %d: %q is no date", r.row+1, r.column+1, s)
}

// xlsxMaxFilled bounds how many cells a sheet's formulas may claim to fill within a block.
const xlsxMaxFilled = 10_000_000

// addArrays adds to the formulas the cells of the rectangle that another cell's formula fills. What stands in the cell itself comes first.
func (r *xlsxReader) addArrays() error {
	if len(r.arrays) == 0 {
		return nil
	}
	for _, a := range r.arrays {
		top, left := max(a.Top, r.rect.Top), max(a.Left, r.rect.Left)
		bottom, right := min(a.Bottom, r.rect.Bottom), min(a.Right, r.rect.Right)
		if (bottom-top+1)*(right-left+1)+len(r.formulas) > xlsxMaxFilled {
			return fmt.Errorf("formulas fill more than %d cells", xlsxMaxFilled)
		}
		for row := top; row <= bottom; row++ {
			for column := left; column <= right; column++ {
				r.formulas = append(r.formulas, Formula{Position: r.position(placements.Anchor{Row: row, Column: column})})
			}
		}
	}
	slices.SortStableFunc(r.formulas, func(a, b Formula) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	r.formulas = slices.CompactFunc(r.formulas, func(a, b Formula) bool { return a.Position == b.Position })
	return nil
}
