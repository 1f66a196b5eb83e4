package plan

import (
	"fmt"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// Conflict returns the fault of cells that are not the report's, or were edited by hand: a sentence that says what to do.
func Conflict(format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: placements.Conflict, Message: fmt.Sprintf(format, args...)}
}

// Overwritable is Conflict of what a refresh with onEdit "overwrite" replaces.
func Overwritable(format string, args ...any) *placements.Fault {
	f := Conflict(format, args...)
	f.Clash = &placements.Clash{Overwrite: true}
	return f
}

// spot names a cell of the block as the user sees it.
func spot(v View, row, column int) string {
	at := placements.Anchor{Row: v.Anchor.Row + row, Column: v.Anchor.Column + column}
	return placements.Location{Sheet: v.Sheet, Anchor: at}.String()
}

// spotCell names a cell of the block without its sheet.
func spotCell(at placements.Anchor, row, column int) string {
	return placements.Anchor{Row: at.Row + row, Column: at.Column + column}.String()
}

// spotRange names a rectangle from the block's anchor as the user sees it.
func spotRange(v View, e checksum.Extent) string {
	end := placements.Anchor{Row: v.Anchor.Row + max(e.Rows, 1) - 1, Column: v.Anchor.Column + max(e.Columns, 1) - 1}
	return fmt.Sprintf("%s:%s", spot(v, 0, 0), end)
}

// shortList names the first few of a list.
func shortList(names []string) string {
	const shown = 5
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

func wereWas(n int) string { return Plural(n, "was", "were") }

// Plural returns one when n is 1, else many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func quoted(name string) string { return "\"" + name + "\"" }

func names(list []string) string {
	out := make([]string, len(list))
	for i, name := range list {
		out[i] = quoted(name)
	}
	return strings.Join(out, ", ")
}

// values names cells as a message does.
func values(cells []checksum.Cell) string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = quoted(checksum.Heading(cells, i))
		if c.Kind == checksum.Empty {
			out[i] = "an empty cell"
		}
	}
	return strings.Join(out, ", ")
}

// columnName is a column's heading, or where it stands in the block if it has none.
func columnName(headings []checksum.Cell, column int) string {
	if name := checksum.Heading(headings, column); name != "" && !strings.HasPrefix(name, formulaSign) {
		return name
	}
	return "column " + strconv.Itoa(column+1)
}

func insert(n int, what, where string) string {
	if n == 1 {
		return fmt.Sprintf("insert a %s %s, ", what, where)
	}
	return fmt.Sprintf("insert %d %ss %s, ", n, what, where)
}

// Formulas take part in a merge as texts: what a formula shows is no matter, it is a person's. formulaSign begins such a text, behind
// which a relativeFormula stands with its =, or what tells apart a cell that the formula of another one fills. A source may have such
// texts too, so that they do not prove a formula.
const formulaSign = "\x00"
