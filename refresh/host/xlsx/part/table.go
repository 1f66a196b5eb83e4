package part

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// Table is a table of a sheet, as structured references see it.
type Table struct {
	Name    string
	Path    string // of its part
	Sheet   Sheet
	Area    placements.Rect // with its headings and totals
	Header  bool            // its first row has the headings
	Totals  int             // rows of totals, its last
	Columns []string        // their headings
	// calculated are the formulas that new cells of the columns get, with their =; empty for a column without one, or with an array's.
	Calculated []string
	Filtered   bool // some rows are hidden by its filter, or sorted by it
	Linked     bool // its columns are those of a query or a map
}

// Is reports whether the table is the block with that anchor and so many columns: its headings are the block's, and behind them it may
// have columns of its own.
func (t *Table) Is(anchor placements.Anchor, columns int) bool {
	return t.Header && t.Area.Top == anchor.Row && t.Area.Left == anchor.Column && t.Area.Right >= anchor.Column+columns-1
}

// TableColumns is how many columns the table has that a marked block is, 0 where it is none.
func TableColumns(a *archive.Archive, at BlockPlace) (columns int, err error) {
	if !at.Marked {
		return 0, nil
	}
	tables, err := Tables(a, at.Sheet)
	for i := range tables {
		if t := &tables[i]; t.Is(at.Anchor, at.Extent.Columns) {
			columns = t.Area.Right - t.Area.Left + 1
		}
	}
	return columns, err
}

// Bottom is the last row of its data.
func (t *Table) Bottom() int { return t.Area.Bottom - t.Totals }

// Tables reads the tables of a sheet.
func Tables(a *archive.Archive, of Sheet) (list []Table, err error) {
	paths, err := TablePaths(a, of)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		doc, err := a.Read(path)
		if err != nil {
			return nil, err
		}
		t, err := ParseTable(doc)
		if err != nil {
			return nil, a.Broken(fmt.Errorf("%s: %w", path, err))
		}
		t.Path, t.Sheet = path, of
		list = append(list, t)
	}
	return list, nil
}

// TablePaths lists the parts that have the tables of a sheet.
func TablePaths(a *archive.Archive, of Sheet) (list []string, err error) {
	relations, err := a.Relations(of.Part)
	for _, r := range relations {
		if r.Kind == "table" {
			list = append(list, r.Target)
		}
	}
	return list, err
}

// ParseTable reads a table's part.
func ParseTable(doc []byte) (t Table, err error) {
	s := xml.NewScanner(bytes.NewReader(doc))
	if err = s.Root("table", nil); err != nil {
		return t, err
	}
	t.Name, t.Header = s.Attr("displayName"), s.Attr("headerRowCount") != "0"
	t.Totals, _ = strconv.Atoi(s.Attr("totalsRowCount"))
	t.Area, _ = cursor.Area(s, "ref")
	kind := s.Attr("tableType")
	t.Linked = kind != "" && kind != "worksheet"
	for ; err == nil; err = s.Next() {
		switch {
		case s.Opens("tableColumn"):
			t.Columns = append(t.Columns, string(DecodeText([]byte(s.Attr("name")), 0)))
			t.Calculated = append(t.Calculated, "")
		case s.Opens("filterColumn"), s.Opens("sortState"):
			t.Filtered = true
		case s.Kind == xml.Start && s.Is("calculatedColumnFormula") && len(t.Calculated) > 0 && !xml.True(s.Attr("array")):
			err = readCalculated(s, &t.Calculated[len(t.Calculated)-1])
		}
		if err != nil {
			break
		}
	}
	if err != io.EOF {
		return t, err
	}
	return t, nil
}

// readCalculated reads the formula of a calculated column, whose tag s stands at, with its =.
func readCalculated(s *xml.Scanner, into *string) error {
	text := []byte{'='}
	for depth := s.Depth(); s.Depth() >= depth; {
		if err := s.Next(); err != nil {
			return xml.Unexpected(err)
		}
		text = s.AppendContent(text)
	}
	*into = "=" + strings.TrimLeft(string(text), "=")
	return nil
}

// tableItem is a part of a structured reference: in brackets, or by itself behind an @. A ' escapes a bracket and itself.
var tableItem = regexp.MustCompile(`\[((?:'.|[^\[\]'])*)\](:?)`)

// Cells returns the cells that a structured reference's brackets name: whole columns of the table, or all of it.
func (t Table) Cells(brackets string) (placements.Rect, bool) {
	first, last := -1, -1
	for _, name := range NamedColumns(brackets) {
		at := IndexFold(t.Columns, name)
		if at < 0 {
			return placements.Rect{}, false
		}
		if first < 0 {
			first, last = at, at
		}
		first, last = min(first, at), max(last, at)
	}
	area := t.Area
	if first >= 0 {
		area.Left, area.Right = t.Area.Left+first, t.Area.Left+last
	}
	return area, true
}

// NamedColumns lists the headings that a structured reference's brackets name.
func NamedColumns(brackets string) (list []string) {
	for _, m := range tableItem.FindAllStringSubmatch(brackets, -1) {
		if name := strings.TrimPrefix(strings.TrimSpace(m[1]), "@"); name != "" && !strings.HasPrefix(name, "#") {
			list = append(list, unescapeHeading(name))
		}
	}
	return list
}

// unescapeHeading drops each ' that escapes the character behind it.
func unescapeHeading(s string) string {
	var b strings.Builder
	for escaped := false; len(s) > 0; s = s[1:] {
		if escaped = s[0] == '\'' && !escaped; !escaped {
			b.WriteByte(s[0])
		}
	}
	return b.String()
}

// IndexFold is the index of a name, in whatever case; -1 for none.
func IndexFold(list []string, name string) int {
	return slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}
