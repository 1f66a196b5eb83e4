package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/xml"
)

// reader reads a sheet's regions in one pass.
type reader struct {
	*xml.Scanner
	cursor.Ordered
	regions []*region
	bottom  int       // the last row of any
	inRow   []*region // those that have the current row
	inCell  []*region // those that have the current cell
	shared  *part.Strings
	texts   shared
	value   []byte      // of the current cell
	valued  bool        // it has one, be it empty
	formula cellFormula // of the current cell, if it has one
}

// Read makes the passes. What it finds says why nothing was read of it; only the end of ctx is an error of all.
func (s *Sheets) Read(ctx context.Context, passes *Passes, shared *part.Strings) error {
	for _, pass := range passes.list {
		err := s.pass(ctx, pass, shared)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, r := range pass.regions {
			r.finish(s.archive.Document, err)
		}
	}
	return nil
}

// pass reads the cells of a pass's regions, and the formulas in them.
func (s *Sheets) pass(ctx context.Context, pass *pass, shared *part.Strings) error {
	f := s.archive.Part(pass.sheet.Part)
	if f == nil {
		return s.archive.Broken(fmt.Errorf("part %s is missing", pass.sheet.Part))
	}
	err := s.readRegions(ctx, f, pass.regions, shared)
	if s.Shuffle(f, err) {
		for _, r := range pass.regions {
			*r = region{into: r.into, rect: r.rect, likely: r.likely}
		}
		err = s.readRegions(ctx, f, pass.regions, shared)
	}
	if err != nil {
		return s.archive.Broken(fmt.Errorf("%s: %w", pass.sheet.Part, err))
	}
	return nil
}

func (s *Sheets) readRegions(ctx context.Context, f *zip.File, regions []*region, shared *part.Strings) error {
	in, err := s.openRegions(ctx, f, regions)
	if err != nil {
		return err
	}
	defer in.Close()
	r := &reader{Scanner: xml.NewScanner(in), Ordered: cursor.New(), regions: regions, shared: shared, bottom: -1}
	for _, region := range r.regions {
		r.bottom = max(r.bottom, region.rect.Bottom)
	}
	return r.read()
}

// openRegions opens what of a sheet part must be read of it to know what stands in regions, and has these take the rest for known.
func (s *Sheets) openRegions(ctx context.Context, f *zip.File, regions []*region) (io.ReadCloser, error) {
	index := s.segments(f)
	if index == nil {
		return s.Open(ctx, f)
	}
	var read []archive.Segment
	for i := range index.List {
		x := &index.List[i]
		if x.To == 0 || slices.ContainsFunc(regions, func(r *region) bool { return r.reads(index.Areas, x) }) {
			read = append(read, *x)
			continue
		}
		for _, r := range regions {
			r.know(x)
		}
	}
	return s.archive.UnpackSegments(ctx, f, read, archive.MaxSheet)
}

// read goes through the rows down to the last of any region.
func (r *reader) read() error {
	if err := r.Root("worksheet", nil); err != nil {
		return err
	}
	for {
		if err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch {
		case r.Closes("sheetData"):
			return nil
		case r.Opens("row"):
			if err := r.ToRow(r.Scanner); err != nil {
				return err
			}
			if r.Row > r.bottom {
				return nil
			}
			r.inRow = r.inRow[:0]
			for _, region := range r.regions {
				if r.Row >= region.rect.Top && r.Row <= region.rect.Bottom {
					r.inRow = append(r.inRow, region)
				}
			}
			if len(r.inRow) == 0 && r.Kind == xml.Start {
				cursor.SkipRow(r.Scanner)
			}
		case r.Opens("c"):
			if err := r.cell(); err != nil {
				return err
			}
		}
	}
}

// cell reads the cell whose tag the scanner stands at.
func (r *reader) cell() error {
	if err := r.ToCell(r.Scanner); err != nil {
		return err
	}
	if r.Kind == xml.Empty {
		return nil
	}
	t, _ := xml.Attr(r.Attrs, "t")
	kind := string(t)
	formula, err := r.content()
	if err != nil {
		return err
	}
	at := placements.Anchor{Row: r.Row, Column: r.Column}
	if formula && kind == "b" && r.formula.truth() {
		formula = false
	}
	if formula {
		r.texts.note(&r.formula, at)
	}
	r.inCell = r.inCell[:0]
	for _, region := range r.inRow {
		if r.Column >= region.rect.Left && r.Column <= region.rect.Right {
			r.inCell = append(r.inCell, region)
		}
	}
	if len(r.inCell) == 0 {
		return nil
	}
	if formula {
		text := r.texts.text(&r.formula, at)
		for _, region := range r.inCell {
			region.formulas = append(region.formulas, host.Formula{Position: region.position(at), Text: text, Fixed: r.formula.fixed()})
		}
	}
	if len(r.value) == 0 && kind != "e" {
		return nil
	}
	for _, region := range r.inCell {
		region.goTo(r.Row, r.Column)
		if err := r.add(&region.grid, kind); err != nil {
			return err
		}
	}
	return nil
}

// content reads to the end of a cell. It leaves the cell's value or inline text in r.value, and its formula in r.formula
// if it says that there is one.
func (r *reader) content() (formula bool, err error) {
	r.value, r.valued = r.value[:0], false
	inValue, inFormula := false, false
	for depth := r.Depth(); ; {
		if err := r.Next(); err != nil {
			return false, err
		}
		switch {
		case r.Depth() < depth:
			return formula, nil
		case r.Opens("f"):
			formula = true
			r.formula.start(r.Scanner)
			r.noteArray()
			inFormula = r.Kind == xml.Start
		case r.Kind == xml.Start && r.Is("is"):
			if r.value, err = part.ReadText(r.Scanner, r.value); err != nil {
				return false, err
			}
		case r.Opens("v"):
			inValue, r.valued = r.Kind == xml.Start, true
		case r.Kind == xml.End:
			inValue, inFormula = false, false
		case inFormula:
			r.formula.text = r.AppendContent(r.formula.text)
		case inValue:
			r.value = r.AppendContent(r.value)
		}
	}
}

// noteArray keeps the area of a formula that fills more than its own cell: an array, a spilled one or a data table.
func (r *reader) noteArray() {
	if r.formula.fixed() {
		area, ok := cursor.Area(r.Scanner, "ref")
		for _, region := range r.regions {
			if ok && area.Intersects(region.rect) {
				region.arrays = append(region.arrays, area)
			}
		}
	}
}

// add appends r.value, of a cell whose t attribute is kind, to a grid.
func (r *reader) add(grid *checksum.Builder, kind string) error {
	switch kind {
	case "s":
		text, err := r.shared.At(bytes.TrimSpace(r.value))
		grid.TextBytes(text)
		return err
	case "inlineStr":
		grid.TextBytes(r.value)
	case "str":
		grid.TextBytes(part.DecodeText(r.value, 0))
	case "b":
		grid.Bool(xml.True(string(bytes.TrimSpace(r.value))))
	case "e":
		grid.Error(string(bytes.TrimSpace(r.value)))
	case "d":
		return r.date(grid, string(bytes.TrimSpace(r.value)))
	default:
		v, err := strconv.ParseFloat(string(bytes.TrimSpace(r.value)), 64)
		if err != nil {
			return fmt.Errorf("row %d, column %d: %q is no number", r.Row+1, r.Column+1, r.value)
		}
		grid.Number(v)
	}
	return nil
}

// date appends an ISO 8601 date, as some programs write them, as the serial number that others would.
func (r *reader) date(grid *checksum.Builder, s string) error {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, t.Location())
			days := t.Sub(epoch).Hours() / 24
			grid.Number(days)
			return nil
		}
	}
	return fmt.Errorf("row %d, column %d: %q is no date", r.Row+1, r.Column+1, s)
}
