package checksum

import (
	"cmp"
	"slices"
)

// shifting makes a plan that inserts rows of cells exactly where the new table gained records and deletes them where it lost some.
type shifting struct {
	RowPlan
	base, ours []uint64
	records    []run // as identify returns them, of base and ours
	kept       []run // rows of base and the rows of ours that get their cells, ascending
}

// shift is the plan, of no more than so many shifts, that turns base into ours. A block that stands keeps the cells of one row below its
// header at least: a range over them, such as a total's, would else refer to nothing.
func shift(base, ours BlockRows, records []run, most int) RowPlan {
	if len(base.Fingerprints) == 0 {
		return Diff(base, ours)
	}
	s := &shifting{base: base.Fingerprints, ours: ours.Fingerprints, records: records}
	shared := s.withSurvivor(inOrder(records))
	if s.Joined = s.shiftsExactly(shared) > most; s.Joined {
		s.place(s.fewer(shared, most), s.inPlace)
	} else {
		s.place(shared, s.exactly)
	}
	s.clear(Extent{Rows: len(ours.Fingerprints), Columns: base.Columns}, ours.Extent())
	s.tell()
	return s.RowPlan
}

// withSurvivor adds a row of base that keeps its cells, if none below the header does: the first, whichever records leave. It is another
// record's then, or empty, and tell counts it among those that are gone: what stands beside it stays there, and can be kept elsewhere too.
func (s *shifting) withSurvivor(shared []run) []run {
	if len(s.base) < 2 || len(s.ours) < 2 || len(shared) > 1 || len(shared) == 1 && (shared[0].a > 0 || shared[0].n > 1) {
		return shared
	}
	return append(shared, run{a: 1, b: 1, n: 1})
}

// place keeps the cells of shared rows, shifted to where they belong, and writes the rest. between does so between two of those runs.
func (s *shifting) place(shared []run, between func(gap, next run)) {
	var end run // where the shared rows before end
	for _, next := range append(slices.Clip(shared), run{a: len(s.base), b: len(s.ours)}) {
		between(end, next)
		s.rewrite(s.base[next.a:next.a+next.n], s.ours[next.b:next.b+next.n], next.b)
		s.kept = join(s.kept, next)
		end = run{a: next.a + next.n, b: next.b + next.n}
	}
}

// exactly deletes the rows of base between two runs and inserts those of ours, which are other records.
func (s *shifting) exactly(end, next run) {
	if !s.replaces(end, next) {
		s.inPlace(end, next)
		return
	}
	lost, gained := next.a-end.a, next.b-end.b
	s.rewrite(nil, s.ours[end.b:next.b], end.b)
	// Inserted first, and between rows that the block has, so that ranges that begin or end with rows which are deleted take them in.
	if end.a <= 1 {
		s.Shifts = append(s.Shifts, Shift{At: end.b + lost, Rows: gained}, Shift{At: end.b, Rows: -lost})
		return
	}
	s.Shifts = append(s.Shifts, Shift{At: end.b, Rows: gained}, Shift{At: end.b + gained, Rows: -lost})
}

// replaces reports whether other records stand between two runs than there are to be.
func (s *shifting) replaces(end, next run) bool {
	return next.b > end.b && slices.ContainsFunc(s.base[end.a:next.a], func(row uint64) bool { return row != EmptyRow })
}

// shiftsExactly is how many shifts exactly makes between runs.
func (s *shifting) shiftsExactly(shared []run) (n int) {
	var end run
	for _, next := range append(slices.Clip(shared), run{a: len(s.base), b: len(s.ours)}) {
		switch {
		case s.replaces(end, next):
			n += 2
		case next.a-end.a != next.b-end.b:
			n++
		}
		end = run{a: next.a + next.n, b: next.b + next.n}
	}
	return n
}

// inPlace writes the rows of ours between two runs over those of base, and inserts or deletes only as many as they differ by.
func (s *shifting) inPlace(end, next run) {
	common := min(next.a-end.a, next.b-end.b)
	s.rewrite(s.base[end.a:next.a], s.ours[end.b:next.b], end.b)
	if extra := (next.b - end.b) - (next.a - end.a); extra != 0 {
		s.Shifts = append(s.Shifts, Shift{At: end.b + common, Rows: extra})
	}
	s.kept = join(s.kept, run{a: end.a, b: end.b, n: common})
}

// inOrder are runs of records that keep their cells, ascending in both tables, out of runs in the order of ours. Where records cross each
// other, either as many as possible keep their cells and the others are inserted anew, or what was at the first of them gets the record that
// comes first now, and so on: whichever leaves fewer of them in cells that are not theirs. A record whose cells are deleted counts as several
// in other cells: what refers to it is lost.
func inOrder(runs []run) (kept []run) {
	if slices.IsSortedFunc(runs, func(x, y run) int { return cmp.Compare(x.a, y.a) }) {
		return runs
	}
	ranks := ranksOf(runs)
	for from := 0; from < len(runs); {
		to, highest := from, from
		for ; to <= highest; to++ {
			highest = max(highest, ranks[to])
		}
		kept = append(kept, settled(runs[from:to])...)
		from = to
	}
	return joined(kept)
}

// ranksOf is the place of each run in the order of base.
func ranksOf(runs []run) []int {
	order := make([]int, len(runs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(runs[x].a, runs[y].a) })
	ranks := make([]int, len(runs))
	for rank, i := range order {
		ranks[i] = rank
	}
	return ranks
}

// anewCost is how many records in cells of others are as bad as one whose cells are deleted.
const anewCost = 4

// settled are the runs that keep their cells, of some that cross each other.
func settled(runs []run) []run {
	if len(runs) == 1 {
		return runs
	}
	rows := 0
	for _, r := range runs {
		rows += r.n
	}
	heaviest := heaviestAscending(runs)
	anew := rows
	for _, r := range heaviest {
		anew -= r.n
	}
	places, strays := byPlace(runs)
	if anewCost*anew <= strays {
		return heaviest
	}
	return places
}

// byPlace gives the first of the rows of base to the first of those of ours, and so on. strays is how many are other records'.
func byPlace(runs []run) (places []run, strays int) {
	cells := slices.SortedFunc(slices.Values(runs), func(x, y run) int { return cmp.Compare(x.a, y.a) })
	at := 0 // of the rows of cells[0]
	for _, r := range runs {
		for done := 0; done < r.n; {
			n := min(r.n-done, cells[0].n-at)
			place := run{a: cells[0].a + at, b: r.b + done, n: n}
			if place.a-place.b != r.a-r.b {
				strays += n
			}
			places = append(places, place)
			done += n
			if at += n; at == cells[0].n {
				cells, at = cells[1:], 0
			}
		}
	}
	return places, strays
}

// joined joins runs that follow each other in both tables.
func joined(runs []run) (list []run) {
	for _, r := range runs {
		list = extend(list, r)
	}
	return list
}

// heaviestAscending is the selection of runs, given in the order of ours, that ascends in base too and has the most rows.
func heaviestAscending(runs []run) []run {
	ranks := ranksOf(runs)
	best := make([]int, len(runs)+1) // a Fenwick tree by rank: 1 + the run that ends the heaviest selection
	weights, before := make([]int, len(runs)), make([]int, len(runs))
	weight := func(i int) int {
		if i == 0 {
			return 0
		}
		return weights[i-1]
	}
	last := 0
	for i, r := range runs {
		top := 0
		for at := ranks[i]; at > 0; at -= at & -at {
			if weight(best[at]) > weight(top) {
				top = best[at]
			}
		}
		before[i], weights[i] = top, weight(top)+r.n
		for at := ranks[i] + 1; at <= len(runs); at += at & -at {
			if weights[i] > weight(best[at]) {
				best[at] = i + 1
			}
		}
		if weights[i] > weight(last) {
			last = i + 1
		}
	}
	var selected []run
	for i := last; i > 0; i = before[i-1] {
		selected = append(selected, runs[i-1])
	}
	slices.Reverse(selected)
	return selected
}
