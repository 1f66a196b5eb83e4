package xlsx

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// table is a table of a sheet, as structured references see it.
type table struct {
	name    string
	sheet   sheet
	area    placements.Rect
	columns []string // their headings
}

// tables reads the tables of a sheet.
func (p *archive) tables(of sheet) (list []table, err error) {
	relations, err := p.relations(of.part)
	if err != nil {
		return nil, err
	}
	for _, r := range relations {
		if r.kind != "table" {
			continue
		}
		t, err := p.table(r.target)
		if err != nil {
			return nil, p.broken(fmt.Errorf("%s: %w", r.target, err))
		}
		t.sheet = of
		list = append(list, t)
	}
	return list, nil
}

func (p *archive) table(part string) (t table, err error) {
	doc, err := p.read(part)
	if err != nil {
		return t, err
	}
	s := xml.NewScanner(bytes.NewReader(doc))
	if err = s.Root("table", nil); err != nil {
		return t, err
	}
	t.name = s.Attr("displayName")
	t.area, _ = cursor.Area(s, "ref")
	for ; err == nil; err = s.Next() {
		if s.Opens("tableColumn") {
			t.columns = append(t.columns, string(decodeXLSXText([]byte(s.Attr("name")), 0)))
		}
	}
	if err != io.EOF {
		return t, err
	}
	return t, nil
}

// tableItem is a part of a structured reference: in brackets, or by itself behind an @. A ' escapes a bracket and itself.
var tableItem = regexp.MustCompile(`\[((?:'.|[^\[\]'])*)\](:?)`)

// part returns the cells that a structured reference's brackets name: whole columns of the table, or all of it.
func (t table) part(brackets string) (placements.Rect, bool) {
	first, last := -1, -1
	for _, m := range tableItem.FindAllStringSubmatch(brackets, -1) {
		name := strings.TrimPrefix(strings.TrimSpace(m[1]), "@")
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		at := t.column(name)
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

// column returns the number of the column with that heading, -1 for none.
func (t table) column(escaped string) int {
	name := unescapeHeading(escaped)
	for i, c := range t.columns {
		if strings.EqualFold(c, name) {
			return i
		}
	}
	return -1
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
