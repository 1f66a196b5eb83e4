package checksum

import (
	"math/bits"
	"slices"
)

// none is the partner of a row that has none.
const none = -1

// A pairing relates rows of two tables, a and b, each to at most one of the other.
type pairing struct{ toB, toA []int32 }

func newPairing(a, b int) pairing {
	p := pairing{toB: make([]int32, a), toA: make([]int32, b)}
	for i := range p.toB {
		p.toB[i] = none
	}
	for i := range p.toA {
		p.toA[i] = none
	}
	return p
}

func (p pairing) pair(a, b int) { p.toB[a], p.toA[b] = int32(b), int32(a) }

// matchEqual pairs rows of b with equal rows of a, both from row first on, as often as both have them, wherever they stand. Of several
// equal rows those are paired that stand in the same order or follow the row paired before, so that neighbours stay neighbours.
func matchEqual(a, b []uint64, first int) pairing {
	runs, all := equalRuns(a, b, first)
	p := newPairing(len(a), len(b))
	for _, r := range runs {
		for i := range r.n {
			p.pair(r.a+i, r.b+i)
		}
	}
	if !all {
		p.matchMoved(a, b, first)
	}
	return p
}

// equalRuns are the rows that a and b share at both ends and, between, over changes whose other side is near. The rows before first count as
// shared. all reports whether those are all rows of one of the two.
func equalRuns(a, b []uint64, first int) (runs []run, all bool) {
	head := first + sharedHead(a[first:], b[first:])
	tail := sharedTail(a[head:], b[head:])
	endA, endB := len(a)-tail, len(b)-tail
	runs, _ = nearby(a[:endA], b[:endB], head)
	runs = join(runs, run{a: endA, b: endB, n: tail})
	matched := 0
	for _, r := range runs {
		matched += r.n
	}
	return runs, matched >= min(len(a), len(b))
}

// matchMoved pairs what matchEqual has not paired in order. It looks first where rows stand that were moved together, or sorted the other
// way.
func (p pairing) matchMoved(a, b []uint64, first int) {
	rows := newRowIndex(a, p.toB, first)
	lastA, lastB := first-1, first-1 // the pair before
	for i := first; i < len(b); i++ {
		if p.toA[i] != none {
			lastA, lastB = int(p.toA[i]), i
			continue
		}
		at := lastA + i - lastB
		if !p.freeEqual(a, at, first, b[i]) {
			at = lastA - i + lastB
			if !p.freeEqual(a, at, first, b[i]) || p.freeEqual(a, at-1, first, b[i]) { // of equal rows the first one
				at = rows.take(b[i], p.toB)
			}
		}
		if at == none {
			continue
		}
		p.pair(at, i)
		lastA, lastB = at, i
	}
}

// freeEqual reports whether row at of a has that fingerprint and no partner.
func (p pairing) freeEqual(a []uint64, at, first int, fingerprint uint64) bool {
	return at >= first && at < len(a) && a[at] == fingerprint && p.toB[at] == none
}

// rowIndex finds the rows of a table by their fingerprints, which are hashes: their top bits choose a bucket.
type rowIndex struct {
	rows  []uint64
	heads []int32 // by bucket: 1 + its first row
	next  []int32 // by row: 1 + the next one in its bucket
	shift int
}

// newRowIndex holds the rows from first on that have no partner in paired yet.
func newRowIndex(rows []uint64, paired []int32, first int) *rowIndex {
	size := bits.Len(uint(2 * len(rows)))
	x := &rowIndex{rows: rows, heads: make([]int32, 1<<size), next: make([]int32, len(rows)), shift: 64 - size}
	for i := len(rows) - 1; i >= first; i-- {
		if paired[i] == none {
			bucket := &x.heads[rows[i]>>x.shift]
			x.next[i], *bucket = *bucket, int32(i+1)
		}
	}
	return x
}

// take removes the first row of that fingerprint which has no partner and returns it, none without any.
func (x *rowIndex) take(fingerprint uint64, paired []int32) int {
	link := &x.heads[fingerprint>>x.shift]
	for *link != 0 {
		row := int(*link - 1)
		switch {
		case paired[row] != none:
			*link = x.next[row] // paired by its place
		case x.rows[row] == fingerprint:
			*link = x.next[row]
			return row
		default:
			link = &x.next[row]
		}
	}
	return none
}

// gaps calls visit for each run of rows of b without a partner, but those to skip if that is not nil, that stands between two paired rows:
// rows [fromA,toA) of a, in whose order rows come, stand between the same two and have no partner. The ends of the tables count as paired
// with each other.
func (p pairing) gaps(skip func(b int) bool, visit func(fromA, toA int, rows []int)) {
	before := none
	var rows []int
	end := func(behind int) {
		from, to := before+1, behind
		if before > behind { // the same neighbours, sorted the other way
			from, to = behind+1, before
			slices.Reverse(rows)
		}
		if len(rows) > 0 && p.freeA(from, to) {
			visit(from, to, rows)
		}
		rows = rows[:0]
	}
	for b, a := range p.toA {
		switch {
		case a != none:
			end(int(a))
			before = int(a)
		case skip == nil || !skip(b):
			rows = append(rows, b)
		}
	}
	end(len(p.toB))
}

// freeA reports whether no row of a in [from,to) has a partner.
func (p pairing) freeA(from, to int) bool {
	for _, b := range p.toB[from:to] {
		if b != none {
			return false
		}
	}
	return true
}

// moved is the fewest rows of b that must be moved so that all paired ones stand in the order of a.
func (p pairing) moved() int {
	paired := 0
	var tops []int32 // by length: the row of a that ends the ascending selection of that length earliest
	for _, a := range p.toA {
		if a == none {
			continue
		}
		paired++
		if n := len(tops); n == 0 || tops[n-1] < a {
			tops = append(tops, a)
			continue
		}
		from, to := 0, len(tops)-1
		for from < to {
			if middle := int(uint(from+to) >> 1); tops[middle] < a {
				from = middle + 1
			} else {
				to = middle
			}
		}
		tops[from] = a
	}
	return paired - len(tops)
}
