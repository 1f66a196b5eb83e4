package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// maxHeading is the most that a table's heading holds, in UTF-16 units.
const maxHeading = 255

// headings returns the headings of a table once its block is written, and which column of the table each had before, -1 for a new one; nil
// where nothing changes. A column is renamed, added or taken away only where nothing depends on it.
func (w *writer) headings(t *table, p *sheetPatch) (columns []string, sources []int, err error) {
	was, now := min(p.before.Columns, len(t.columns)), p.Extent.Columns
	if p.before.Columns == 0 {
		was = min(now, len(t.columns))
	}
	written, ok := p.headings(t)
	if !ok {
		return t.columns, nil, nil
	}
	columns = slices.Concat(written, t.columns[was:])
	switch {
	case slices.Equal(columns, t.columns):
		return t.columns, nil, nil
	case p.before.Columns == 0 || now != was && was < len(t.columns) || !areHeadings(columns):
		return nil, nil, w.headingsInTheWay(t)
	}
	sources = sourcesOf(columns, t.columns, was)
	if !slices.IsSorted(sources) || now != was {
		if err := w.checkColumns(t); err != nil {
			return nil, nil, err
		}
	}
	return columns, sources, w.checkNames(t, columns)
}

// headings are the headings of the block as the patch leaves them; false where it does not write them. One that is no text is empty.
func (x *sheetPatch) headings(t *table) (list []string, ok bool) {
	top := x.Block.Anchor.Row
	if !host.Holds(x.rows, top) {
		return nil, false
	}
	list = make([]string, x.Extent.Columns)
	copy(list, t.columns)
	for _, c := range x.cells(top, nil) {
		if i := c.column - x.Block.Anchor.Column; i < len(list) {
			list[i] = ""
			if c.Kind == checksum.Text && c.formula == "" {
				list[i] = strings.Clone(c.Text)
			}
		}
	}
	return list, true
}

// areHeadings reports whether a table can have the headings: texts that differ by more than case.
func areHeadings(list []string) bool {
	seen := map[string]bool{}
	for _, name := range list {
		key := strings.ToLower(name)
		if name == "" || seen[key] || len(utf16.Encode([]rune(name))) > maxHeading {
			return false
		}
		seen[key] = true
	}
	return true
}

// sourcesOf returns which of the old columns each of the new ones is: that of its name, or else, where the block has as many columns as
// before, the one in its place if that is otherwise lost.
func sourcesOf(now, old []string, was int) []int {
	grown := len(now) - len(old)
	sources := make([]int, len(now))
	for i, name := range now {
		sources[i] = indexFold(old, name)
		if i >= was+grown { // behind the block
			sources[i] = i - grown
		} else if sources[i] < 0 && grown == 0 && indexFold(now, old[i]) < 0 {
			sources[i] = i
		}
	}
	return sources
}

// checkColumns refuses to add, remove or reorder columns of a table where more than its headings depends on their places.
func (w *writer) checkColumns(t *table) error {
	if t.totals == 0 && !t.filtered && !t.linked && w.part(w.wb.related("slicerCache")) == nil {
		return nil
	}
	return newFault(placements.Conflict, w.document, nil, "has table %q in the way of the report's other columns: turn off its totals row, "+
		"its filter and its slicers, or turn the table into a range.", t.name)
}

// checkNames refuses to take away headings that a formula names.
func (w *writer) checkNames(t *table, columns []string) error {
	gone := slices.DeleteFunc(slices.Clone(t.columns), func(name string) bool { return indexFold(columns, name) >= 0 })
	if len(gone) == 0 {
		return nil
	}
	names := func(text string, inside bool) bool {
		return slices.ContainsFunc(formula.References(text), func(r formula.Reference) bool {
			own := r.Name == "" && inside || strings.EqualFold(r.Name, t.name)
			return own && slices.ContainsFunc(namedColumns(r.Table), func(name string) bool { return indexFold(gone, name) >= 0 })
		})
	}
	refuse := func(where string) error {
		return newFault(placements.Conflict, w.document, nil, "has a formula in %s that names a heading of table %q which the report no longer "+
			"has: change the formula, or turn the table into a range.", where, t.name)
	}
	for i, text := range t.calculated {
		if names(text, true) {
			return refuse(fmt.Sprintf("column %q", t.columns[i]))
		}
	}
	for _, n := range slices.Concat(w.wb.names, w.wb.local) {
		if names("="+n.ref, false) {
			return refuse(fmt.Sprintf("the name %q", n.name))
		}
	}
	for _, sheet := range w.wb.sheets {
		if sheet.part == "" {
			continue
		}
		for f, err := range w.formulas(w.ctx, sheet) {
			if err != nil {
				return err
			}
			if names(f.text, sheet == t.sheet) {
				return refuse(fmt.Sprintf("%s on sheet %q", f.at, sheet.name))
			}
		}
	}
	return nil
}

// renamed is a table's part with other columns: each with the element of its source and the heading given.
func renamed(doc []byte, columns []string, sources []int) ([]byte, error) {
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
	return strings.ReplaceAll(string(xml.Unescape(nil, appendXLSXText(nil, name))), "\n", "_x000a_")
}

func (w *writer) totalsInTheWay(t *table) error {
	return newFault(placements.Conflict, w.document, nil, "has the totals row of table %q in the way: refresh with shiftRows, "+
		"turn it off, or move one of the two.", t.name)
}

func (w *writer) headingsInTheWay(t *table) error {
	return newFault(placements.Conflict, w.document, nil,
		"has the headings of table %q in the way: turn the table into a range, or move one of the two.", t.name)
}
