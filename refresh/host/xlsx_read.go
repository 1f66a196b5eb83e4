package host

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"mooring/checksum"
	"mooring/placements"
)

// xlsxReader reads a sheet's regions in one pass.
type xlsxReader struct {
	*xmlScanner
	xlsxCursor
	regions []*xlsxRegion
	bottom  int           // the last row of any
	inRow   []*xlsxRegion // those that have the current row
	inCell  []*xlsxRegion // those that have the current cell
	shared  func() (*xlsxStrings, error)
	texts   xlsxShared
	value   []byte      // of the current cell
	formula xlsxFormula // of the current cell, if it has one
}

// readSheet reads the cells of a pass's regions, and the formulas in them.
func (p *xlsxPackage) readSheet(ctx context.Context, pass *xlsxPass, shared func() (*xlsxStrings, error)) error {
	f := p.part(pass.sheet.part)
	if f == nil {
		return p.broken(fmt.Errorf("part %s is missing", pass.sheet.part))
	}
	err := p.readRegions(ctx, f, pass.regions, shared)
	if p.shuffle(f, err) {
		for _, r := range pass.regions {
			*r = xlsxRegion{into: r.into, rect: r.rect}
		}
		err = p.readRegions(ctx, f, pass.regions, shared)
	}
	if err != nil {
		return p.broken(fmt.Errorf("%s: %w", pass.sheet.part, err))
	}
	return nil
}

func (p *xlsxPackage) readRegions(ctx context.Context, f *zip.File, regions []*xlsxRegion, shared func() (*xlsxStrings, error)) error {
	part, err := p.sheet(ctx, f)
	if err != nil {
		return err
	}
	defer part.Close()
	r := &xlsxReader{xmlScanner: newXMLScanner(part), xlsxCursor: newXLSXCursor(), regions: regions, shared: shared, bottom: -1}
	for _, region := range r.regions {
		r.bottom = max(r.bottom, region.rect.Bottom)
	}
	return r.read()
}

// lazyStrings reads the shared strings when they are first needed.
func (p *xlsxPackage) lazyStrings(ctx context.Context, wb *xlsxWorkbook) func() (*xlsxStrings, error) {
	return sync.OnceValues(func() (*xlsxStrings, error) { return p.sharedStrings(ctx, wb) })
}

// read goes through the rows down to the last of any region.
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
			if r.row > r.bottom {
				return nil
			}
			r.inRow = r.inRow[:0]
			for _, region := range r.regions {
				if r.row >= region.rect.Top && r.row <= region.rect.Bottom {
					r.inRow = append(r.inRow, region)
				}
			}
			if len(r.inRow) == 0 && r.kind == xmlStart {
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
	if formula && kind == "b" && r.formula.truth() {
		formula = false
	}
	if formula {
		r.texts.note(&r.formula, at)
	}
	r.inCell = r.inCell[:0]
	for _, region := range r.inRow {
		if r.column >= region.rect.Left && r.column <= region.rect.Right {
			r.inCell = append(r.inCell, region)
		}
	}
	if len(r.inCell) == 0 {
		return nil
	}
	if formula {
		text := r.texts.text(&r.formula, at)
		for _, region := range r.inCell {
			region.formulas = append(region.formulas, Formula{Position: region.position(at), Text: text, Fixed: r.formula.fixed()})
		}
	}
	if len(r.value) == 0 && kind != "e" {
		return nil
	}
	for _, region := range r.inCell {
		region.goTo(r.row, r.column)
		if err := r.add(&region.grid, kind); err != nil {
			return err
		}
	}
	return nil
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
	if r.formula.fixed() {
		area, ok := xlsxArea(r.xmlScanner, "ref")
		for _, region := range r.regions {
			if ok && area.Intersects(region.rect) {
				region.arrays = append(region.arrays, area)
			}
		}
	}
}

// add appends r.value, of a cell whose t attribute is kind, to a grid.
func (r *xlsxReader) add(grid *checksum.Builder, kind string) error {
	switch kind {
	case "s":
		shared, err := r.shared()
		if err != nil {
			return err
		}
		text, err := shared.at(bytes.TrimSpace(r.value))
		grid.TextBytes(text)
		return err
	case "inlineStr":
		grid.TextBytes(r.value)
	case "str":
		grid.TextBytes(decodeXLSXText(r.value, 0))
	case "b":
		grid.Bool(xmlTrue(string(bytes.TrimSpace(r.value))))
	case "e":
		grid.Error(string(bytes.TrimSpace(r.value)))
	case "d":
		return r.date(grid, string(bytes.TrimSpace(r.value)))
	default:
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(r.value)), 64)
		if err != nil {
			return fmt.Errorf("row %d, column %d: %q is no number", r.row+1, r.column+1, r.value)
		}
		grid.Number(v)
	}
	return nil
}

// date appends an ISO 8601 date, as some programs write them, as the serial number that others would.
func (r *xlsxReader) date(grid *checksum.Builder, s string) error {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, t.Location())
			days := t.Sub(epoch).Hours() / 24
			grid.Number(days)
			return nil
		}
	}
	return fmt.Errorf("row %d, column %d: %q is no date", r.row+1, r.column+1, s)
}
