package host

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"mooring/checksum"
	"mooring/placements"
)

// xlsxSplicer copies a sheet part and, on the way, changes the cells that a patch touches and nothing else.
type xlsxSplicer struct {
	*xmlScanner
	xlsxCursor
	patch   *xlsxPatch
	styles  *xlsxStyles
	out     *bufio.Writer
	columns []xlsxColumnStyle
	rules   xlsxRules
	done    Written
	cells   []xlsxCell // of the current row, not yet written
	kept    []byte     // scratch: attributes of the cell being read
	element []byte     // scratch: attributes of the cell being written
	tagged  []byte     // scratch: that cell
}

// xlsxColumnStyle is the style of empty cells in a range of columns.
type xlsxColumnStyle struct{ from, to, style int }

func newXLSXSplicer(in io.Reader, out io.Writer, patch *xlsxPatch, styles *xlsxStyles) *xlsxSplicer {
	return &xlsxSplicer{
		xmlScanner: newXMLScanner(in), xlsxCursor: xlsxCursor{-1, -1},
		patch: patch, styles: styles, out: bufio.NewWriterSize(out, xmlBuffer), rules: newXLSXRules(patch),
	}
}

// run copies the whole part. A fault means that the patch may not be applied to this sheet.
func (s *xlsxSplicer) run() error {
	if err := s.root("worksheet", s.out); err != nil {
		return err
	}
	seen := false
	for {
		err := s.part(&seen)
		if err == nil {
			err = s.next()
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if !seen {
		return fmt.Errorf("%w: no sheetData", errXML)
	}
	if err := s.rules.verdict(); err != nil {
		return err
	}
	return s.out.Flush()
}

// part copies or changes one token outside the rows, or all rows.
func (s *xlsxSplicer) part(seen *bool) error {
	switch {
	case s.opens("dimension"):
		return s.dimension()
	case s.opens("col"):
		s.noteColumns()
	case s.opens("mergeCell"):
		if area, ok := xlsxArea(s.xmlScanner, "ref"); ok {
			s.rules.merged(area)
		}
	case s.opens("sheetData"):
		*seen = true
		return s.sheetData()
	}
	return s.copy()
}

// copy writes the token as it stands.
func (s *xlsxSplicer) copy() error {
	_, err := s.out.Write(s.raw)
	return err
}

// dimension widens the sheet's used range to what is written.
func (s *xlsxSplicer) dimension() error {
	old, ok := xlsxArea(s.xmlScanner, "ref")
	add, any := s.patch.written()
	if !ok || !any {
		return s.copy()
	}
	from := placements.Anchor{Row: min(old.Top, add.Top), Column: min(old.Left, add.Left)}
	to := placements.Anchor{Row: max(old.Bottom, add.Bottom), Column: max(old.Right, add.Right)}
	s.tag("dimension", setXMLAttr(s.attrs, "ref", from.String()+":"+to.String()), s.kind)
	return nil
}

// tag writes a start or empty tag. Errors of the buffered writer stay with it until it is flushed.
func (s *xlsxSplicer) tag(local string, attrs []byte, kind xmlKind) {
	s.out.WriteByte('<')
	s.out.WriteString(s.ns)
	s.out.WriteString(local)
	s.out.Write(attrs)
	if kind == xmlEmpty {
		s.out.WriteByte('/')
	}
	s.out.WriteByte('>')
}

func (s *xlsxSplicer) endTag(local string) {
	s.out.WriteString("</" + s.ns + local + ">")
}

// noteColumns keeps the style that a column gives to its new cells.
func (s *xlsxSplicer) noteColumns() {
	from, err1 := strconv.Atoi(s.attr("min"))
	to, err2 := strconv.Atoi(s.attr("max"))
	style, err3 := strconv.Atoi(s.attr("style"))
	if err1 == nil && err2 == nil && err3 == nil && style > 0 {
		s.columns = append(s.columns, xlsxColumnStyle{from - 1, to - 1, style})
	}
}

// sheetData copies the rows, those that the patch touches with their new cells, and adds those that are missing.
func (s *xlsxSplicer) sheetData() error {
	if s.kind == xmlEmpty {
		s.tag("sheetData", s.attrs, xmlStart)
		s.addRows(0, placements.MaxRow+1)
		s.endTag("sheetData")
		return nil
	}
	for first := 0; ; {
		if err := s.copy(); err != nil {
			return err
		}
		if err := s.next(); err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case s.kind == xmlEnd && s.is("sheetData"):
			s.addRows(first, placements.MaxRow+1)
			return s.copy()
		case s.opens("row"):
			if err := s.toRow(s.xmlScanner); err != nil {
				return err
			}
			s.addRows(first, s.row)
			first = s.row + 1
			if err := s.oneRow(); err != nil {
				return err
			}
		}
	}
}

func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// addRows writes the touched rows of [from,to), none of which the sheet has.
func (s *xlsxSplicer) addRows(from, to int) {
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
		s.tag("row", []byte(` r="`+strconv.Itoa(row+1)+`"`), xmlStart)
		s.addCells(row, placements.MaxColumn+1, 0)
		s.endTag("row")
	}
}

// begin takes up the cells that the patch has for row.
func (s *xlsxSplicer) begin(row int) {
	s.cells = s.patch.cells(row, s.cells[:0])
	s.done.Rows++
	s.done.Cells += len(s.cells)
}

// bounds are the columns that the row's new values span, from one; zero when it has none.
func (s *xlsxSplicer) bounds() (b checksum.Span) {
	for _, c := range s.cells {
		if c.Kind == checksum.Empty {
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
func (s *xlsxSplicer) oneRow() error {
	touched := false
	if row, ok := s.patch.from(s.row); ok && row == s.row {
		touched = true
		s.begin(s.row)
	}
	attrs := s.attrs
	if touched {
		attrs = widenSpans(attrs, s.bounds())
	}
	style := rowStyle(attrs)
	if s.kind == xmlEmpty {
		if !touched || s.bounds().To == 0 {
			s.tag("row", attrs, xmlEmpty)
		} else {
			s.tag("row", attrs, xmlStart)
			s.addCells(s.row, placements.MaxColumn+1, style)
			s.endTag("row")
		}
		s.raw = nil
		return nil
	}
	s.tag("row", attrs, xmlStart)
	if !touched {
		return s.keepRow()
	}
	return s.editRow(style)
}

// keepRow copies a row's content, looking only for formulas that others depend on.
func (s *xlsxSplicer) keepRow() error {
	if skipRow(s.xmlScanner) {
		s.out.Write(s.raw)
	}
	for {
		if err := s.next(); err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case s.kind == xmlEnd && s.is("row"):
			return nil
		case s.opens("f"):
			s.rules.formula(s.xmlScanner, true)
		}
		if err := s.copy(); err != nil {
			return err
		}
	}
}

// editRow copies a row's content with the patch's cells in their places.
func (s *xlsxSplicer) editRow(style int) error {
	for {
		if err := s.next(); err != nil {
			return unexpectedEnd(err)
		}
		switch {
		case s.kind == xmlEnd && s.is("row"):
			s.addCells(s.row, placements.MaxColumn+1, style)
			return nil
		case s.opens("c"):
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
func (s *xlsxSplicer) oldCell(style int) error {
	if err := s.toCell(s.xmlScanner); err != nil {
		return err
	}
	s.addCells(s.row, s.column, style)
	replaced := len(s.cells) > 0 && s.cells[0].column == s.column
	s.kept = append(s.kept[:0], s.attrs...)
	attrs, kind := s.kept, s.kind
	if _, ok := xmlAttr(attrs, "r"); !ok { // a cell cleared before it must not move it
		attrs = setXMLAttr(attrs, "r", placements.Anchor{Row: s.row, Column: s.column}.String())
	}
	if !replaced {
		s.tag("c", attrs, kind)
	}
	for depth := s.depth(); kind == xmlStart && s.depth() >= depth; {
		if err := s.next(); err != nil {
			return unexpectedEnd(err)
		}
		if s.opens("f") {
			s.rules.formula(s.xmlScanner, !replaced)
			if replaced {
				s.rules.dropped(s.row, s.column)
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
func (s *xlsxSplicer) addCells(row, column, style int) {
	for len(s.cells) > 0 && s.cells[0].column < column {
		c := s.cells[0]
		s.cells = s.cells[1:]
		if c.Kind == checksum.Empty {
			continue
		}
		st := style
		if st == 0 {
			st = s.columnStyle(c.column)
		}
		s.element = append(s.element[:0], ` r="`...)
		s.element = append(appendCellName(s.element, row, c.column), '"')
		s.writeCell(c, s.element, st)
	}
}

func (s *xlsxSplicer) columnStyle(column int) int {
	for _, c := range s.columns {
		if column >= c.from && column <= c.to {
			return c.style
		}
	}
	return 0
}

// replaceCell writes the patch's next cell in place of the one with attrs, whose style and foreign attributes it keeps.
func (s *xlsxSplicer) replaceCell(attrs []byte) {
	c := s.cells[0]
	s.cells = s.cells[1:]
	style := 0
	s.element = s.element[:0]
	for rest, other := attrs, 0; ; {
		var name, value []byte
		if name, value, rest = nextXMLAttr(rest); len(name) == 0 {
			if c.Kind == checksum.Empty && style == 0 && other <= 1 {
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
