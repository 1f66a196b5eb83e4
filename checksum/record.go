package checksum

import (
	"cmp"
	"slices"
)

// identity is which row of the table before each row of the new one continues: the same record, by whatever it is known. Where rows of cells
// are inserted and deleted, what stands beside a record, or refers to it, goes with its row.
type identity struct {
	pairing
	before, after Contents
	known         []twin // of theirs, before, and of ours, after
	key           RowKey // of columns of after
	keyBefore     []int  // its columns before

	naming int // the column of texts that names records; none without one
}

// identify returns the longest runs of records that stand one after the other in both tables, in the order of the second. It pairs equal
// rows wherever they stand; the others by the key or, without one, by columns of texts that are distinct in both tables,
// and then those of the same gap of which most cells are equal, or of which as many are left there as before. known are pairs that are known already; -1 for
// ours is a row that continues none.
func identify(before, after Contents, key RowKey, keyBefore []int, known []twin) []run {
	if len(before.Fingerprints) == 0 || len(after.Fingerprints) == 0 {
		return nil
	}
	if runs, all := equalRuns(before.Fingerprints, after.Fingerprints, 1); all && len(known) == 0 {
		return joined(runs) // nothing is left that may be a pair
	}
	x := &identity{before: before, after: after, known: known, key: key, keyBefore: keyBefore, naming: none}
	x.pairing = matchEqual(before.Fingerprints, after.Fingerprints, 1)
	x.pair(0, 0)
	for _, k := range known {
		x.repair(k)
	}
	a, b := x.loose()
	switch {
	case len(a) == 0 || len(b) == 0:
	case key.rows != nil && !slices.Contains(keyBefore, none):
		x.pairByKey(a, b)
	default:
		x.pairByTexts(a, b)
		x.pairInGaps()
	}
	return runsOf(x.pairing)
}

// repair pairs two rows, and no others with them.
func (x *identity) repair(k twin) {
	if k.theirs == 0 || k.ours == 0 {
		return // the headings stay where they are
	}
	if old := x.toB[k.theirs]; old != none {
		x.toA[old] = none
	}
	x.toB[k.theirs] = none
	if k.ours == none {
		return
	}
	if old := x.toA[k.ours]; old != none {
		x.toB[old] = none
	}
	x.pair(k.theirs, k.ours)
}

// loose are the filled rows of both tables that have no partner.
func (x *identity) loose() (a, b []int) {
	filledRow := func(rows []uint64) func(row int) bool { return func(row int) bool { return rows[row] == EmptyRow } }
	a = where(x.toB, 1, func(partner int32) bool { return partner == none })
	b = where(x.toA, 1, func(partner int32) bool { return partner == none })
	return slices.DeleteFunc(a, filledRow(x.before.Fingerprints)), slices.DeleteFunc(b, filledRow(x.after.Fingerprints))
}

// encoded is a row's encoding, that of an empty row where the grid ends.
func (t Contents) encoded(row int) []byte {
	if row >= t.Rows() {
		return emptyRow
	}
	return t.Row(row)
}

// emptyRow is the encoding of a row without cells.
var emptyRow = EncodeRow(nil)

// pairByKey pairs rows with the same key.
func (x *identity) pairByKey(a, b []int) {
	rows := make(map[uint64]int, len(a))
	for _, row := range slices.Backward(a) {
		if value, filled := keyOf(x.before.encoded(row), x.keyBefore); filled {
			rows[value] = row // of several the first
		}
	}
	for _, row := range b {
		value, _ := keyOf(x.after.encoded(row), x.key.columns)
		if at, ok := rows[value]; ok && x.toB[at] == none {
			x.pair(at, row)
		}
	}
}

// pairByTexts pairs rows by the first column of texts that are distinct in both tables, which names the records, and then by the others
// where one has no name.
func (x *identity) pairByTexts(a, b []int) {
	for column := 0; column < min(x.before.Columns(), x.after.Columns(), maxKeyColumn) && len(a) > 0 && len(b) > 0; column++ {
		before, ok := x.distinct(x.before, column, func(k twin) int { return k.theirs })
		if !ok {
			continue
		}
		if _, ok := x.distinct(x.after, column, func(k twin) int { return k.ours }); !ok {
			continue
		}
		if x.naming == none {
			x.naming = column
		}
		for _, row := range b {
			text := textAt(x.after.encoded(row), column)
			if text == 0 {
				continue
			}
			if at := before.find(text); at > 0 && x.toB[at] == none && !x.namedApart(at, row) {
				x.pair(at, row)
			}
		}
		a, b = x.loose()
	}
}

// distinct returns the texts of a column, but those of the known rows, in which a person may have typed anything. ok is false where one
// stands there twice, or something else does.
func (x *identity) distinct(t Contents, column int, side func(twin) int) (texts valueIndex, ok bool) {
	known := make(map[int]bool, len(x.known))
	for _, k := range x.known {
		known[side(k)] = true
	}
	values, ok := t.texts(column, known)
	if !ok {
		return valueIndex{}, false
	}
	return newValueIndex(values)
}

// pairInGaps pairs rows between the same neighbours: those of which most cells are equal, and then, between the neighbours that there are
// now, those that stand in the place of each other.
func (x *identity) pairInGaps() {
	for _, g := range x.filledGaps() {
		if x.naming == none {
			x.pairByNumber(g.a, g.b)
		}
		x.pairAlike(x.free(g))
	}
	for _, g := range x.filledGaps() {
		x.pairByPlace(g.a, g.b)
	}
}

// rowGap is rows of both tables that stand between the same neighbours.
type rowGap struct{ a, b []int }

// filledGaps are the gaps with filled rows in both tables.
func (x *identity) filledGaps() (gaps []rowGap) {
	x.gaps(nil, func(from, to int, rows []int) {
		var g rowGap
		for a := from; a < to; a++ {
			if x.before.Fingerprints[a] != EmptyRow {
				g.a = append(g.a, a)
			}
		}
		for _, b := range rows {
			if x.after.Fingerprints[b] != EmptyRow {
				g.b = append(g.b, b)
			}
		}
		if len(g.a) > 0 && len(g.b) > 0 {
			gaps = append(gaps, g)
		}
	})
	return gaps
}

// free are the rows of a gap that have no partner.
func (x *identity) free(g rowGap) (a, b []int) {
	return slices.DeleteFunc(g.a, func(row int) bool { return x.toB[row] != none }),
		slices.DeleteFunc(g.b, func(row int) bool { return x.toA[row] != none })
}

// pairByNumber pairs rows of a gap that begin with the same number, where records have no names.
func (x *identity) pairByNumber(a, b []int) {
	rows, twice := map[float64]int{}, map[float64]bool{}
	number := func(t Contents, row int) (float64, bool) {
		first := CellAt(t.row(row), 0)
		return first.rounded().Number, first.Kind == Number
	}
	for _, row := range a {
		if n, ok := number(x.before, row); ok {
			_, twice[n] = rows[n]
			rows[n] = row
		}
	}
	for _, row := range b {
		n, ok := number(x.after, row)
		if at, found := rows[n]; ok && found && !twice[n] && x.toB[at] == none {
			x.pair(at, row)
		}
	}
}

// pairAlike pairs rows that have at least half of their filled cells in common, the most alike first; three quarters where their names
// differ.
func (x *identity) pairAlike(a, b []int) {
	places, filled := map[place][]int{}, map[int]int{}
	for _, row := range a {
		for column, c := range x.before.row(row) {
			if c.Kind != Empty {
				at := place{column, c.rounded()}
				places[at] = append(places[at], row)
				filled[row]++
			}
		}
	}
	var alike []twin
	for _, row := range b {
		equal, cells := map[int]int{}, 0
		for column, c := range x.after.row(row) {
			if c.Kind == Empty {
				continue
			}
			cells++
			if rows := places[place{column, c.rounded()}]; len(rows) <= mostAlike {
				for _, other := range rows {
					equal[other]++
				}
			}
		}
		for other, n := range equal {
			most := max(cells, filled[other])
			if 4*n >= 3*most || 2*n >= most && !x.namedApart(other, row) {
				alike = append(alike, twin{theirs: other, ours: row, equal: n})
			}
		}
	}
	slices.SortFunc(alike, func(p, q twin) int {
		return cmp.Or(-cmp.Compare(p.equal, q.equal), cmp.Compare(p.theirs, q.theirs), cmp.Compare(p.ours, q.ours))
	})
	for _, p := range alike {
		if x.toB[p.theirs] == none && x.toA[p.ours] == none {
			x.pair(p.theirs, p.ours)
		}
	}
}

// pairByPlace pairs the rows of a gap in which as many stand as before, in order.
func (x *identity) pairByPlace(a, b []int) {
	if len(a) != len(b) {
		return
	}
	for i := range a {
		if !x.namedApart(a[i], b[i]) {
			x.pair(a[i], b[i])
		}
	}
}

// namedApart reports whether two rows have other names.
func (x *identity) namedApart(a, b int) bool {
	if x.naming == none {
		return false
	}
	before, after := textAt(x.before.encoded(a), x.naming), textAt(x.after.encoded(b), x.naming)
	return before != 0 && after != 0 && before != after
}
