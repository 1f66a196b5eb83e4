package sheet

import (
	"bytes"
	"cmp"
	"strconv"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/shift"
	"mooring/refresh/host/xlsx/xml"
)

// addRows writes the touched rows of [from,to), none of which the sheet has.
func (s *splicer) addRows(from, to int) {
	for {
		row, ok := s.patch.from(from)
		if !ok || row >= to {
			return
		}
		from = row + 1
		s.begin(row)
		if s.bounds().To == 0 {
			continue // there is nothing to clear
		}
		s.out.startRow(row)
		s.tag("row", []byte(` r="`+strconv.Itoa(row+1)+`"`), xml.Start)
		s.addCells(row, placements.MaxColumn+1, 0)
		s.endTag("row")
	}
}

// begin takes up the cells that the patches have for row.
func (s *splicer) begin(row int) {
	s.cells = s.patch.take(row, s.cells[:0])
}

// bounds are the columns that the row's new values span, from one; zero when it has none.
func (s *splicer) bounds() (b checksum.Span) {
	for i := range s.cells {
		c := &s.cells[i]
		if c.blank() && c.like == 0 {
			continue
		}
		if b.From == 0 {
			b.From = c.column + 1
		}
		b.To = c.column + 1
	}
	return b
}

// oneRow handles the row whose tag the scanner stands at, and leaves the scanner at its last token, not yet written.
func (s *splicer) oneRow() error {
	touched := false
	if row, ok := s.patch.from(s.Row); ok && row == s.Row {
		touched = true
		s.begin(s.Row)
	}
	attrs := s.show(s.Attrs)
	if touched {
		attrs = widenSpans(attrs, s.bounds())
	}
	style := rowStyle(attrs)
	s.model = s.patch.models(s.Row)
	if s.Kind == xml.Empty {
		if !touched || s.bounds().To == 0 {
			s.tag("row", attrs, xml.Empty)
		} else {
			s.tag("row", attrs, xml.Start)
			s.addCells(s.Row, placements.MaxColumn+1, style)
			s.endTag("row")
		}
		s.Raw = nil
		return nil
	}
	s.tag("row", attrs, xml.Start)
	if !touched && !s.model {
		return s.keepRow()
	}
	return s.editRow(style)
}

// keepRow copies a row's content, looking only for formulas that others depend on.
func (s *splicer) keepRow() error {
	if cursor.SkipRow(s.Scanner) {
		s.out.Write(s.Raw)
	}
	for {
		if err := s.nextInRow(); err != nil {
			return err
		}
		switch {
		case s.Kind == xml.End && s.Is("row"):
			return nil
		case s.Opens("f"):
			s.rules.formula(s.Scanner, true)
		}
		if err := s.copy(); err != nil {
			return err
		}
	}
}

// editRow copies a row's content with the patch's cells in their places.
func (s *splicer) editRow(style int) error {
	for {
		if err := s.nextInRow(); err != nil {
			return err
		}
		switch {
		case s.Kind == xml.End && s.Is("row"):
			s.addCells(s.Row, placements.MaxColumn+1, style)
			return nil
		case s.Opens("c"):
			if err := s.oldCell(style); err != nil {
				return err
			}
		default:
			if err := s.copy(); err != nil {
				return err
			}
		}
	}
}

// oldCell copies or replaces the cell whose tag the scanner stands at.
func (s *splicer) oldCell(style int) error {
	if err := s.ToCell(s.Scanner); err != nil {
		return err
	}
	s.addCells(s.Row, s.Column, style)
	replaced := len(s.cells) > 0 && s.cells[0].column == s.Column
	s.kept = append(s.kept[:0], s.Attrs...)
	attrs, kind := s.kept, s.Kind
	if _, ok := xml.Attr(attrs, "r"); !ok { // a cell cleared before it must not move it
		attrs = xml.SetAttr(attrs, "r", placements.Anchor{Row: s.Row, Column: s.Column}.String())
	}
	if s.model {
		style, _ := xml.Attr(attrs, "s")
		n, _ := strconv.Atoi(string(style))
		s.patch.learn(s.Row, s.Column, n)
	}
	if replaced && s.cells[0].only != always {
		return s.oldCellIf(attrs, kind)
	}
	if !replaced {
		s.tag("c", attrs, kind)
	}
	for depth := s.Depth(); kind == xml.Start && s.Depth() >= depth; {
		if err := s.nextInRow(); err != nil {
			return err
		}
		if s.Opens("f") {
			s.rules.formula(s.Scanner, !replaced)
			if replaced && s.cells[0].formula == "" {
				s.rules.dropped(s.Row, s.Column)
			}
		}
		if !replaced {
			if err := s.copy(); err != nil {
				return err
			}
		}
	}
	if replaced {
		s.replaceCell(attrs)
	}
	return nil
}

// addCells writes the patch's cells left of column, which the sheet does not have.
func (s *splicer) addCells(row, column, style int) {
	for len(s.cells) > 0 && s.cells[0].column < column {
		c := &s.cells[0]
		s.cells = s.cells[1:]
		if c.blank() && c.like == 0 {
			continue
		}
		st := style
		if st == 0 {
			st = s.columnStyle(c.column)
		}
		s.rules.written(row, c.column, st, s.styles)
		st = cmp.Or(c.like, st)
		s.element = append(s.element[:0], ` r="`...)
		s.element = append(appendCellName(s.element, row, c.column), '"')
		s.writeCell(c, s.element, st)
	}
}

// replaceCell writes the patch's next cell in place of the one with attrs, whose style and foreign attributes it keeps.
func (s *splicer) replaceCell(attrs []byte) {
	c := &s.cells[0]
	s.cells = s.cells[1:]
	style := 0
	s.element = s.element[:0]
	for rest, other := attrs, 0; ; {
		var name, value []byte
		if name, value, rest = xml.NextAttr(rest); len(name) == 0 {
			s.rules.written(s.Row, c.column, style, s.styles)
			style = cmp.Or(style, c.like)
			if c.blank() && style == 0 && other <= 1 {
				return // nothing but its reference is left
			}
			break
		}
		switch string(name) {
		case "t", "cm", "vm": // of the old value
			continue
		case "s":
			style, _ = strconv.Atoi(string(value))
			continue
		}
		other++
		s.element = append(append(append(s.element, ' '), name...), `="`...)
		s.element = append(append(s.element, bytes.ReplaceAll(value, []byte{'"'}, []byte("&quot;"))...), '"')
	}
	s.writeCell(c, s.element, style)
}

// oldCellIf replaces the cell whose tag the scanner stands at, or copies it, as the patch's next cell says, which depends on what is in it.
func (s *splicer) oldCellIf(attrs []byte, kind xml.Kind) error {
	c := &s.cells[0]
	s.held = s.held[:0]
	formula, value := false, false
	for depth := s.Depth(); kind == xml.Start && s.Depth() >= depth; {
		if err := s.nextInRow(); err != nil {
			return err
		}
		if s.Opens("f") {
			formula = true
			s.rules.formula(s.Scanner, c.only == ifEmpty)
		}
		value = value || s.Opens("v") || s.Opens("is")
		if s.held = append(s.held, s.Raw...); len(s.held) > archive.MaxMemory {
			return archive.ErrTooBig
		}
	}
	if formula && c.only == ifFormula {
		s.rules.dropped(s.Row, s.Column)
	}
	if formula && c.only == ifFormula || !formula && !value && c.only == ifEmpty {
		s.replaceCell(attrs)
		return nil
	}
	if formula && c.patch.swallows(s.Row, s.Column) {
		s.rules.conflict("has a formula in %s on sheet %q in the way of table %q, which grows along with the report: refresh with shiftRows, "+
			"or move the formula.", placements.Anchor{Row: s.Row, Column: s.Column}, s.patch.Name, c.patch.Table.Name)
	}
	s.cells = s.cells[1:]
	s.tag("c", attrs, kind)
	s.out.Write(s.held)
	return nil
}

// show returns the attributes of the current row: of one that is hidden without what hides it, if a block gained it.
func (s *splicer) show(attrs []byte) []byte {
	for _, p := range s.patch.Blocks {
		if host.Holds(p.beside.gained, s.Row) && shift.Hidden(attrs) {
			p.Shown(s.Row)
			return shift.Visible(attrs)
		}
	}
	return attrs
}
