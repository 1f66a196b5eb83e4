package marks

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

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
	if slices.ContainsFunc(h.refs, func(r *ref) bool { return r.kind == refTyped && r.target == it && slices.Contains(h.typed, r.holder) }) {
		return // to clear it is to edit a person's row where a row is deleted: which one went would be a guess
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
	if !h.keyed && slices.ContainsFunc(h.all(), func(it *item) bool { return len(it.typed) > 0 }) {
		return // without a rowKey edited rows are told apart by their place first
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
