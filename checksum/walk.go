package checksum

// gone is the twin of a row that the other table does not have.
const gone = -1

// twins is the row of other that stands for each row of base: the equal one, or else, where both have rows between equal
// ones, the one at the same place; gone without either.
func twins(base, other []uint64) []int {
	twin := make([]int, len(base))
	var end run
	for _, next := range append(align(base, other), run{a: len(base), b: len(other)}) {
		for a := end.a; a < next.a; a++ {
			twin[a] = gone
			if b := end.b + a - end.a; b < next.b {
				twin[a] = b
			}
		}
		for i := range next.n {
			twin[next.a+i] = next.b + i
		}
		end = run{a: next.a + next.n, b: next.b + next.n}
	}
	return twin
}

// walk goes through three tables side by side and fills a Merged.
type walk struct {
	base, theirs, ours []uint64
	atTheirs, atOurs   int // rows passed
	m                  *Merged
}

func (w *walk) all() {
	inTheirs, inOurs := twins(w.base, w.theirs), twins(w.base, w.ours)
	w.m.rows = make([]pick, 0, len(w.ours))
	for i := range w.base {
		w.inserted(inTheirs[i], inOurs[i])
		w.row(i, inTheirs[i], inOurs[i])
	}
	w.inserted(len(w.theirs), len(w.ours))
}

// row decides a row of base by its twins.
func (w *walk) row(i, theirs, ours int) {
	edited := theirs != gone && w.theirs[theirs] != w.base[i]
	switch {
	case ours == gone && edited:
		w.edited(theirs)
		w.conflict(theirs)
	case ours == gone:
	case edited && w.theirs[theirs] != w.ours[ours]:
		w.edited(theirs)
		if w.ours[ours] != w.base[i] {
			w.conflict(theirs)
		}
	default:
		w.pick(pick{row: ours})
		if theirs == gone {
			w.m.Deleted = append(w.m.Deleted, i)
		}
	}
	w.atTheirs += step(theirs)
	w.atOurs += step(ours)
}

func step(row int) int {
	if row == gone {
		return 0
	}
	return 1
}

// inserted takes the rows up to those, which have no twin in base. What both inserted alike is nobody's edit.
func (w *walk) inserted(theirs, ours int) {
	theirs, ours = max(theirs, w.atTheirs), max(ours, w.atOurs)
	if theirs == w.atTheirs && ours == w.atOurs {
		return
	}
	runs := align(w.theirs[w.atTheirs:theirs], w.ours[w.atOurs:ours])
	runs = append(runs, run{a: theirs - w.atTheirs, b: ours - w.atOurs})
	fromTheirs, fromOurs := w.atTheirs, w.atOurs
	for _, next := range runs {
		for ; w.atTheirs < fromTheirs+next.a; w.atTheirs++ {
			w.edited(w.atTheirs)
		}
		for ; w.atOurs < fromOurs+next.b+next.n; w.atOurs++ {
			w.pick(pick{row: w.atOurs})
		}
		w.atTheirs += next.n
	}
}

func (w *walk) edited(row int) {
	w.m.Edited = append(w.m.Edited, row)
	w.pick(pick{theirs: true, row: row})
}

func (w *walk) conflict(row int) { w.m.Conflicts = append(w.m.Conflicts, row) }

func (w *walk) pick(p pick) { w.m.rows = append(w.m.rows, p) }
