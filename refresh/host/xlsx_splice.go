package host

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"mooring/placements"
)

// xlsxSplicer copies a sheet part and, on the way, changes the cells that patches touch and nothing else.
type xlsxSplicer struct {
	*xmlScanner
	xlsxCursor
	patch      *xlsxSheetPatch
	styles     *xlsxStyles
	out        *bufio.Writer
	columns    []xlsxColumnStyle
	rules      xlsxRules
	protection *xlsxProtection // what was met behind the rows, nil if nothing
	seen       bool            // the part has rows, or a place for them
	cells      []xlsxCell      // of the current row, not yet written
	kept       []byte          // scratch: attributes of the cell being read
	element    []byte          // scratch: attributes of the cell being written
	tagged     []byte          // scratch: that cell
}

// xlsxColumnStyle is the style of empty cells in a range of columns.
type xlsxColumnStyle struct{ from, to, style int }

func newXLSXSplicer(in io.Reader, out io.Writer, patch *xlsxSheetPatch, styles *xlsxStyles) *xlsxSplicer {
	return &xlsxSplicer{
		xmlScanner: newXMLScanner(in), xlsxCursor: newXLSXCursor(),
		patch: patch, styles: styles, out: bufio.NewWriterSize(out, xmlBuffer), rules: newXLSXRules(patch),
	}
}

// run copies the whole part. A fault means that the patches may not be applied to this sheet.
func (s *xlsxSplicer) run() error {
	if err := s.root("worksheet", s.out); err != nil {
		return err
	}
	for {
		err := s.part()
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
	if !s.seen {
		return fmt.Errorf("%w: no sheetData", errXML)
	}
	if err := s.rules.verdict(); err != nil {
		return err
	}
	return s.out.Flush()
}

// part copies or changes one token outside the rows, or all rows.
func (s *xlsxSplicer) part() error {
	switch {
	case s.opens("dimension"):
		return s.dimension()
	case s.opens("col"):
		s.noteColumns()
	case s.opens("mergeCell"):
		if area, ok := xlsxArea(s.xmlScanner, "ref"); ok {
			s.rules.merged(area)
		}
	case s.opens("sheetData") && s.inRoot() && !s.seen:
		s.seen = true
		return s.sheetData()
	}
	s.protection = s.protection.note(s.xmlScanner)
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

// columnStyle is the style that a column gives to its new cells, 0 for none.
func (s *xlsxSplicer) columnStyle(column int) int {
	for _, c := range s.columns {
		if column >= c.from && column <= c.to {
			return c.style
		}
	}
	return 0
}

// sheetData copies the rows, those that patches touch with their new cells, and adds those that are missing.
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
