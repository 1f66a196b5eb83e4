package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// table is a table of a sheet, as structured references see it.
type table struct {
	name    string
	path    string // of its part
	sheet   sheet
	area    placements.Rect // with its headings and totals
	header  bool            // its first row has the headings
	totals  int             // rows of totals, its last
	columns []string        // their headings
	// calculated are the formulas that new cells of the columns get, with their =; empty for a column without one, or with an array's.
	calculated []string
	filtered   bool // some rows are hidden by its filter, or sorted by it
	linked     bool // its columns are those of a query or a map
}

// is reports whether the table is the block with that anchor and so many columns: its headings are the block's, and behind them it may
// have columns of its own.
func (t *table) is(anchor placements.Anchor, columns int) bool {
	return t.header && t.area.Top == anchor.Row && t.area.Left == anchor.Column && t.area.Right >= anchor.Column+columns-1
}

// tableColumns is how many columns the table has that a marked block is, 0 where it is none.
func (p *archive) tableColumns(at foundBlock) (columns int, err error) {
	if !at.marked {
		return 0, nil
	}
	tables, err := p.tables(at.sheet)
	for i := range tables {
		if t := &tables[i]; t.is(at.anchor, at.extent.Columns) {
			columns = t.area.Right - t.area.Left + 1
		}
	}
	return columns, err
}

// bottom is the last row of its data.
func (t *table) bottom() int { return t.area.Bottom - t.totals }

// tables reads the tables of a sheet.
func (p *archive) tables(of sheet) (list []table, err error) {
	paths, err := p.tablePaths(of)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		doc, err := p.read(path)
		if err != nil {
			return nil, err
		}
		t, err := parseTable(doc)
		if err != nil {
			return nil, p.broken(fmt.Errorf("%s: %w", path, err))
		}
		t.path, t.sheet = path, of
		list = append(list, t)
	}
	return list, nil
}

// tablePaths lists the parts that have the tables of a sheet.
func (p *archive) tablePaths(of sheet) (list []string, err error) {
	relations, err := p.relations(of.part)
	for _, r := range relations {
		if r.kind == "table" {
			list = append(list, r.target)
		}
	}
	return list, err
}

// parseTable reads a table's part.
func parseTable(doc []byte) (t table, err error) {
	s := xml.NewScanner(bytes.NewReader(doc))
	if err = s.Root("table", nil); err != nil {
		return t, err
	}
	t.name, t.header = s.Attr("displayName"), s.Attr("headerRowCount") != "0"
	t.totals, _ = strconv.Atoi(s.Attr("totalsRowCount"))
	t.area, _ = cursor.Area(s, "ref")
	kind := s.Attr("tableType")
	t.linked = kind != "" && kind != "worksheet"
	for ; err == nil; err = s.Next() {
		switch {
		case s.Opens("tableColumn"):
			t.columns = append(t.columns, string(decodeXLSXText([]byte(s.Attr("name")), 0)))
			t.calculated = append(t.calculated, "")
		case s.Opens("filterColumn"), s.Opens("sortState"):
			t.filtered = true
		case s.Kind == xml.Start && s.Is("calculatedColumnFormula") && len(t.calculated) > 0 && !xml.True(s.Attr("array")):
			err = readCalculated(s, &t.calculated[len(t.calculated)-1])
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

// part returns the cells that a structured reference's brackets name: whole columns of the table, or all of it.
func (t table) part(brackets string) (placements.Rect, bool) {
	first, last := -1, -1
	for _, name := range namedColumns(brackets) {
		at := indexFold(t.columns, name)
		if at < 0 {
			return placements.Rect{}, false
		}
		if first < 0 {
			first, last = at, at
		}
		first, last = min(first, at), max(last, at)
	}
	area := t.area
	if first >= 0 {
		area.Left, area.Right = t.area.Left+first, t.area.Left+last
	}
	return area, true
}

// namedColumns lists the headings that a structured reference's brackets name.
func namedColumns(brackets string) (list []string) {
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

func indexFold(list []string, name string) int {
	return slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}
