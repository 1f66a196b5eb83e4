package marks

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"mooring/placements"
)

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

// some is an item that stands in the sheet, nil without one.
func (h *history) some(r *rand.Rand) *item {
	var list []*item
	for _, it := range slices.Concat(h.source, h.typed) {
		if h.standing.rows[it] != 0 {
			list = append(list, it)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[r.IntN(len(list))]
}

// typeOver types a number over one of a record. A person does not edit rows where rows were deleted: which one went would be a guess.
func (h *history) typeOver(r *rand.Rand) {
	it := h.some(r)
	if it == nil || h.deleted {
		return
	}
	column, text := firstNumber+r.IntN(2), strconv.Itoa(h.next())
	h.inserted = true
	h.drop(func(r *ref) bool { return r.holder == it && r.kind == refTyped && r.where == column })
	it.typed[column] = text
	h.edit(func(e editor) { e.set(h.at(h.standing, it, column), text) })
}

// typeFormula types a formula over a number of a record, which refers to another record.
func (h *history) typeFormula(r *rand.Rand) {
	it, target := h.some(r), h.some(r)
	if it == nil || it == target || h.deleted {
		return
	}
	column := firstNumber + r.IntN(2)
	h.inserted = true
	h.drop(func(r *ref) bool { return r.holder == it && r.kind == refTyped && r.where == column })
	it.typed[column] = "formula"
	h.mark(&ref{kind: refTyped, target: target, column: r.IntN(3), holder: it, where: column})
}

// insertRow inserts a whole row between two of the block and types into it.
func (h *history) insertRow(r *rand.Rand) {
	rows := h.standing.total - h.top.Row - 1
	if h.deleted || rows < 2 || len(h.typed) > 6 {
		return
	}
	row := h.top.Row + 2 + r.IntN(rows-1)
	it := h.newItem()
	it.key, it.person, it.fresh = "own "+it.key, true, false
	for column := firstNumber; column <= lastNumber; column++ {
		it.typed[column] = strconv.Itoa(it.numbers[column-firstNumber])
	}
	h.inserted = true
	h.typed = append(h.typed, it)
	h.moveApart(row, 1)
	h.edit(func(e editor) {
		e.insertRow(row)
		e.set(h.in(row, keyColumn), it.key)
		for column, text := range it.typed {
			e.set(h.in(row, column), text)
		}
		e.set(h.in(row, twiceColumn), "="+h.in(row, firstNumber).String()+"*2")
	})
	h.see()
}

// deleteRow deletes a whole row of the block, once what refers to it and what it holds is gone.
func (h *history) deleteRow(r *rand.Rand) {
	it := h.some(r)
	if it == nil || h.inserted || len(h.standing.rows) < 3 {
		return
	}
	row := h.standing.rows[it]
	if row == h.top.Row+1 && h.file {
		return // the library leaves a range that begins there wrong
	}
	if slices.ContainsFunc(h.refs, func(r *ref) bool { return r.kind == refTyped && slices.Contains(h.typed, r.holder) }) {
		return // a row of a person whose formula changes as the row goes may stand for that row
	}
	h.deleted = true
	h.clear(h.drop(func(r *ref) bool { return r.target == it || r.holder == it || r.kind == refApart && r.where == row }))
	h.edit(func(e editor) { e.deleteRow(row) })
	it.note, it.comment, it.typed, it.fresh = "", "", map[int]string{}, true
	h.typed = slices.DeleteFunc(h.typed, func(other *item) bool { return other == it })
	h.left = slices.DeleteFunc(h.left, func(other *item) bool { return other == it })
	h.moveApart(row, -1)
	h.see()
}

// moveRow cuts a whole row of the block, which is neither its first nor its last, and inserts it elsewhere between these.
func (h *history) moveRow(r *rand.Rand) {
	rows := h.standing.total - h.top.Row - 1
	if h.file || rows < 4 || h.inserted || h.deleted {
		return
	}
	from, to := h.top.Row+2+r.IntN(rows-2), h.top.Row+2+r.IntN(rows-1)
	if to == from || to == from+1 {
		return
	}
	h.edit(func(e editor) { e.moveRow(from, to) })
	h.moveApart(to, 1)
	gap := from
	if from >= to {
		gap++
	}
	h.cutApart(gap, to)
	h.reordered = true
	h.see()
}

// insertAbove inserts a whole row above the block.
func (h *history) insertAbove(*rand.Rand) {
	if h.top.Row > 12 {
		return
	}
	row := h.top.Row
	h.top.Row++
	h.moveApart(row, 1)
	h.edit(func(e editor) { e.insertRow(row) })
	h.see()
}

// moveApart moves what stands apart as a row is inserted or deleted.
func (h *history) moveApart(row, by int) {
	moved := map[int]string{}
	for at, text := range h.apart {
		switch {
		case at < row:
			moved[at] = text
		case by > 0 || at > row:
			moved[at+by] = text
		}
	}
	h.apart = moved
	for _, r := range h.refs {
		if r.kind == refApart && r.where >= row {
			r.where += by
		}
	}
}

// cutApart moves what stands apart in a row to another one, which is empty, and deletes the row.
func (h *history) cutApart(from, to int) {
	if text, ok := h.apart[from]; ok {
		h.apart[to] = text
		delete(h.apart, from)
	}
	for _, r := range h.refs {
		if r.kind == refApart && r.where == from {
			r.where = to
		}
	}
	h.moveApart(from, -1)
}

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
