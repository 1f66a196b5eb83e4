package checksum

import "slices"

// A move takes three requests, each of which touches every row below it. Of more than maxMoves runs of rows only those of at least moveRows
// are moved, and none of more than maxMoves of these.
const (
	moveRows = 24
	maxMoves = 100
)

// reorder is how to move runs of records, as identify returns them, so that their rows of base stand in the order of ours, and which of those
// each one is then; nil for none.
func reorder(runs []run, rows int) (moves []RowMove, order []int32) {
	staying := stays(runs)
	wandering := worthMoving(runs, staying)
	if len(wandering) == 0 {
		return nil, nil
	}
	order = make([]int32, rows)
	at := make([]int, len(order)) // where each row of base stands now
	for i := range at {
		order[i], at[i] = int32(i), i
	}
	for _, i := range wandering { // in the order of ours, so that what comes before stands right already
		r := runs[i]
		before := precedes(runs, staying, r)
		to := 0
		if before.n > 0 {
			to = at[before.a+before.n-1] + 1
		}
		if from := at[r.a]; to < from || to > from+r.n {
			m := RowMove{From: from, Rows: r.n, To: to}
			moves = append(moves, m)
			order = carried(order, m)
			for i := range at {
				at[i] = m.Follow(at[i])
			}
		}
		staying[i] = true
	}
	return moves, order
}

// stays marks the runs that are in order, with the most rows.
func stays(runs []run) (staying []bool) {
	staying = make([]bool, len(runs))
	kept := heaviestAscending(runs)
	for i, r := range runs {
		if len(kept) > 0 && kept[0] == r {
			staying[i], kept = true, kept[1:]
		}
	}
	return staying
}

// worthMoving are the runs to move, by their place in the order of ours.
func worthMoving(runs []run, staying []bool) (wandering []int) {
	for i := range runs {
		if !staying[i] {
			wandering = append(wandering, i)
		}
	}
	if len(wandering) > maxMoves {
		wandering = slices.DeleteFunc(wandering, func(i int) bool { return runs[i].n < moveRows })
	}
	if len(wandering) > maxMoves {
		return nil
	}
	return wandering
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

// carried is rows after a move.
func carried[T any](rows []T, m RowMove) []T {
	cut := slices.Clone(rows[m.From : m.From+m.Rows])
	rows = slices.Delete(rows, m.From, m.From+m.Rows)
	to := m.To
	if to > m.From {
		to -= m.Rows
	}
	return slices.Insert(rows, to, cut...)
}

// Follow is where a row stands after the move.
func (m RowMove) Follow(row int) int {
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
		runs = extend(runs, run{a: int(a), b: b, n: 1})
	}
	return runs
}

// reordered are runs of records whose rows of base were put into another order.
func reordered(runs []run, order []int32) (out []run) {
	at := make([]int, len(order)) // where each row of base stands now
	for now, was := range order {
		at[was] = now
	}
	for _, r := range runs {
		for i := range r.n {
			out = extend(out, run{a: at[r.a+i], b: r.b + i, n: 1})
		}
	}
	return out
}
