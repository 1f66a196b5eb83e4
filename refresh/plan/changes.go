package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// Changes are what a run does to one block.
type Changes struct {
	checksum.RowPlan
	Grid     *checksum.Grid // the block afterwards: the new table, with the rows and cells in it that a person typed and that are kept
	Formulas []Formula      // cells of rows written that hold a formula; without a text they are left as they are
	// FormatsBefore are the number formats that earlier writes gave to the columns as they stand.
	FormatsBefore []string

	Edits       []Edit // cells afterwards that are not the source's
	EditedRows  []int  // rows of the sheet, from 1, with such cells; when they are overwritten, where they stood
	Overwritten []OverwrittenRow
	// Inherited are rows that earlier attempts, of this run or of one that it has followed, may have replaced and could not report.
	Inherited []OverwrittenRow
	Beside    int // rows of Overwritten that leave, beside which a person had typed something
	Moved     int // rows that a person had moved
	Returned  int // rows that a person had deleted and that come back
	PutBack   PutBack
	Over      bool // what stood where the block goes for the first time is replaced

	Difference Difference

	Memory  Memory
	Stamp   string  // what the document is to keep of the write beside the marker
	Earlier []int64 // generations of earlier writes that were not completed
	// Unfinished are earlier writes that were not completed and left other columns, the newest first.
	Unfinished []checksum.Baseline
	Others     []uint64 // further rows that earlier writes which were not completed may leave
}

// Words returns what was put back, in a phrase.
func (b PutBack) Words() string {
	var list []string
	if b.Cells > 0 || b.Stood+b.Left == 0 {
		list = append(list, fmt.Sprintf("%d %s put back", b.Cells, Plural(b.Cells, "cell", "cells")))
	}
	if b.Stood > 0 {
		list = append(list, fmt.Sprintf("%d %s what was kept already", b.Stood, Plural(b.Stood, "cell holds", "cells hold")))
	}
	if b.Left > 0 {
		list = append(list, fmt.Sprintf("%d %s left: something else stands there than the run wrote", b.Left, Plural(b.Left, "cell", "cells")))
	}
	return strings.Join(list, ", ")
}

// Replaced are the rows whose values the run is to keep.
func (c Changes) Replaced() []OverwrittenRow { return slices.Concat(c.Overwritten, c.Inherited) }

// Overfull is the conflict of a run that replaces rows and would have to keep the values of too many, nil for none.
func (c Changes) Overfull() *placements.Fault {
	n := len(c.Overwritten) + len(c.Inherited)
	if len(c.Overwritten) == 0 || len(c.Inherited) == 0 || n <= MaxOverwritten {
		return nil
	}
	return Conflict("%d rows would be replaced, or may have been by runs whose end is not known: more than the %d whose values a run can keep: "+
		"refresh with onEdit \"keep\" first", n, MaxOverwritten)
}

// shownShifts is how many places Shifted names.
const shownShifts = 3

// Shifted returns which rows of cells are inserted and deleted in the block that stands at a cell, in words; empty for none.
func (c Changes) Shifted(at placements.Location) string {
	var places []string
	for _, s := range c.Shifts {
		n, what := s.Rows, "inserted"
		if n < 0 {
			n, what = -n, "deleted"
		}
		where := placements.Location{Sheet: at.Sheet, Anchor: placements.Anchor{Row: at.Anchor.Row + s.At, Column: at.Anchor.Column}}
		places = append(places, fmt.Sprintf("%d %s %s at %s", n, Plural(n, "row", "rows"), what, where))
	}
	words := strings.Join(places[:min(len(places), shownShifts)], ", ")
	if more := len(places) - shownShifts; more > 0 {
		words += fmt.Sprintf(" and %d more %s", more, Plural(more, "place", "places"))
	}
	return words
}

// shownRanges is how many ranges of rows a sentence names.
const shownRanges = 20

// Strayed returns, in sentences for the run, beside which rows of the block that stands at an anchor there may be notes of other records
// once the shifts are made, and for which nothing that referred to them does; none where all stays with its record.
func (c Changes) Strayed(at placements.Anchor) (list []string) {
	if c.Joined {
		list = append(list, fmt.Sprintf("rows come and go at more places than the %d at which this host can insert and delete cells: "+
			"those nearest to each other were written in place", len(c.Shifts)))
	}
	if n := len(c.Strays); n > 0 {
		list = append(list, fmt.Sprintf("%s %s in cells that other records had: what stands beside %s, or refers to them, stayed with the place",
			rowRanges(at, c.Strays), Plural(n, "stands", "stand"), Plural(n, "it", "them")))
	}
	if n := len(c.Anew); n > 0 {
		list = append(list, fmt.Sprintf("%s changed %s place among the others and %s in new cells: what stood beside %s is kept in the run, "+
			"and what referred to the old cells has lost them", rowRanges(at, c.Anew), Plural(n, "its", "their"), Plural(n, "stands", "stand"),
			Plural(n, "it", "them")))
	}
	return list
}

// rowRanges names rows of the block as the sheet numbers them, neighbours in one range.
func rowRanges(at placements.Anchor, rows []int) string {
	var ranges []string
	for i := 0; i < len(rows); {
		from := rows[i]
		to := from
		for i++; i < len(rows) && rows[i] == to+1; i++ {
			to++
		}
		name := strconv.Itoa(at.Row + from + 1)
		if to > from {
			name += "–" + strconv.Itoa(at.Row+to+1)
		}
		ranges = append(ranges, name)
	}
	words := strings.Join(ranges[:min(len(ranges), shownRanges)], ", ")
	if more := len(ranges) - shownRanges; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return Plural(len(rows), "row ", "rows ") + words
}

// Words returns what a person had done to the block that stands at an anchor, a phrase each.
func (c Changes) Words(at placements.Anchor) (found []string) {
	if c.Moved > 0 {
		found = append(found, fmt.Sprintf("%d moved %s put back in order", c.Moved, Plural(c.Moved, "row", "rows")))
	}
	if c.PutBack != (PutBack{}) {
		found = append(found, c.PutBack.Words())
	}
	if c.Returned > 0 {
		found = append(found, fmt.Sprintf("%d deleted %s written again", c.Returned, Plural(c.Returned, "row", "rows")))
	}
	if n := len(c.Edits); n > 0 {
		var cells []string
		for _, e := range c.Edits {
			cells = append(cells, spotCell(at, e.Row, e.Column)+" ("+e.Name+")")
		}
		found = append(found, fmt.Sprintf("%d %s typed by hand kept: %s", n, Plural(n, "cell", "cells"), shortList(cells)))
	}
	if n := len(c.Overwritten) - c.Beside + len(c.Inherited); n > 0 {
		found = append(found, fmt.Sprintf("%d %s typed by hand replaced, and kept in the run", n, Plural(n, "row", "rows")))
	}
	if n := c.Beside; n > 0 {
		found = append(found, fmt.Sprintf("what was typed beside %d %s that left is kept in the run", n, Plural(n, "row", "rows")))
	}
	return found
}

// Notices tell of cells of people in the block that stands at an anchor there, a sentence each, what they may not have meant.
func (c Changes) Notices(at placements.Anchor) (list []string) {
	var cells []string
	for _, e := range c.Edits {
		if e.TextAmongNumbers {
			cells = append(cells, spotCell(at, e.Row, e.Column))
		}
	}
	if n := len(cells); n > 0 {
		list = append(list, fmt.Sprintf("%s %s text where numbers are; sums leave %s out",
			shortList(cells), Plural(n, "is", "are"), Plural(n, "it", "them")))
	}
	return list
}
