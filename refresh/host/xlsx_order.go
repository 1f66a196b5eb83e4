package host

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"mooring/placements"
)

// errXLSXOrder says that a sheet's rows, or the cells of one, do not stand in the order of their numbers.
var errXLSXOrder = errors.New("out of order")

// sheet opens a sheet part. One that was found out of order is put in order first, which takes its size in memory.
func (p *xlsxPackage) sheet(ctx context.Context, f *zip.File) (io.ReadCloser, error) {
	if !p.shuffled[f] {
		return p.unpack(ctx, f, xlsxMaxSheet)
	}
	doc, err := p.whole(ctx, f)
	if err == nil {
		doc, err = sortRows(doc)
	}
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(doc)), nil
}

// shuffle reports whether a sheet part that failed with err is worth another try, for which it is put in order.
func (p *xlsxPackage) shuffle(f *zip.File, err error) bool {
	if p.shuffled[f] || !errors.Is(err, errXLSXOrder) {
		return false
	}
	p.shuffled[f] = true
	return true
}

// xlsxSorter puts the rows of a sheet part, and the cells of each, in order. It holds the part whole.
type xlsxSorter struct {
	*xmlScanner
	doc  []byte
	rows []xlsxRowSource
}

// xlsxRowSource is a row as written.
type xlsxRowSource struct {
	row   int // from zero
	attrs []byte
	cells []xlsxCellSource
	rest  []byte // what stands behind the cells
}

type xlsxCellSource struct {
	column  int // from zero
	element []byte
}

// sortRows returns a sheet part with its rows and their cells in order. Those that stand twice stay so: nobody knows which counts.
func sortRows(doc []byte) ([]byte, error) {
	s := xlsxSorter{xmlScanner: newXMLScanner(bytes.NewReader(doc)), doc: doc}
	if err := s.root("worksheet", nil); err != nil {
		return nil, err
	}
	for {
		if err := s.next(); err == io.EOF {
			return doc, nil // without rows
		} else if err != nil {
			return nil, err
		}
		if s.kind == xmlStart && s.is("sheetData") && s.inRoot() {
			break
		}
	}
	from := s.to()
	if err := s.read(); err != nil {
		return nil, err
	}
	return applyXMLEdits(doc, []xmlEdit{{from, s.from, s.sorted()}}), nil
}

// read reads the rows up to the end tag of sheetData.
func (s *xlsxSorter) read() error {
	at := xlsxPlace{-1, -1}
	for {
		if err := s.next(); err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case s.kind == xmlEnd && s.is("sheetData"):
			return nil
		case s.opens("row"):
			if err := at.toRow(s.xmlScanner); err != nil {
				return err
			}
			if err := s.row(at); err != nil {
				return err
			}
		}
	}
}

// row reads the row whose tag the scanner stands at.
func (s *xlsxSorter) row(at xlsxPlace) error {
	r := xlsxRowSource{row: at.row, attrs: setXMLAttr(s.attrs, "r", strconv.Itoa(at.row+1))}
	for kind, depth := s.kind, s.depth(); kind == xmlStart; {
		if err := s.next(); err != nil {
			return unexpectedEnd(err)
		}
		if s.depth() < depth {
			break
		}
		if !s.opens("c") {
			r.rest = append(r.rest, s.raw...)
			continue
		}
		if err := at.toCell(s.xmlScanner); err != nil {
			return err
		}
		element, err := s.cell(at)
		if err != nil {
			return err
		}
		r.cells = append(r.cells, xlsxCellSource{at.column, element})
	}
	s.rows = append(s.rows, r)
	return nil
}

// cell returns the cell whose tag the scanner stands at, its place named.
func (s *xlsxSorter) cell(at xlsxPlace) ([]byte, error) {
	attrs := setXMLAttr(s.attrs, "r", placements.Anchor{Row: at.row, Column: at.column}.String())
	element := slices.Concat([]byte("<"+s.ns+"c"), attrs)
	if s.kind == xmlEmpty {
		return append(element, "/>"...), nil
	}
	from := s.to()
	for depth := s.depth(); s.depth() >= depth; {
		if err := s.next(); err != nil {
			return nil, unexpectedEnd(err)
		}
	}
	return append(append(element, '>'), s.doc[from:s.to()]...), nil
}

// sorted writes the rows in order.
func (s *xlsxSorter) sorted() (out []byte) {
	slices.SortStableFunc(s.rows, func(a, b xlsxRowSource) int { return cmp.Compare(a.row, b.row) })
	for _, r := range s.rows {
		slices.SortStableFunc(r.cells, func(a, b xlsxCellSource) int { return cmp.Compare(a.column, b.column) })
		out = fmt.Appendf(out, "<%srow%s>", s.ns, r.attrs)
		for _, c := range r.cells {
			out = append(out, c.element...)
		}
		out = fmt.Appendf(append(out, r.rest...), "</%srow>", s.ns)
	}
	return out
}
