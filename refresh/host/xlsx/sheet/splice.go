package sheet

import (
	"fmt"
	"io"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/xml"
)

// splicer copies a sheet part and, on the way, changes the cells that patches touch and nothing else.
type splicer struct {
	*xml.Scanner
	cursor.Ordered
	patch      *Patches
	styles     *part.Styles
	out        segmenter
	columns    []columnStyle
	rules      rules
	protection *part.Protection // what was met behind the rows, nil if nothing
	seen       bool             // the part has rows, or a place for them
	cells      []cellWrite      // of the current row, not yet written
	kept       []byte           // scratch: attributes of the cell being read
	element    []byte           // scratch: attributes of the cell being written
	held       []byte           // scratch: content of the cell being read
	model      bool             // others are to look like the current row
	tagged     []byte           // scratch: that cell
}

// columnStyle is the style of empty cells in a range of columns.
type columnStyle struct{ from, to, style int }

func newSplicer(in io.Reader, out segmenter, patch *Patches, styles *part.Styles) *splicer {
	return &splicer{
		Scanner: xml.NewScanner(in), Ordered: cursor.New(),
		patch: patch, styles: styles, out: out, rules: newRules(patch),
	}
}

// run copies the whole part. A fault means that the patches may not be applied to this sheet.
func (s *splicer) run() error {
	if err := s.Root("worksheet", s.out); err != nil {
		return err
	}
	for {
		err := s.part()
		if err == nil {
			err = s.Next()
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if !s.seen {
		return fmt.Errorf("%w: no sheetData", xml.ErrXML)
	}
	return s.rules.verdict()
}

// part copies or changes one token outside the rows, or all rows.
func (s *splicer) part() error {
	switch {
	case s.Opens("dimension"):
		return s.dimension()
	case s.Opens("col"):
		s.noteColumns()
	case s.Opens("mergeCell"):
		if area, ok := cursor.Area(s.Scanner, "ref"); ok {
			s.rules.merged(area)
		}
	case s.Opens("sheetData") && s.InRoot() && !s.seen:
		s.seen = true
		return s.sheetData()
	}
	s.protection = s.protection.Note(s.Scanner)
	return s.copy()
}

// copy writes the token as it stands.
func (s *splicer) copy() error {
	_, err := s.out.Write(s.Raw)
	return err
}

// dimension widens the sheet's used range to what is written.
func (s *splicer) dimension() error {
	old, ok := cursor.Area(s.Scanner, "ref")
	add, any := s.patch.written()
	if !ok || !any {
		return s.copy()
	}
	from := placements.Anchor{Row: min(old.Top, add.Top), Column: min(old.Left, add.Left)}
	to := placements.Anchor{Row: max(old.Bottom, add.Bottom), Column: max(old.Right, add.Right)}
	s.tag("dimension", xml.SetAttr(s.Attrs, "ref", from.String()+":"+to.String()), s.Kind)
	return nil
}

// tag writes a start or empty tag. Errors of the part stay with it until it is closed.
func (s *splicer) tag(local string, attrs []byte, kind xml.Kind) {
	s.out.WriteByte('<')
	s.out.WriteString(s.NS)
	s.out.WriteString(local)
	s.out.Write(attrs)
	if kind == xml.Empty {
		s.out.WriteByte('/')
	}
	s.out.WriteByte('>')
}

func (s *splicer) endTag(local string) {
	s.out.WriteString("</" + s.NS + local + ">")
}

// noteColumns keeps the style of a column's new cells.
func (s *splicer) noteColumns() {
	from, err1 := strconv.Atoi(s.Attr("min"))
	to, err2 := strconv.Atoi(s.Attr("max"))
	style, err3 := strconv.Atoi(s.Attr("style"))
	if err1 == nil && err2 == nil && err3 == nil && style > 0 {
		s.columns = append(s.columns, columnStyle{from - 1, to - 1, style})
	}
}

// columnStyle returns the style of a column's new cells, 0 for none.
func (s *splicer) columnStyle(column int) int {
	for _, c := range s.columns {
		if column >= c.from && column <= c.to {
			return c.style
		}
	}
	return 0
}

// rowsAbove writes rows [first,to) that were not read: of segments that stay, and those that are missing.
func (s *splicer) rowsAbove(first, to int) {
	for len(s.out.copied) > 0 && s.out.copied[0].From < to {
		x := s.out.copied[0]
		s.addRows(first, x.From)
		s.out.copyNext()
		first = x.To
	}
	s.addRows(first, to)
}

// nextInRow goes on in a row, and notes what concerns other cells, or may hide such.
func (s *splicer) nextInRow() error {
	if err := s.Next(); err != nil {
		return xml.Unexpected(err)
	}
	if s.Kind > xml.Text || s.Opens("f") || s.Opens("row") {
		s.out.alone = false
	}
	return nil
}

// sheetData copies the rows, those that patches touch with their new cells, and adds those that are missing.
func (s *splicer) sheetData() error {
	if s.Kind == xml.Empty {
		s.tag("sheetData", s.Attrs, xml.Start)
		s.addRows(0, placements.MaxRow+1)
		s.out.end()
		s.endTag("sheetData")
		return nil
	}
	for first := 0; ; {
		if err := s.copy(); err != nil {
			return err
		}
		if err := s.Next(); err != nil {
			return xml.Unexpected(err)
		}
		switch {
		case s.Kind == xml.End && s.Is("sheetData"):
			s.rowsAbove(first, placements.MaxRow+1)
			s.out.end()
			return s.copy()
		case s.Opens("row"):
			if err := s.ToRow(s.Scanner); err != nil {
				return err
			}
			_, numbered := xml.Attr(s.Attrs, "r")
			s.out.regular = s.out.regular && numbered
			s.rowsAbove(first, s.Row)
			first = s.Row + 1
			s.out.startRow(s.Row)
			if err := s.oneRow(); err != nil {
				return err
			}
		case s.Kind != xml.Text:
			s.out.regular = false
		}
	}
}
