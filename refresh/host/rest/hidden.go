package rest

import (
	"slices"

	"mooring/checksum"
	"mooring/refresh/host"
)

// A row's hiding is of the whole row, and stays when cells shift: rows of a block, or of what stands below it, may come to stand in hidden
// rows, out of sight.

// Hiding are rows of a sheet, from its first, that are hidden: by hand, or by a filter. Both ascend.
type Hiding struct{ ByHand, ByFilter []checksum.Span }

// All are the rows hidden in either way.
func (h Hiding) All() []checksum.Span { return host.MergeSpans(slices.Concat(h.ByHand, h.ByFilter)) }

// Add adds rows that count from one of the sheet.
func (h *Hiding) Add(o Hiding, top int) {
	add := func(list, more []checksum.Span) []checksum.Span {
		for _, s := range more {
			list = append(list, checksum.Span{From: s.From + top, To: s.To + top})
		}
		return host.MergeSpans(list)
	}
	h.ByHand, h.ByFilter = add(h.ByHand, o.ByHand), add(h.ByFilter, o.ByFilter)
}

// Uncovered are hidden rows of a sheet in which something comes to stand that was not hidden before.
type Uncovered struct {
	Block []int   // rows of the block
	Below []Moved // rows of what may stand below it
}

// Moved is a row that cells come to stand in, and the one that they stood in.
type Moved struct{ Was, Is int }

// Uncovers returns what one of patches on a sheet of so many rows uncovers. hidden are the sheet's hidden rows, ascending.
func Uncovers(placed []PlacedPatch, one int, hidden []checksum.Span, rows int) (u Uncovered) {
	if len(hidden) == 0 {
		return u
	}
	p := &placed[one]
	stood := origins(placed, p, rows)
	top, gained := p.After.Row, p.After.Row+p.Extent.Rows
	if len(p.Shifts) == 0 {
		gained = top + p.Had.Rows
	}
	for _, s := range hidden {
		for row := max(s.From, top); row < min(s.To, len(stood)); row++ {
			was, inBlock := stood[row], row < top+p.Extent.Rows
			switch {
			case inBlock && (was < 0 || row >= gained), inBlock && was != row && !host.Holds(hidden, was):
				u.Block = append(u.Block, row)
			case !inBlock && was >= 0 && was != row && !host.Holds(hidden, was):
				u.Below = append(u.Below, Moved{was, row})
			}
		}
	}
	return u
}

// origins returns where the rows of a sheet stood in the columns of a patch before all patches, and -1 for those inserted.
func origins(placed []PlacedPatch, p *PlacedPatch, rows int) []int {
	stood := make([]int, rows)
	for i := range stood {
		stood[i] = i
	}
	for i := range placed {
		q := &placed[i]
		if q.Sheet != p.Sheet || p.At.Column < q.At.Column || p.At.Column >= q.At.Column+q.Wide {
			continue
		}
		for _, m := range q.Moves {
			from, to := q.At.Row+m.From, q.At.Row+m.To
			cut := slices.Clone(stood[from : from+m.Rows])
			if to > from {
				to -= m.Rows
			}
			stood = slices.Insert(slices.Delete(stood, from, from+m.Rows), to, cut...)
		}
		for _, s := range q.Shifts {
			at := min(q.At.Row+s.At, len(stood))
			if s.Rows < 0 {
				stood = slices.Delete(stood, at, min(at-s.Rows, len(stood)))
				continue
			}
			stood = slices.Insert(stood, at, slices.Repeat([]int{-1}, s.Rows)...)
		}
	}
	return stood
}

// Span returns the rows that the cells below a block stood in: the first, and the one behind the last.
func (u Uncovered) Span() (first, end int) {
	first = u.Below[0].Was
	for _, m := range u.Below {
		first, end = min(first, m.Was), max(end, m.Was+1)
	}
	return first, end
}

// Filled returns the rows that something below a block comes to stand in. filled are cells that hold something, from the first row of Span
// on.
func (u Uncovered) Filled(first int, filled map[host.Position]bool) (rows []int) {
	in := map[int]bool{}
	for at := range filled {
		in[first+at.Row] = true
	}
	for _, m := range u.Below {
		if in[m.Was] {
			rows = append(rows, m.Is)
		}
	}
	return rows
}
