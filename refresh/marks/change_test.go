package marks

import "math/rand/v2"

// change is one thing that happens to the source, or that a person does in the document. It does nothing where it has nothing to act on.
type change struct {
	name string
	do   func(h *history, r *rand.Rand)
}

// changes are all of them, the more frequent ones more than once.
func changes() []change {
	return []change{
		{"gain", func(h *history, r *rand.Rand) { h.gain(r, 1+r.IntN(3)) }},
		{"gain", func(h *history, r *rand.Rand) { h.gain(r, 1+r.IntN(3)) }},
		{"gain many", func(h *history, r *rand.Rand) { h.gain(r, 5+r.IntN(6)) }},
		{"lose", func(h *history, r *rand.Rand) { h.lose(r, 1+r.IntN(3)) }},
		{"lose", func(h *history, r *rand.Rand) { h.lose(r, 1+r.IntN(3)) }},
		{"lose the first", func(h *history, _ *rand.Rand) { h.loseAt(0) }},
		{"lose the last", func(h *history, _ *rand.Rand) { h.loseAt(len(h.source) - 1) }},
		{"replace", (*history).replace},
		{"update", (*history).update},
		{"reorder", (*history).reorder},
		{"type over", (*history).typeOver},
		{"type a formula", (*history).typeFormula},
		{"insert a row", (*history).insertRow},
		{"delete a row", (*history).deleteRow},
		{"insert above", (*history).insertAbove},
		{"move a row", (*history).moveRow},
		{"note", (*history).writeNote},
		{"note", (*history).writeNote},
		{"formula beside", (*history).writeFormula},
		{"comment", (*history).writeComment},
		{"name", func(h *history, r *rand.Rand) { h.refer(r, refName) }},
		{"refer from another sheet", func(h *history, r *rand.Rand) { h.refer(r, refOther) }},
		{"refer from apart", func(h *history, r *rand.Rand) { h.refer(r, refApart) }},
		{"refer from below", func(h *history, r *rand.Rand) { h.refer(r, refBelow) }},
		{"write apart", (*history).writeApart},
		{"lose all", (*history).loseAll},
	}
}
