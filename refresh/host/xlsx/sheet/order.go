package sheet

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// sorter puts the rows of a sheet part, and the cells of each, in order. It holds the part whole.
type sorter struct {
	*xml.Scanner
	doc  []byte
	rows []rowSource
}

// rowSource is a row as written.
type rowSource struct {
	row   int // from zero
	attrs []byte
	cells []cellSource
	rest  []byte // what stands behind the cells
}

type cellSource struct {
	column  int // from zero
	element []byte
}

// sortRows returns a sheet part with its rows and their cells in order. Those that stand twice stay so: which one counts is not known.
func sortRows(doc []byte) ([]byte, error) {
	s := sorter{Scanner: xml.NewScanner(bytes.NewReader(doc)), doc: doc}
	if err := s.Root("worksheet", nil); err != nil {
		return nil, err
	}
	for {
		if err := s.Next(); err == io.EOF {
			return doc, nil // without rows
		} else if err != nil {
			return nil, err
		}
		if s.Kind == xml.Start && s.Is("sheetData") && s.InRoot() {
			break
		}
	}
	from := s.To()
	if err := s.read(); err != nil {
		return nil, err
	}
	return xml.Apply(doc, []xml.Edit{{From: from, To: s.From, With: s.sorted()}}), nil
}

// read reads the rows up to the end tag of sheetData.
func (s *sorter) read() error {
	at := cursor.New().Spot
	for {
		if err := s.Next(); err != nil {
			return xml.Unexpected(err)
		}
		switch {
		case s.Kind == xml.End && s.Is("sheetData"):
			return nil
		case s.Opens("row"):
			if err := at.ToRow(s.Scanner); err != nil {
				return err
			}
			if err := s.row(at); err != nil {
				return err
			}
		}
	}
}

// row reads the row whose tag the scanner stands at.
func (s *sorter) row(at cursor.Spot) error {
	r := rowSource{row: at.Row, attrs: xml.SetAttr(s.Attrs, "r", strconv.Itoa(at.Row+1))}
	for kind, depth := s.Kind, s.Depth(); kind == xml.Start; {
		if err := s.Next(); err != nil {
			return xml.Unexpected(err)
		}
		if s.Depth() < depth {
			break
		}
		if !s.Opens("c") {
			r.rest = append(r.rest, s.Raw...)
			continue
		}
		if err := at.ToCell(s.Scanner); err != nil {
			return err
		}
		element, err := s.cell(at)
		if err != nil {
			return err
		}
		r.cells = append(r.cells, cellSource{at.Column, element})
	}
	s.rows = append(s.rows, r)
	return nil
}

// cell returns the cell whose tag the scanner stands at, its place named.
func (s *sorter) cell(at cursor.Spot) ([]byte, error) {
	attrs := xml.SetAttr(s.Attrs, "r", placements.Anchor{Row: at.Row, Column: at.Column}.String())
	element := slices.Concat([]byte("<"+s.NS+"c"), attrs)
	if s.Kind == xml.Empty {
		return append(element, "/>"...), nil
	}
	from := s.To()
	for depth := s.Depth(); s.Depth() >= depth; {
		if err := s.Next(); err != nil {
			return nil, xml.Unexpected(err)
		}
	}
	return append(append(element, '>'), s.doc[from:s.To()]...), nil
}

// sorted writes the rows in order.
func (s *sorter) sorted() (out []byte) {
	slices.SortStableFunc(s.rows, func(a, b rowSource) int { return cmp.Compare(a.row, b.row) })
	for _, r := range s.rows {
		slices.SortStableFunc(r.cells, func(a, b cellSource) int { return cmp.Compare(a.column, b.column) })
		out = fmt.Appendf(out, "<%srow%s>", s.NS, r.attrs)
		for _, c := range r.cells {
			out = append(out, c.element...)
		}
		out = fmt.Appendf(append(out, r.rest...), "</%srow>", s.NS)
	}
	return out
}
