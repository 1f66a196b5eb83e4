package checksum

import (
	"cmp"
	"slices"
	"sort"
)

// shifting makes a plan that inserts rows of cells exactly where the new table gained records and deletes them where it lost some.
type shifting struct {
	Plan
	base, ours []uint64
	records    pairing // as identify returns it, of base and ours
	kept       []run   // rows of base and the rows of ours that get their cells, ascending
}

// shift is the plan, of no more than so many shifts, that turns base into ours. A block that stands keeps the cells of one row below its
// header at least: a range over them, such as a total's, would else refer to nothing.
func shift(base, ours Block, records pairing, most int) Plan {
	if len(base.Fingerprints) == 0 {
		return Diff(base, ours)
	}
	s := &shifting{base: base.Fingerprints, ours: ours.Fingerprints, records: records}
	shared := s.inOrder(runsOf(records))
	shared = s.withSurvivor(shared)
	if s.place(shared, s.exactly); len(s.Shifts) > most {
		s.Plan, s.kept = Plan{Joined: true}, nil
		s.place(s.fewer(shared, most), s.inPlace)
	}
	s.clear(Extent{Rows: len(ours.Fingerprints), Columns: base.Columns}, ours.Extent())
	s.tell()
	return s.Plan
}

// withSurvivor adds a row of base that stays, if none below the header does.
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
	lost, gained := next.a-end.a, next.b-end.b
	free := !slices.ContainsFunc(s.base[end.a:next.a], func(row uint64) bool { return row != EmptyRow })
	if lost == 0 || gained == 0 || free {
		s.inPlace(end, next)
		return
	}
	s.rewrite(nil, s.ours[end.b:next.b], end.b)
	// Inserted first, and between rows that the block has, so that ranges that begin or end with rows which are deleted take them in.
	if end.a <= 1 {
		s.Shifts = append(s.Shifts, Shift{At: end.b + lost, Rows: gained}, Shift{At: end.b, Rows: -lost})
		return
	}
	s.Shifts = append(s.Shifts, Shift{At: end.b, Rows: gained}, Shift{At: end.b + gained, Rows: -lost})
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

// fewer is the selection of shared rows with which no more than most shifts are made, in place between them. It leaves out as few rows as
// can be: those that spare less than a shift costs, which costs as little as is enough.
func (s *shifting) fewer(shared []run, most int) []run {
	grows := len(s.ours) - len(s.base)
	cost := sort.Search(len(s.base)+len(s.ours), func(cost int) bool {
		return shiftsOf(worthShifting(shared, grows, cost), grows) <= most
	})
	return worthShifting(shared, grows, cost)
}

// shiftsOf is how many shifts it takes to keep runs, and to write in place between them.
func shiftsOf(runs []run, grows int) (n int) {
	by := 0
	for _, r := range append(slices.Clip(runs), run{b: grows}) {
		if r.b-r.a != by {
			by = r.b - r.a
			n++
		}
	}
	return n
}

// selection is a run and, before it, others of those that two tables share. It spares to write their rows, less what their shifts cost.
type selection struct {
	before *selection
	run    run
	spares int
}

// worthShifting is the selection of runs that spares the most, where a shift costs as much as to write so many rows. Each change of how far
// the rows move is a shift, from not at all above the first run to the growth of the block below the last.
func worthShifting(runs []run, grows, cost int) (worth []run) {
	best := new(selection)
	last := map[int]*selection{0: best} // by how far the run moves: the best one that it ends
	follow := func(r run) *selection {
		before, spares := best, best.spares-cost
		if same := last[r.b-r.a]; same != nil && same.spares >= spares {
			before, spares = same, same.spares
		}
		return &selection{before: before, run: r, spares: spares + r.n}
	}
	for _, r := range runs {
		next := follow(r)
		last[r.b-r.a] = next
		if next.spares > best.spares {
			best = next
		}
	}
	for s := follow(run{b: grows}).before; s.before != nil; s = s.before {
		worth = append(worth, s.run)
	}
	slices.Reverse(worth)
	return worth
}

// tell notes which rows do not keep their cells.
func (s *shifting) tell() {
	a, b := 0, 0
	var left, inserted []int // cells that another record has now; rows without any before
	for _, r := range append(s.kept, run{a: len(s.base), b: len(s.ours)}) {
		for ; a < r.a; a++ {
			s.Gone = append(s.Gone, a)
		}
		for ; b < r.b; b++ {
			inserted = append(inserted, b)
		}
		for ; a < r.a+r.n; a, b = a+1, b+1 {
			if int(s.records.toA[b]) != a && s.base[a] != EmptyRow {
				s.Strays, left = append(s.Strays, b), append(left, a)
			}
		}
	}
	for _, row := range inserted {
		if a := s.records.toA[row]; a != none && s.base[a] != EmptyRow {
			s.Anew = append(s.Anew, row)
		}
	}
	for _, a := range left {
		_, anew := slices.BinarySearch(s.Anew, int(s.records.toB[a]))
		if anew || s.records.toB[a] == none {
			s.Gone = append(s.Gone, a)
		}
	}
	slices.Sort(s.Gone)
}

// inOrder are runs of records that keep their cells, ascending in both tables, out of runs in the order of ours. Where records cross each
// other, either as many as possible keep their cells and the others are inserted anew, or what was at the first of them gets the record that
// comes first now, and so on: whichever leaves fewer of them in cells that are not theirs. A record whose cells are deleted counts as several
// in other cells: what refers to it is lost.
func (s *shifting) inOrder(runs []run) (kept []run) {
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
		if last := len(list) - 1; last >= 0 && list[last].a+list[last].n == r.a && list[last].b+list[last].n == r.b {
			list[last].n += r.n
			continue
		}
		list = append(list, r)
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
