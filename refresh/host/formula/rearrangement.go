package formula

import (
	"slices"
	"strings"

	"mooring/placements"
)

// Rearrangement says where the cells of a sheet are after the rows of a block were written in another order: those of the block are where
// their row and column went, all others where shifts moved them.
type Rearrangement struct {
	sheet         string
	block         placements.Rect
	rows, columns *lines
	by            Shifts
}

// NewRearrangement returns that of a block whose cells stood in an area. For each of its rows, and of its columns, it takes that of the
// sheet which it became, -1 for one that is gone; no two became the same. The shifts are of the block's sheet.
func NewRearrangement(sheet string, block placements.Rect, rows, columns []int, by Shifts) *Rearrangement {
	below, _ := by.Cell(sheet, block.Bottom+1, block.Left)
	return &Rearrangement{
		sheet: sheet, block: block, by: by,
		rows: newLines(block.Top, rows, below), columns: newLines(block.Left, columns, block.Right+1),
	}
}

// Without makes rows of the sheet before, ascending, rows whose records left: what refers to such rows alone is gone, whatever their cells
// hold, while a range over others too still covers their cells.
func (r *Rearrangement) Without(left []int) *Rearrangement {
	stay := make([]int, 1, len(r.rows.here))
	for i, line := range r.rows.became {
		n := stay[i]
		if len(left) > 0 && left[0] == r.rows.from+i {
			left = left[1:]
		} else if line >= 0 {
			n++
		}
		stay = append(stay, n)
	}
	r.rows.stay = stay
	return r
}

// Rewrite returns a formula as it reads afterwards, as Rewriter.Rewrite does for shifts alone. at is where it stood.
//
// A range names the cells that it named before and rows gained between them. Where none does so, because others came between or some
// of its columns are not the block's, it is as the shifts leave it. A reference that names the sheets from one to another stays, as
// spreadsheet programs leave it where cells of one of them are cut and pasted: the cells of the others did not move.
func (r *Rearrangement) Rewrite(text string, at Place) string {
	if !strings.ContainsAny(text, "0123456789") {
		return text
	}
	var b []byte
	done := 0
	for s := (scanner{text: text}); ; {
		o, ok := s.next()
		switch {
		case ok && o.corners > 0 && o.on(r.sheet, at.Sheet):
			area, kept := r.follow(o.area(), at, o.growth(ofCell))
			b, done = o.spell(b, text, done, area, kept)
		case !ok && done == 0:
			return text
		case !ok:
			return string(append(b, text[done:]...))
		}
	}
}

// on reports whether an operand refers to a sheet. stands is that of its formula.
func (o *operand) on(sheet, stands string) bool {
	if o.sheet != "" {
		stands = unquoted(o.sheet)
	}
	return !o.foreign && strings.EqualFold(stands, sheet)
}

// follow returns the cells of a reference afterwards; false when they are gone.
func (r *Rearrangement) follow(area placements.Rect, at Place, g growth) (placements.Rect, bool) {
	shifted, kept := r.by.follow(r.sheet, area, at, g)
	if !r.block.Intersects(area) || area.Left < r.block.Left || area.Right > r.block.Right {
		return shifted, kept
	}
	rows, kept := r.rows.follow(span{area.Top, area.Bottom}, span{shifted.Top, shifted.Bottom}, kept)
	columns := span{area.Left, area.Right}
	if kept && area.Top >= r.block.Top && area.Bottom <= r.block.Bottom {
		columns, kept = r.columns.follow(columns, columns, true)
	}
	return placements.Rect{Top: rows.first, Left: columns.first, Bottom: rows.last, Right: columns.last}, kept
}

// span is lines from one to another.
type span struct{ first, last int }

// lines are the rows of a block, or its columns, each with the one that it became.
type lines struct {
	from   int    // the first of them
	next   int    // what the one behind the last became
	became []int  // -1 for one that is gone
	here   []int  // by line: how many of those before it are not gone
	stay   []int  // by line: how many of those before it are what they were
	taken  []int  // which they became, ascending
	ends   []span // of each stride whole lines: the first and the last that they became
}

// stride is how many lines are looked at in one, so that long ranges take no time.
const stride = 256

func newLines(from int, became []int, next int) *lines {
	l := &lines{from: from, next: next, became: became, here: make([]int, 1, len(became)+1)}
	for i, line := range became {
		here := l.here[i]
		if line >= 0 {
			here++
			l.taken = append(l.taken, line)
		}
		l.here = append(l.here, here)
		if (i+1)%stride == 0 {
			l.ends = append(l.ends, none.with(became[i+1-stride:i+1]))
		}
	}
	slices.Sort(l.taken)
	l.stay = l.here
	return l
}

// none is the span of no lines.
var none = span{placements.MaxRow + 1, -1}

// union is the fewest lines that hold both.
func (s span) union(t span) span { return span{min(s.first, t.first), max(s.last, t.last)} }

// with is the fewest lines that hold those of s and others, of which -1 is none.
func (s span) with(others []int) span {
	for _, line := range others {
		if line >= 0 {
			s = s.union(span{line, line})
		}
	}
	return s
}

// reach is the fewest lines that hold what those from first on and before end became.
func (l *lines) reach(first, end int) span {
	s := none
	for first < end {
		if first%stride == 0 && first+stride <= end {
			s = s.union(l.ends[first/stride])
			first += stride
			continue
		}
		next := min(end, first-first%stride+stride)
		s = s.with(l.became[first:next])
		first = next
	}
	return s
}

// follow returns the lines that some became which shifts leave at shifted, or delete when kept is false: these if they are all that is
// left of them and no others, else the fewest that are, else these after all.
func (l *lines) follow(some, shifted span, kept bool) (span, bool) {
	first, end := max(some.first-l.from, 0), min(some.last-l.from+1, len(l.became))
	above, below := some.first < l.from, some.last >= l.from+len(l.became)
	if first >= end || (above || below) && !kept {
		return shifted, kept
	}
	left, became := l.here[end]-l.here[first], l.reach(first, end)
	if !above && !below && l.stay[first] == l.stay[end] {
		return none, false
	}
	if above {
		became = became.union(span{shifted.first, l.from - 1})
	}
	if below {
		became = became.union(span{l.next, shifted.last})
	}
	if became == none {
		return none, false
	}
	within := kept && shifted.first <= became.first && shifted.last >= became.last
	if within && l.count(shifted) == left || l.count(became) != left {
		return shifted, kept
	}
	return became, true
}

// count returns how many lines became one of some.
func (l *lines) count(some span) int {
	from, _ := slices.BinarySearch(l.taken, some.first)
	to, _ := slices.BinarySearch(l.taken, some.last+1)
	return to - from
}
