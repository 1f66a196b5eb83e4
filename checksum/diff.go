package checksum

import "slices"

// Plan says how to turn the block that stands into another: the moves and then the shifts in order, then the rows to write, in full, then
// the cells to clear.
type Plan struct {
	Moves  []Move
	Shifts []Shift
	Rows   []Span // rows of the new table, ascending, apart from each other
	Clear  []Rect // what the old block covered and the new one does not, and no row written covers
}

// Written is how many rows the plan writes.
func (p Plan) Written() int {
	rows := 0
	for _, span := range p.Rows {
		rows += span.To - span.From
	}
	return rows
}

// Empty reports whether nothing changes.
func (p Plan) Empty() bool {
	return len(p.Moves) == 0 && len(p.Shifts) == 0 && len(p.Rows) == 0 && len(p.Clear) == 0
}

// Diff is the plan, without shifts, that turns base into ours: the rows that differ, the rows and columns that are gone.
func Diff(base, ours Block) Plan {
	var p Plan
	p.rewrite(base.Fingerprints, ours.Fingerprints, 0)
	p.clear(base.Extent(), ours.Extent())
	return p
}

// rewrite adds the rows of ours, whose first is row at, that do not stand there already. Where base has no row, nothing
// stands, and an empty row needs no writing.
func (p *Plan) rewrite(base, ours []uint64, at int) {
	common := min(len(base), len(ours))
	for i, row := range ours[:common] {
		if base[i] != row {
			p.rows(at+i, at+i+1)
		}
	}
	for i, row := range ours[common:] {
		if row != EmptyRow {
			p.rows(at+common+i, at+common+i+1)
		}
	}
}

// rows adds rows [from,to), which follow those already there.
func (p *Plan) rows(from, to int) {
	if last := len(p.Rows) - 1; last >= 0 && p.Rows[last].To == from {
		p.Rows[last].To = to
		return
	}
	p.Rows = append(p.Rows, Span{From: from, To: to})
}

// clear adds what base covers and ours does not: the columns to the right of ours, and the rows below.
func (p *Plan) clear(base, ours Extent) {
	common := min(base.Rows, ours.Rows)
	if lost := base.Columns - ours.Columns; lost > 0 && common > 0 {
		p.Clear = append(p.Clear, Rect{Column: ours.Columns, Rows: common, Columns: lost})
	}
	if lost := base.Rows - ours.Rows; lost > 0 && base.Columns > 0 {
		p.Clear = append(p.Clear, Rect{Row: common, Rows: lost, Columns: base.Columns})
	}
}

// shiftCost is how many rows a shift must spare to be worth it: it touches every row below it, and each is a request or a
// structural edit of its own.
const shiftCost = 8

// maxShifts is how many shifts a plan has at most, whatever the rows that they spare: every reference to a cell follows each of them.
const maxShifts = 256

// DiffShift is Diff, but rows of cells are inserted and deleted: in all as many as the block grows by, so that what stands below keeps its
// distance. They are inserted and deleted where rows were gained and lost, if that costs less than to do so at the block's end and to
// rewrite the rows between. Where nothing stands, nothing is shifted.
func DiffShift(base, ours Block) Plan {
	inPlace := Diff(base, ours)
	grows := len(ours.Fingerprints) - len(base.Fingerprints)
	switch {
	case len(base.Fingerprints) == 0 || grows == 0 && inPlace.Written() <= 2*shiftCost: // without growth there are two shifts at least
		return inPlace
	case grows != 0:
		inPlace = moving(base, ours, nil)
	}
	cost := max(shiftCost, max(len(base.Fingerprints), len(ours.Fingerprints))/maxShifts+1)
	shifted := moving(base, ours, worthShifting(align(base.Fingerprints, ours.Fingerprints), grows, cost))
	if shifted.cost() >= inPlace.cost() {
		return inPlace
	}
	return shifted
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

// moving is the plan that keeps the shared rows, shifted to their place, and writes the rest.
func moving(base, ours Block, shared []run) Plan {
	var p Plan
	var end run // where the shared rows before end
	for _, next := range append(shared, run{a: len(base.Fingerprints), b: len(ours.Fingerprints)}) {
		p.rewrite(base.Fingerprints[end.a:next.a], ours.Fingerprints[end.b:next.b], end.b)
		if extra := (next.b - end.b) - (next.a - end.a); extra != 0 {
			p.Shifts = append(p.Shifts, Shift{At: end.b + min(next.a-end.a, next.b-end.b), Rows: extra})
		}
		end = run{a: next.a + next.n, b: next.b + next.n}
	}
	p.clear(Extent{Rows: len(ours.Fingerprints), Columns: base.Columns}, ours.Extent())
	return p
}
