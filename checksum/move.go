package checksum

import (
	"cmp"
	"slices"
)

// A move takes three requests, each of which touches every row below it: what moveCost rows cost that are rewritten instead. A plan with
// more than maxMoves is not worth looking for.
const (
	moveCost = 3 * shiftCost
	maxMoves = 100
)

// DiffMove is DiffShift, but rows that stand in another order may be moved instead of rewritten.
func DiffMove(base, ours Block) Plan {
	shifted := DiffShift(base, ours)
	if shifted.Written() <= moveCost {
		return shifted
	}
	moves, order := reorder(base.Fingerprints, ours.Fingerprints)
	if len(moves) == 0 {
		return shifted
	}
	moved := DiffShift(Block{order, base.Columns}, ours)
	moved.Moves = moves
	if moved.cost() >= shifted.cost() {
		return shifted
	}
	return moved
}

// cost is what a plan costs, in rows written.
func (p Plan) cost() int {
	return p.Written() + shiftCost*len(p.Shifts) + moveCost*len(p.Moves)
}

// reorder is how to move long runs of rows of base so that they stand in the order of ours, and base after that.
func reorder(base, ours []uint64) (moves []Move, order []uint64) {
	runs := runsOf(matchEqual(base, ours, 0))
	staying := heaviest(runs)
	var wandering []run
	for i, r := range runs {
		if !staying[i] && r.n > moveCost {
			wandering = append(wandering, r)
		}
	}
	if len(wandering) == 0 || len(wandering) > maxMoves {
		return nil, base
	}
	order = slices.Clone(base)
	at := make([]int, len(base)) // where each row of base stands now
	for i := range at {
		at[i] = i
	}
	for _, r := range wandering { // in the order of ours, so that what comes before stands right already
		before := precedes(runs, staying, r)
		to := 0
		if before.n > 0 {
			to = at[before.a+before.n-1] + 1
		}
		if from := at[r.a]; to < from || to > from+r.n {
			m := Move{From: from, Rows: r.n, To: to}
			moves = append(moves, m)
			order = m.apply(order)
			for i := range at {
				at[i] = m.Follow(at[i])
			}
		}
		staying[slices.Index(runs, r)] = true
	}
	return moves, order
}

// precedes is the run that stands right before r in ours, of those that stand where they should; none has no rows.
func precedes(runs []run, staying []bool, r run) (before run) {
	for i, other := range runs {
		if staying[i] && other.b < r.b {
			before = other
		}
	}
	return before
}

// apply is rows after the move.
func (m Move) apply(rows []uint64) []uint64 {
	cut := slices.Clone(rows[m.From : m.From+m.Rows])
	rows = slices.Delete(rows, m.From, m.From+m.Rows)
	to := m.To
	if to > m.From {
		to -= m.Rows
	}
	return slices.Insert(rows, to, cut...)
}

// Follow is where a row stands after the move.
func (m Move) Follow(row int) int {
	switch inside := row >= m.From && row < m.From+m.Rows; {
	case inside && m.To > m.From:
		return row + m.To - m.From - m.Rows
	case inside:
		return row + m.To - m.From
	case row >= m.From+m.Rows && row < m.To:
		return row - m.Rows
	case row >= m.To && row < m.From:
		return row + m.Rows
	}
	return row
}

// runsOf are the longest runs of rows that stand one after the other in both tables, in the order of b.
func runsOf(p pairing) (runs []run) {
	for b, a := range p.toA {
		if a == none {
			continue
		}
		if last := len(runs) - 1; last >= 0 && runs[last].b+runs[last].n == b && runs[last].a+runs[last].n == int(a) {
			runs[last].n++
			continue
		}
		runs = append(runs, run{a: int(a), b: b, n: 1})
	}
	return runs
}

// heaviest marks, of runs in the order of b, a selection that ascends in a too and has nearly the most rows: each run stays unless longer
// ones that cross it do.
func heaviest(runs []run) (staying []bool) {
	staying = make([]bool, len(runs))
	byRows := make([]int, len(runs))
	for i := range byRows {
		byRows[i] = i
	}
	slices.SortStableFunc(byRows, func(x, y int) int { return cmp.Compare(runs[y].n, runs[x].n) })
	var kept []int // indexes of runs, ascending
	for _, i := range byRows {
		at, _ := slices.BinarySearch(kept, i)
		if at > 0 && runs[kept[at-1]].a > runs[i].a || at < len(kept) && runs[kept[at]].a < runs[i].a {
			continue
		}
		kept = slices.Insert(kept, at, i)
		staying[i] = true
	}
	return staying
}
