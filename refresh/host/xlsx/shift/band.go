package shift

import (
	"slices"
	"sort"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// band is columns of a sheet whose cells all move alike.
type band struct {
	left, right int
	pieces      []piece // from the top down, as they are after the shifts
	kept        []piece // those of them that were not inserted
	next        int     // the first piece that rows still to be read can be part of, or lend their styles to
	queue               // of its cells
	at          int     // the row that the cells of the row being read move to, -1 when they are deleted
	lends       bool    // rows inserted have the styles of the row being read
	blanks      []blank // those styles
	filled      bool    // a cell of the row being read holds something
	from        int     // where the cells of the row being read begin in the queue's data
}

// piece is rows that stay together, or rows that were inserted together.
type piece struct {
	out, rows int
	from      int  // the first of the rows before
	fresh     bool // inserted
	style     int  // of rows inserted: the row before that lends them its styles, -1 for none
}

// bands returns the columns of a sheet as they move; one band when none does.
func bands(by formula.Shifts, sheet string) []band {
	var on formula.Shifts
	edges := []int{0, placements.MaxColumn + 1}
	for _, s := range by {
		if strings.EqualFold(s.Sheet, sheet) {
			on = append(on, s)
			edges = append(edges, s.Left, min(s.Right, placements.MaxColumn)+1)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	list := make([]band, len(edges)-1)
	for i := range list {
		b := &list[i]
		b.left, b.right = edges[i], edges[i+1]-1
		b.pieces = []piece{{rows: placements.MaxRow + 1}}
		for _, s := range on {
			if s.Left <= b.left && b.right <= s.Right {
				b.pieces = shifted(b.pieces, s)
			}
		}
		b.pieces = joined(b.pieces)
		b.kept = slices.DeleteFunc(slices.Clone(b.pieces), func(p piece) bool { return p.fresh })
	}
	return list
}

// shifted returns the pieces after one more shift.
func shifted(list []piece, s formula.CellShift) []piece {
	list = cut(list, s.Row)
	if s.Rows > 0 {
		fresh := piece{fresh: true, rows: s.Rows, style: lender(list, s)}
		i, _ := find(list, s.Row)
		return slices.Insert(list, i, fresh)
	}
	list = cut(list, s.Row-s.Rows)
	from, _ := find(list, s.Row)
	to, _ := find(list, s.Row-s.Rows)
	return slices.Delete(list, from, to)
}

// lender is the row before all shifts that lends its styles to rows inserted: the one above them, or the one below where that above is the
// header of a block.
func lender(list []piece, s formula.CellShift) int {
	row := s.Row - 1
	if s.Row == s.Block.Top+1 {
		if row = s.Row; s.Block.Bottom < s.Row {
			return -1
		}
	}
	i, start := find(list, row)
	switch {
	case row < 0 || i == len(list):
		return -1
	case list[i].fresh:
		return list[i].style
	}
	return list[i].from + row - start
}

// find returns the piece that has a row, and the first row of the piece.
func find(list []piece, row int) (i, start int) {
	for i = range list {
		if row < start+list[i].rows {
			return i, start
		}
		start += list[i].rows
	}
	return len(list), start
}

// cut makes a piece begin at a row.
func cut(list []piece, row int) []piece {
	i, start := find(list, row)
	if i == len(list) || start == row {
		return list
	}
	above, below := list[i], list[i]
	above.rows = row - start
	below.rows -= above.rows
	if !below.fresh {
		below.from += above.rows
	}
	list[i] = above
	return slices.Insert(list, i+1, below)
}

// joined returns the pieces with those that stay together as one, each with the row where it stands.
func joined(list []piece) []piece {
	joined, out := list[:0], 0
	for _, p := range list {
		p.out = out
		out += p.rows
		last := len(joined) - 1
		if last >= 0 && !p.fresh && !joined[last].fresh && joined[last].from+joined[last].rows == p.from {
			joined[last].rows += p.rows
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// stays is how many rows from the top on do not move, and lend no row inserted their styles.
func (b *band) stays() int {
	if len(b.pieces) == 1 && b.pieces[0].from == 0 {
		return placements.MaxRow + 1
	}
	if p := b.pieces[0]; p.from == 0 && !p.fresh {
		return p.rows - 1
	}
	return 0
}

// least is the first row that rows to be read, from row on, can still add cells to.
func (b *band) least(row int) int {
	for ; b.next < len(b.pieces); b.next++ {
		p := &b.pieces[b.next]
		if p.fresh && p.style >= row {
			return p.out
		}
		if !p.fresh && p.from+p.rows > row {
			return p.out + max(0, row-p.from)
		}
	}
	return placements.MaxRow + 1
}

// begin takes up a row; least was called for it.
func (b *band) begin(row int) {
	b.at, b.lends, b.blanks, b.filled, b.from = -1, false, nil, false, len(b.data)
	for _, p := range b.pieces[b.next:] {
		switch {
		case p.fresh && p.style == row:
			b.lends = true
		case !p.fresh && p.from <= row && row < p.from+p.rows:
			b.at = p.out + row - p.from
		case !p.fresh && p.from > row:
			return
		}
	}
}

// end queues what was read of a row, and the cells of rows inserted that have its styles. Those of a row that is styled are queued even
// where it has none.
func (b *band) end(row int, styled, hidden bool) {
	end := b.from
	for _, p := range b.pieces[b.next:] {
		switch {
		case p.fresh && p.style == row:
			if last := min(p.out+p.rows-1, placements.MaxRow); (styled || len(b.blanks) > 0) && p.out <= last {
				b.put(entry{row: p.out, last: last, blanks: b.blanks, end: end})
			}
		case !p.fresh && p.from <= row && row < p.from+p.rows:
			if end = len(b.data); end > b.from || styled && b.at <= placements.MaxRow {
				b.put(entry{row: b.at, last: b.at, end: end, shows: b.filled && !hidden && b.at != row})
			}
		case !p.fresh && p.from > row:
			return
		}
	}
}

// moved returns by how many rows those from top to bottom move. whole is false when they do not move as one; none is left when kept is
// false.
func (b *band) moved(top, bottom int) (by int, kept, whole bool) {
	i := sort.Search(len(b.kept), func(i int) bool { return b.kept[i].from+b.kept[i].rows > top })
	if i == len(b.kept) || b.kept[i].from > bottom {
		return 0, false, true
	}
	p := b.kept[i]
	return p.out - p.from, true, p.from <= top && bottom < p.from+p.rows
}

// before is the row that stood, before the shifts, where a row is afterwards; false for one that was inserted.
func (b *band) before(row int) (int, bool) {
	i := sort.Search(len(b.pieces), func(i int) bool { return row < b.pieces[i].out+b.pieces[i].rows })
	if i == len(b.pieces) || b.pieces[i].fresh {
		return 0, false
	}
	return b.pieces[i].from + row - b.pieces[i].out, true
}

// rigid returns an area as it is after the shifts where all of it moves as one, or all is deleted: kept is false then. whole is false where
// neither is so.
func rigid(list []band, area placements.Rect) (moved placements.Rect, kept, whole bool) {
	first := true
	by := 0
	for i := range list {
		b := &list[i]
		if b.right < area.Left || b.left > area.Right {
			continue
		}
		d, k, w := b.moved(area.Top, area.Bottom)
		if !w || !first && (k != kept || d != by) {
			return area, false, false
		}
		by, kept, first = d, k, false
	}
	area.Top += by
	area.Bottom += by
	return area, kept, area.Bottom <= placements.MaxRow || !kept
}
