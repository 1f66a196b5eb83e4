package marks

import (
	"math/rand/v2"
	"strconv"

	"mooring/placements"
)

// writeNote types a note beside a record, over what stands there.
func (h *history) writeNote(r *rand.Rand) {
	it := h.some(r)
	if it == nil {
		return
	}
	h.drop(func(r *ref) bool { return r.holder == it && r.kind == refNote })
	it.note = "note " + strconv.Itoa(h.next()) + "."
	h.edit(func(e editor) { e.set(h.at(h.standing, it, noteColumn), it.note) })
}

// writeFormula types a formula beside a record, over what stands there, which refers to any record.
func (h *history) writeFormula(r *rand.Rand) {
	it, target := h.some(r), h.some(r)
	if it == nil {
		return
	}
	h.drop(func(r *ref) bool { return r.holder == it && r.kind == refNote })
	it.note = ""
	h.mark(&ref{kind: refNote, target: target, column: r.IntN(3), holder: it})
}

func (h *history) writeComment(r *rand.Rand) {
	it := h.some(r)
	if it == nil || it.comment != "" || !h.file {
		return
	}
	it.comment = "comment " + strconv.Itoa(h.next())
	h.edit(func(e editor) { e.comment(h.at(h.standing, it, keyColumn), it.comment) })
}

// refer lets something refer to a cell of a record.
func (h *history) refer(r *rand.Rand, kind refKind) {
	target, where := h.some(r), 0
	if target == nil {
		return
	}
	switch kind {
	case refApart:
		where = h.top.Row + r.IntN(12)
		if h.apart[where] != "" {
			return
		}
	case refBelow:
		where = r.IntN(4)
	case refOther:
		where = r.IntN(others)
	}
	h.drop(func(r *ref) bool { return kind != refName && r.kind == kind && r.where == where })
	h.mark(&ref{kind: kind, target: target, column: r.IntN(3), where: where})
}

// mark notes a reference and types it.
func (h *history) mark(r *ref) {
	r.id = h.next()
	h.refs = append(h.refs, r)
	to := h.at(h.standing, r.target, r.column)
	h.edit(func(e editor) {
		switch at := r.on(h.model, h.standing); r.kind {
		case refName:
			e.name(r.name(), to)
		case refOther:
			e.setOther(at, r.formula(to))
		default:
			e.set(at, r.formula(to))
		}
	})
}

// clear removes references from the document.
func (h *history) clear(refs []*ref) {
	if len(refs) == 0 {
		return
	}
	h.edit(func(e editor) {
		for _, r := range refs {
			switch at := r.on(h.model, h.standing); r.kind {
			case refName:
				e.unname(r.name())
			case refOther:
				e.setOther(at, "")
			case refTyped:
				text := strconv.Itoa(h.next())
				r.holder.typed[r.where], h.inserted = text, true
				e.set(at, text)
			default:
				e.set(at, "")
			}
		}
	})
}

// writeApart types a text apart from the block.
func (h *history) writeApart(r *rand.Rand) {
	row := h.top.Row + r.IntN(20)
	for _, one := range h.refs {
		if one.kind == refApart && one.where == row {
			return
		}
	}
	h.apart[row] = "apart " + strconv.Itoa(h.next())
	h.edit(func(e editor) { e.set(placements.Anchor{Row: row, Column: h.top.Column + apartColumn}, h.apart[row]) })
}
