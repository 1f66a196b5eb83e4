package checksum

// shiftCost is how many rows a shift must spare to be worth it: it touches every row below it, and each is a request or a
// structural edit of its own.
const shiftCost = 8

// DiffShift is Diff, but where rows were inserted or deleted inside the block, the plan may move the rows below instead of
// rewriting them. It never shifts at the block's end: what is below it is not ours.
func DiffShift(base, ours Block) Plan {
	inPlace := Diff(base, ours)
	if inPlace.Written() <= shiftCost {
		return inPlace
	}
	shifted := moving(base, ours, worthShifting(align(base.Fingerprints, ours.Fingerprints)))
	if shifted.Written()+shiftCost*len(shifted.Shifts) >= inPlace.Written() {
		return inPlace
	}
	return shifted
}

// worthShifting drops runs that would have to be shifted to their place and are shorter than what that costs. Neighbouring
// runs moved equally far share the shift, and count together.
func worthShifting(runs []run) []run {
	var worth []run
	for len(runs) > 0 {
		moved, rows, alike := runs[0].b-runs[0].a, 0, 0
		for alike < len(runs) && runs[alike].b-runs[alike].a == moved {
			rows += runs[alike].n
			alike++
		}
		if moved == 0 || rows >= shiftCost {
			worth = append(worth, runs[:alike]...)
		}
		runs = runs[alike:]
	}
	return worth
}

// moving is the plan that keeps the shared rows, shifted to their place, and writes the rest.
func moving(base, ours Block, shared []run) Plan {
	var p Plan
	var end run // where the shared rows before end
	for _, next := range shared {
		p.rewrite(base.Fingerprints[end.a:next.a], ours.Fingerprints[end.b:next.b], end.b)
		if extra := (next.b - end.b) - (next.a - end.a); extra != 0 {
			p.Shifts = append(p.Shifts, Shift{At: end.b + min(next.a-end.a, next.b-end.b), Rows: extra})
		}
		end = run{a: next.a + next.n, b: next.b + next.n}
	}
	p.rewrite(base.Fingerprints[end.a:], ours.Fingerprints[end.b:], end.b)
	stands := Extent{Rows: end.b + len(base.Fingerprints) - end.a, Columns: base.Columns}
	p.clear(stands, ours.Extent())
	return p
}
