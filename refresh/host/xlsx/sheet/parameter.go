package sheet

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/xml"
)

// MeaningArea is an area whose cells are read for the sake of what they mean: their formats and merged cells count too.
type MeaningArea struct {
	Area  placements.Rect
	Cells []host.TypedCell // row by row
}

// NewMeaningArea returns an area of which nothing was read.
func NewMeaningArea(area placements.Rect) *MeaningArea {
	return &MeaningArea{Area: area, Cells: make([]host.TypedCell, (area.Bottom-area.Top+1)*(area.Right-area.Left+1))}
}

// at is the cell at a place, nil for one outside.
func (p *MeaningArea) at(row, column int) *host.TypedCell {
	a := p.Area
	if row < a.Top || row > a.Bottom || column < a.Left || column > a.Right {
		return nil
	}
	return &p.Cells[(row-a.Top)*(a.Right-a.Left+1)+column-a.Left]
}

// merged notes cells that merged ones cover.
func (p *MeaningArea) merged(area placements.Rect) {
	for row := max(area.Top, p.Area.Top); row <= min(area.Bottom, p.Area.Bottom); row++ {
		for column := max(area.Left, p.Area.Left); column <= min(area.Right, p.Area.Right); column++ {
			p.at(row, column).Covered = row > area.Top || column > area.Left
		}
	}
}

// Parameters reads areas of a sheet in one pass. Its cells need not be in order. dates holds for each style whether it shows a number as a
// date; date1904 says that numbers which stand for dates count from 1904.
func (s *Sheets) Parameters(ctx context.Context, of part.Sheet, areas []*MeaningArea, shared *part.Strings, dates func(style int) bool, date1904 bool) error {
	f := s.archive.Part(of.Part)
	if f == nil {
		return s.archive.Broken(fmt.Errorf("part %s is missing", of.Part))
	}
	in, err := s.openParameters(ctx, f, areas)
	if err != nil {
		return err
	}
	defer in.Close()
	r := &parameterReader{
		reader: reader{Scanner: xml.NewScanner(in), Ordered: cursor.New(), shared: shared}, areas: areas, dates: dates, date1904: date1904,
	}
	if err := r.read(); err != nil {
		return s.archive.Broken(fmt.Errorf("%s: %w", of.Part, err))
	}
	return nil
}

// openParameters opens what of a sheet part must be read of it.
func (s *Sheets) openParameters(ctx context.Context, f *zip.File, areas []*MeaningArea) (io.ReadCloser, error) {
	index := s.segments(f)
	if index == nil {
		return s.archive.Unpack(ctx, f, archive.MaxSheet)
	}
	var read []archive.Segment
	for _, x := range index.List {
		meets := func(p *MeaningArea) bool { return x.From <= p.Area.Bottom && x.To > p.Area.Top }
		if x.To == 0 || slices.ContainsFunc(areas, meets) {
			read = append(read, x)
		}
	}
	return s.archive.UnpackSegments(ctx, f, read, archive.MaxSheet)
}

// parameterReader reads areas in one pass.
type parameterReader struct {
	reader
	areas    []*MeaningArea
	dates    func(style int) bool
	date1904 bool
}

// read goes through the rows, and what stands behind them.
func (r *parameterReader) read() error {
	err := r.Root("worksheet", nil)
	for ; err == nil; err = r.Next() {
		switch {
		case r.Opens("row"):
			if err = r.Spot.ToRow(r.Scanner); err == nil && r.Kind == xml.Start && !r.inAny() {
				cursor.SkipRow(r.Scanner)
			}
		case r.Opens("c"):
			err = r.cell()
		case r.Opens("mergeCell"):
			if area, ok := cursor.Area(r.Scanner, "ref"); ok {
				for _, p := range r.areas {
					p.merged(area)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// inAny reports whether an area has cells of the row.
func (r *parameterReader) inAny() bool {
	return slices.ContainsFunc(r.areas, func(p *MeaningArea) bool { return r.Row >= p.Area.Top && r.Row <= p.Area.Bottom })
}

// cell reads the cell whose tag the scanner stands at.
func (r *parameterReader) cell() error {
	if err := r.Spot.ToCell(r.Scanner); err != nil || r.Kind == xml.Empty {
		return err
	}
	row, column := r.Row, r.Column
	style, _ := strconv.Atoi(r.Attr("s"))
	kind := r.Attr("t")
	formula, err := r.content()
	if err != nil {
		return err
	}
	read := host.TypedCell{Date: kind == "d" || r.dates(style), Unknown: formula && !r.valued}
	if r.valued || kind == "inlineStr" {
		if read.Value, err = r.parameterValue(kind); err != nil {
			return err
		}
	}
	for _, p := range r.areas {
		if cell := p.at(row, column); cell != nil {
			*cell = read
		}
	}
	return nil
}

// parameterValue is the value of the cell that was just read, whose t attribute is kind.
func (r *parameterReader) parameterValue(kind string) (checksum.Cell, error) {
	switch {
	case len(r.value) > 0 || kind == "e":
	case kind == "str" || kind == "s" || kind == "inlineStr":
		return checksum.Str(""), nil
	default:
		return checksum.Cell{}, nil
	}
	var b checksum.Builder
	if err := r.add(&b, kind); err != nil {
		return checksum.Cell{}, err
	}
	b.EndRow()
	value := checksum.CellAt(b.Grid().Cells(0, nil), 0)
	switch {
	case value.Kind == checksum.Empty && (kind == "s" || kind == "str"):
		return checksum.Str(""), nil
	case kind == "d" && r.date1904:
		value.Number -= days1904
	}
	return value, nil
}

// days1904 is how many days lie between the first days of the two ways to count them.
const days1904 = 1462
