package checksum

import (
	"slices"
	"sort"
)

// fewer is the selection of shared rows with which no more than most shifts are made, in place between them. It leaves out as few rows as
// can be: those that spare less than a shift costs, which costs as little as is enough.
func (s *shifting) fewer(shared []run, most int) []run {
	w := weigh(shared, len(s.ours)-len(s.base))
	w.choose(sort.Search(len(s.base)+len(s.ours), func(cost int) bool {
		w.choose(cost)
		return w.shifts() <= most
	}))
	return w.worth()
}

// weighing chooses of the runs that two tables share those that spare the most, where a shift costs as much as to write so many rows. Each
// change of how far the rows move is a shift, from not at all above the first run to the growth of the block below the last.
type weighing struct {
	runs   []run   // between one without rows above the first, and one below the last that moves as far as the block grows
	alike  []int32 // by run: the one before that moves as far; none without one
	before []int32 // by run: the one chosen before it; none for the first
	spares []int   // by run: the rows that need no writing if it is chosen, with those before it, less what their shifts cost
}

func weigh(runs []run, grows int) *weighing {
	n := len(runs) + 2
	w := &weighing{runs: make([]run, 0, n), alike: make([]int32, n), before: make([]int32, n), spares: make([]int, n)}
	w.runs = append(append(append(w.runs, run{}), runs...), run{b: grows})
	last := make(map[int]int32, n) // by how far the run moves
	for i, r := range w.runs {
		w.alike[i] = none
		if at, ok := last[r.b-r.a]; ok {
			w.alike[i] = at
		}
		last[r.b-r.a] = int32(i)
	}
	w.before[0] = none
	return w
}

// choose finds the selection for what a shift costs.
func (w *weighing) choose(cost int) {
	best := 0
	for i := 1; i < len(w.runs); i++ {
		before, spares := int32(best), w.spares[best]-cost
		if same := w.alike[i]; same != none && w.spares[same] >= spares {
			before, spares = same, w.spares[same]
		}
		w.before[i], w.spares[i] = before, spares+w.runs[i].n
		if w.spares[i] > w.spares[best] {
			best = i
		}
	}
}

// shifts is how many shifts it takes to keep the chosen runs, and to write in place between them.
func (w *weighing) shifts() (n int) {
	for i := int32(len(w.runs) - 1); i > 0; i = w.before[i] {
		if r, above := w.runs[i], w.runs[w.before[i]]; r.b-r.a != above.b-above.a {
			n++
		}
	}
	return n
}

// worth are the chosen runs.
func (w *weighing) worth() (runs []run) {
	for i := w.before[len(w.runs)-1]; i > 0; i = w.before[i] {
		runs = append(runs, w.runs[i])
	}
	slices.Reverse(runs)
	return runs
}
