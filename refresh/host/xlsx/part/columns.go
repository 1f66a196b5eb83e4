package part

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// Resize is a table's part with the table, its filter and its sort order over other cells. The filter leaves out the totals, which
// LibreOffice counts in.
func (t *Table) Resize(doc []byte, to placements.Rect) ([]byte, error) {
	data := to
	data.Bottom -= t.Totals
	s := xml.NewScanner(bytes.NewReader(doc))
	err := s.Root("table", nil)
	if err != nil {
		return nil, err
	}
	var edits []xml.Edit
	set := func(name, value string) {
		if e, ok := s.EditAttr(name, value); ok {
			edits = append(edits, e)
		}
	}
	set("ref", cursor.AreaName(to))
	set("insertRow", "0") // that it shows an empty row because it has none
	for ; err == nil; err = s.Next() {
		switch {
		case s.Opens("autoFilter"):
			set("ref", cursor.AreaName(data))
		case s.Opens("sortState"), s.Opens("sortCondition"):
			if sorted, ok := cursor.Area(s, "ref"); ok {
				sorted.Bottom = data.Bottom
				set("ref", cursor.AreaName(sorted))
			}
		}
	}
	if err != io.EOF {
		return nil, err
	}
	return xml.Apply(doc, edits), nil
}

// TotalsRows are the rows of totals, of a table that has some.
func (t *Table) TotalsRows() placements.Rect {
	r := t.Area
	r.Top = t.Bottom() + 1
	return r
}

// RenameColumns is a table's part with other columns: each with the element of its source and the heading given.
func RenameColumns(doc []byte, columns []string, sources []int) ([]byte, error) {
	list, err := readColumns(doc, len(columns))
	if err != nil {
		return nil, err
	}
	var elements []byte
	for i, name := range columns {
		if sources[i] >= len(list.elements) {
			return nil, fmt.Errorf("%w: %d columns, not %d", xml.ErrXML, len(list.elements), sources[i]+1)
		}
		if sources[i] < 0 {
			list.last++
			attrs := xml.SetAttr([]byte(` id="`+strconv.Itoa(list.last)+`"`), "name", escapedHeading(name))
			elements = fmt.Appendf(elements, "<%stableColumn%s/>", list.ns, attrs)
			continue
		}
		c := list.elements[sources[i]]
		elements = fmt.Appendf(elements, "<%stableColumn%s%s", list.ns, xml.SetAttr(c.attrs, "name", escapedHeading(name)), c.rest)
	}
	list.inside.With = elements
	return xml.Apply(doc, append(list.count, list.inside)), nil
}

// columnList is the list of a table's columns, and where it stands in the part.
type columnList struct {
	ns       string
	elements []columnElement
	last     int        // the highest id
	count    []xml.Edit // of how many there are
	inside   xml.Edit   // from the first column to behind the last
}

// columnElement is the element of a table's column: its attributes, and what follows them.
type columnElement struct{ attrs, rest []byte }

// readColumns reads the columns of a table that will have so many.
func readColumns(doc []byte, count int) (list columnList, err error) {
	s := xml.NewScanner(bytes.NewReader(doc))
	if err = s.Root("table", nil); err != nil {
		return list, err
	}
	list.ns = s.NS
	for ; err == nil; err = s.Next() {
		switch {
		case s.Opens("tableColumns"):
			if e, ok := s.EditAttr("count", strconv.Itoa(count)); ok {
				list.count = append(list.count, e)
			}
		case s.Opens("tableColumn"):
			if err = list.add(s, doc); err != nil {
				return list, xml.Unexpected(err)
			}
		}
	}
	if err != io.EOF {
		return list, err
	}
	return list, nil
}

// add adds the column whose tag s stands at.
func (l *columnList) add(s *xml.Scanner, doc []byte) error {
	id, _ := strconv.Atoi(s.Attr("id"))
	l.last = max(l.last, id)
	if len(l.elements) == 0 {
		l.inside.From = s.From
	}
	c := columnElement{attrs: bytes.Clone(s.Attrs)}
	from := s.From + int64(len("<tableColumn")+len(s.NS)+len(s.Attrs))
	for kind, depth := s.Kind, s.Depth(); kind == xml.Start && s.Depth() >= depth; {
		if err := s.Next(); err != nil {
			return err
		}
	}
	c.rest = doc[from:s.To()]
	l.elements, l.inside.To = append(l.elements, c), s.To()
	return nil
}

// escapedHeading is a heading as the attribute of a column has it.
func escapedHeading(name string) string {
	return strings.ReplaceAll(string(xml.Unescape(nil, AppendText(nil, name))), "\n", "_x000a_")
}
