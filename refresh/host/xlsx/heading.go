package xlsx

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

// maxHeading is the most that a table's heading holds, in UTF-16 units.
const maxHeading = 255

// headings returns the headings of a table once its block is written, and which column of the table each had before, -1 for a new one; nil
// where nothing changes. A column is renamed, added or taken away only where nothing depends on it.
func (f *frames) headings(t *part.Table, p *sheet.BlockPatch) (columns []string, sources []int, err error) {
	was, now := min(p.Before.Columns, len(t.Columns)), p.Extent.Columns
	if p.Before.Columns == 0 {
		was = min(now, len(t.Columns))
	}
	written, ok := p.Headings(t)
	if !ok {
		return t.Columns, nil, nil
	}
	columns = slices.Concat(written, t.Columns[was:])
	switch {
	case slices.Equal(columns, t.Columns):
		return t.Columns, nil, nil
	case p.Before.Columns == 0 || now != was && was < len(t.Columns) || !areHeadings(columns):
		return nil, nil, f.headingsInTheWay(t)
	}
	sources = sourcesOf(columns, t.Columns, was)
	if !slices.IsSorted(sources) || now != was {
		if err := f.checkColumns(t); err != nil {
			return nil, nil, err
		}
	}
	return columns, sources, f.checkNames(t, columns)
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
		sources[i] = part.IndexFold(old, name)
		if i >= was+grown { // behind the block
			sources[i] = i - grown
		} else if sources[i] < 0 && grown == 0 && part.IndexFold(now, old[i]) < 0 {
			sources[i] = i
		}
	}
	return sources
}

// checkColumns refuses to add, remove or reorder columns of a table where more than its headings depends on their places.
func (f *frames) checkColumns(t *part.Table) error {
	if t.Totals == 0 && !t.Filtered && !t.Linked && f.archive.Part(f.wb.Related("slicerCache")) == nil {
		return nil
	}
	return f.archive.Conflict("has table %q in the way of the report's other columns: turn off its totals row, "+
		"its filter and its slicers, or turn the table into a range.", t.Name)
}

// checkNames refuses to take away headings that a formula names.
func (f *frames) checkNames(t *part.Table, columns []string) error {
	gone := slices.DeleteFunc(slices.Clone(t.Columns), func(name string) bool { return part.IndexFold(columns, name) >= 0 })
	if len(gone) == 0 {
		return nil
	}
	names := func(text string, inside bool) bool {
		return slices.ContainsFunc(formula.References(text), func(r formula.Reference) bool {
			own := r.Name == "" && inside || strings.EqualFold(r.Name, t.Name)
			return own && slices.ContainsFunc(part.NamedColumns(r.Table), func(name string) bool { return part.IndexFold(gone, name) >= 0 })
		})
	}
	refuse := func(where string) error {
		return f.archive.Conflict("has a formula in %s that names a heading of table %q which the report no longer "+
			"has: change the formula, or turn the table into a range.", where, t.Name)
	}
	for i, text := range t.Calculated {
		if names(text, true) {
			return refuse(fmt.Sprintf("column %q", t.Columns[i]))
		}
	}
	for _, n := range slices.Concat(f.wb.Names, f.wb.Local) {
		if names("="+n.Ref, false) {
			return refuse(fmt.Sprintf("the name %q", n.Name))
		}
	}
	for _, sheet := range f.wb.Sheets {
		if sheet.Part == "" {
			continue
		}
		for f, err := range f.parts.Formulas(f.ctx, sheet) {
			if err != nil {
				return err
			}
			if names(f.Text, sheet == t.Sheet) {
				return refuse(fmt.Sprintf("%s on sheet %q", f.At, sheet.Name))
			}
		}
	}
	return nil
}

func (f *frames) totalsInTheWay(t *part.Table) error {
	return f.archive.Conflict("has the totals row of table %q in the way: refresh with shiftRows, "+
		"turn it off, or move one of the two.", t.Name)
}

func (f *frames) headingsInTheWay(t *part.Table) error {
	return f.archive.Conflict("has the headings of table %q in the way: turn the table into a range, or move one of the two.", t.Name)
}
