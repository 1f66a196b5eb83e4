package document

import (
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/refresh/host"
)

// Uncovered are hidden rows of a sheet, from 1, in which a row of a block, or of what stands below it, came to stand that was in sight: those
// that are shown now, and those that stay hidden.
type Uncovered struct{ Shown, Vanished []int64 }

// Notes say what became of the rows.
func (u Uncovered) Notes() []string { return uncoveredNotes(spansOf(u.Shown), spansOf(u.Vanished)) }

// spansOf are rows, from 1, as those from zero.
func spansOf(rows []int64) (spans []checksum.Span) {
	for _, row := range rows {
		spans = append(spans, checksum.Span{From: int(row) - 1, To: int(row)})
	}
	return host.MergeSpans(spans)
}

// uncoveredNotes say which hidden rows are shown now, and which stay hidden.
func uncoveredNotes(shown, vanished []checksum.Span) (notes []string) {
	if rows := rowsNamed(shown); rows != "" {
		notes = append(notes, rows+" shown now: hidden before, what moved there would have vanished")
	}
	if rows := rowsNamed(vanished); rows != "" {
		notes = append(notes, rows+" hidden by a filter and not shown, though what stands there was in sight before: apply the filter anew")
	}
	return notes
}

// Sentence is notes as one, without those that are empty.
func Sentence(notes []string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
}

// maxNamedRows bounds the rows that a note names, as runs of them.
const maxNamedRows = 5

// rowsNamed are rows of the sheet as the subject of a sentence, with its verb; empty for none.
func rowsNamed(rows []checksum.Span) string {
	var list []string
	for _, s := range rows {
		list = append(list, strconv.Itoa(s.From+1))
		if s.To > s.From+1 {
			list[len(list)-1] += "–" + strconv.Itoa(s.To)
		}
	}
	switch n := len(list); {
	case n == 0:
		return ""
	case n == 1 && rows[0].To == rows[0].From+1:
		return "row " + list[0] + " is"
	case n > maxNamedRows:
		list = append(list[:maxNamedRows], "…")
	}
	return "rows " + strings.Join(list, ", ") + " are"
}
