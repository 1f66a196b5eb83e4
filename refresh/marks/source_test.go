package marks

import (
	"math/rand/v2"
	"slices"
)

// gain adds records to the source, together or apart, at its ends too.
func (h *history) gain(r *rand.Rand, n int) {
	at, together := r.IntN(len(h.source)+1), r.IntN(2) == 0
	for range n {
		if len(h.source) >= 40 {
			return
		}
		h.source = slices.Insert(h.source, at, h.newItem())
		if !together {
			at = r.IntN(len(h.source) + 1)
		}
	}
}

func (h *history) lose(r *rand.Rand, n int) {
	for range min(n, len(h.source)-1) {
		h.loseAt(r.IntN(len(h.source)))
	}
}

// loseAll is rare.
func (h *history) loseAll(r *rand.Rand) {
	if r.IntN(4) > 0 {
		return
	}
	for i := len(h.source) - 1; i >= 0; i-- {
		h.loseAt(i)
	}
}

// loseAt removes a record, but for one that a person edited where no rowKey tells that another one in its place does not continue it.
func (h *history) loseAt(i int) {
	if i < 0 || i >= len(h.source) {
		return
	}
	it := h.source[i]
	if len(it.typed) > 0 && !h.keyed {
		return
	}
	h.source = slices.Delete(h.source, i, i+1)
	if !it.fresh || len(it.typed) > 0 {
		h.left = append(h.left, it)
	}
}

func (h *history) replace(r *rand.Rand) {
	if len(h.source) == 0 {
		return
	}
	i := r.IntN(len(h.source))
	h.loseAt(i)
	h.source = slices.Insert(h.source, i, h.newItem())
}

func (h *history) update(r *rand.Rand) {
	for range 1 + r.IntN(3) {
		if len(h.source) > 0 {
			h.source[r.IntN(len(h.source))].numbers[r.IntN(2)] = h.next()
		}
	}
}

// reorder moves a record of the source to another place.
func (h *history) reorder(r *rand.Rand) {
	if len(h.source) < 2 {
		return
	}
	from := r.IntN(len(h.source))
	it := h.source[from]
	h.source = slices.Delete(h.source, from, from+1)
	h.source = slices.Insert(h.source, r.IntN(len(h.source)+1), it)
	h.reordered = true
}
