package checksum

import (
	"cmp"
	"slices"
)

// Comparison is how a table differs from the one that stood before, by rows. The header counts only where it takes another one's place.
type Comparison struct {
	Changed, Added, Removed int
	Moved                   int // the fewest rows, of those that are equal, that must be moved to put all in the new order
	// Rows are the changed, added and removed ones, by their place. It is nil when they are more than were asked for.
	Rows []RowPair
}

// RowPair is a row of the table before and what it is in the new one. None has a number below 0.
type RowPair struct{ Before, After int }

// Contents is a grid and the fingerprints of its rows, which may be fewer or, where the rest is empty, more than those of the grid.
type Contents struct {
	*Grid
	Fingerprints []uint64
}

// Compare returns the difference between two tables, with its Rows if they are no more than most. Rows that are not equal are the same one
// by key or, with the zero RowKey, if they stand between the same rows and most of their cells are equal, or as many are left there as before.
func Compare(before, after Contents, key RowKey, most int) Comparison {
	d := &differ{before: before, after: after}
	if filled(before.Fingerprints) == 0 {
		d.pairing = newPairing(0, len(after.Fingerprints))
		return d.difference(most)
	}
	d.pairing = matchEqual(before.Fingerprints, after.Fingerprints, 1)
	moved := d.moved()
	if len(after.Fingerprints) > 0 {
		d.pair(0, 0)
	}
	few := d.loose(d.toB) <= most && d.loose(d.toA) <= most
	switch {
	case key.rows == nil:
		if few {
			d.pairAlike()
		}
		d.pairByPlace()
	case few:
		d.pairByKey(key.columns)
	}
	out := d.difference(most)
	out.Moved = moved
	return out
}

// InPlace is Compare for tables whose rows are the same ones if they have the same number.
func InPlace(before, after Contents, most int) Comparison {
	d := &differ{before: before, after: after, pairing: newPairing(len(before.Fingerprints), len(after.Fingerprints))}
	for row := range min(len(before.Fingerprints), len(after.Fingerprints)) {
		d.pair(row, row)
	}
	return d.difference(most)
}

// differ is a comparison in progress. Its pairing relates rows of the table before, a, to those of the new one, b.
type differ struct {
	pairing
	before, after Contents
}

// loose is how many rows have no partner.
func (d *differ) loose(partners []int32) (n int) {
	for _, partner := range partners {
		if partner == none {
			n++
		}
	}
	return n
}

// gap is rows [from,to) of the table before, and those of the new one that stand between the same neighbours.
type gap struct {
	from, to int
	rows     []int
}

func (d *differ) allGaps() (list []gap) {
	d.gaps(nil, func(from, to int, rows []int) {
		if from < to {
			list = append(list, gap{from, to, slices.Clone(rows)})
		}
	})
	return list
}

// pairAlike pairs the rows of each gap of which at least half of the filled cells are equal, in order: the most alike of those that follow
// the pair before.
func (d *differ) pairAlike() {
	for _, g := range d.allGaps() {
		next := g.from
		for _, b := range g.rows {
			if best := d.mostAlike(b, next, g.to); best != none {
				d.pair(best, b)
				next = best + 1
			}
		}
	}
}

// mostAlike is the row of the table before, of [from,to), that has the most cells of row b, and at least half of them; none without one.
func (d *differ) mostAlike(b, from, to int) int {
	best, most := none, 0
	now := d.after.row(b)
	for a := from; a < to; a++ {
		was := d.before.row(a)
		same, filled := alike(was, now), max(count(was), count(now))
		if same > most && 2*same >= filled {
			best, most = a, same
		}
	}
	return best
}

// row is the cells of a row, none where the grid ends.
func (t Contents) row(i int) []Cell {
	if i >= t.Rows() {
		return nil
	}
	return t.Cells(i, nil)
}

// alike is how many filled cells of two rows are equal.
func alike(a, b []Cell) (same int) {
	for i, c := range a {
		if c.Kind != Empty && c.Same(CellAt(b, i)) {
			same++
		}
	}
	return same
}

// count is how many cells of a row are filled.
func count(row []Cell) (n int) {
	for _, c := range row {
		if c.Kind != Empty {
			n++
		}
	}
	return n
}

// pairByPlace pairs the rows of the gaps in which as many stand as before.
func (d *differ) pairByPlace() {
	for _, g := range d.allGaps() {
		if len(g.rows) != g.to-g.from {
			continue
		}
		for i, b := range g.rows {
			d.pair(g.from+i, b)
		}
	}
}

// pairByKey pairs the rows with the same values in the columns of the key.
func (d *differ) pairByKey(columns []int) {
	rows := map[uint64]int{}
	for a, partner := range d.toB {
		if partner == none {
			rows[RowFingerprint(cellsAt(d.before.row(a), columns))] = a
		}
	}
	for b, partner := range d.toA {
		if partner != none {
			continue
		}
		if a, ok := rows[RowFingerprint(cellsAt(d.after.row(b), columns))]; ok && d.toB[a] == none {
			d.pair(a, b)
		}
	}
}

// difference counts, and lists up to most rows.
func (d *differ) difference(most int) (out Comparison) {
	note := func(n *int, a, b int) {
		if *n++; out.Changed+out.Added+out.Removed <= most {
			out.Rows = append(out.Rows, RowPair{a, b})
		}
	}
	for b, partner := range d.toA {
		a := int(partner)
		switch {
		case a == none || d.before.Fingerprints[a] == EmptyRow && d.after.Fingerprints[b] != EmptyRow:
			if b > 0 {
				note(&out.Added, none, b)
			}
		case d.before.Fingerprints[a] != d.after.Fingerprints[b]:
			note(&out.Changed, a, b)
		}
	}
	for a, partner := range d.toB {
		if partner == none && d.before.Fingerprints[a] != EmptyRow {
			note(&out.Removed, a, none)
		}
	}
	if len(out.Rows) < out.Changed+out.Added+out.Removed {
		out.Rows = nil
	}
	slices.SortStableFunc(out.Rows, func(x, y RowPair) int { return cmp.Compare(x.place(), y.place()) })
	return out
}

// place is where a row stands in the new table, or stood before if it is gone.
func (p RowPair) place() int {
	if p.After < 0 {
		return p.Before
	}
	return p.After
}
