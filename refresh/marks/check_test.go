package marks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/placements"
)

// cells are texts by where they stand; a formula begins with =, and names no sheet and has no dollar sign.
type cells map[placements.Anchor]string

// seen is what stands in a document.
type seen struct {
	data, other cells
	comments    cells
	names       map[string]string // the cell that each marks, #REF! for none
}

// plain is a formula, or what a name refers to, without what does not matter here.
func plain(formula string) string {
	return strings.NewReplacer("'Data'!", "", "Data!", "", "data!", "", "$", "").Replace(formula)
}

// standing is where items stand in the sheet: what a check found out.
type standing struct {
	rows   map[*item]int // of the sheet
	empty  []int         // rows of the block that hold nothing
	total  int           // the row below the block
	faults []string
	stray  []placements.Anchor // cells that were filled beside new rows, and that the model does not want
}

func (st *standing) faultf(format string, args ...any) {
	st.faults = append(st.faults, fmt.Sprintf(format, args...))
}

// at is a cell of an item.
func (m *model) at(st *standing, it *item, column int) placements.Anchor {
	return placements.Anchor{Row: st.rows[it], Column: m.top.Column + column}
}

// in is a cell of the block's columns.
func (m *model) in(row, column int) placements.Anchor {
	return placements.Anchor{Row: row, Column: m.top.Column + column}
}

// check compares a document with the model.
func (m *model) check(s seen) *standing {
	st := m.find(s)
	if len(st.faults) > 0 {
		return st
	}
	for _, it := range m.all() {
		m.checkItem(st, s, it)
	}
	m.checkOrder(st)
	m.checkEmpty(st, s)
	m.checkComments(st, s)
	for _, r := range m.refs {
		m.checkRef(st, s, r)
	}
	m.checkAround(st, s)
	return st
}

// find finds the rows of the items by their keys, and the end of the block by the total below it.
func (m *model) find(s seen) *standing {
	st := &standing{rows: map[*item]int{}}
	byKey := map[string]*item{}
	for _, it := range m.all() {
		byKey[it.key] = it
	}
	row := m.top.Row + 1
	for ; s.data[m.in(row, keyColumn)] != "Total"; row++ {
		key := s.data[m.in(row, keyColumn)]
		it := byKey[key]
		switch {
		case row > m.top.Row+1_000:
			st.faultf("the total below the block is gone")
			return st
		case key == "":
			st.empty = append(st.empty, row)
		case it == nil:
			st.faultf("row %d holds %q, which should not stand there", row+1, key)
		case st.rows[it] != 0:
			st.faultf("%s stands in rows %d and %d", key, st.rows[it]+1, row+1)
		default:
			st.rows[it] = row
		}
	}
	st.total = row
	for _, it := range m.all() {
		if st.rows[it] == 0 {
			st.faultf("%s is missing", it.key)
		}
	}
	return st
}

// checkItem compares what stands in the row of an item, and beside it.
func (m *model) checkItem(st *standing, s seen, it *item) {
	for column := firstNumber; column <= lastNumber; column++ {
		want, known := it.cell(column)
		if got := s.data[m.at(st, it, column)]; known && m.held(it, column) == nil && got != want {
			st.faultf("%s of %s holds %q, want %q", m.at(st, it, column), it.key, got, want)
		}
	}
	twice, want := s.data[m.at(st, it, twiceColumn)], fmt.Sprintf("=%s*2", m.at(st, it, firstNumber))
	if twice != want && (twice != "" || !m.renewed) {
		st.faultf("%s beside %s holds %q, want %q", m.at(st, it, twiceColumn), it.key, twice, want)
	}
	if m.held(it, noteColumn) != nil {
		return
	}
	at := m.at(st, it, noteColumn)
	switch note := s.data[at]; {
	case note == it.note:
	case it.fresh && strings.HasPrefix(note, "="): // beside the last row stood a formula
		st.stray = append(st.stray, at)
	default:
		st.faultf("%s beside %s holds %q, want %q", at, it.key, note, it.note)
	}
}

// checkOrder checks that the source's rows stand in its order.
func (m *model) checkOrder(st *standing) {
	for i := 1; i < len(m.source); i++ {
		if before, it := m.source[i-1], m.source[i]; st.rows[before] > st.rows[it] {
			st.faultf("%s stands below %s", before.key, it.key)
		}
	}
}

// checkEmpty checks that the block has an empty row only where it has no other one.
func (m *model) checkEmpty(st *standing, s seen) {
	if n := len(st.empty); n > 0 && (n > 1 || len(st.rows) > 0) {
		st.faultf("the block has %d empty rows besides %d others", n, len(st.rows))
	}
	for _, row := range st.empty {
		for column := firstNumber; column <= lastNumber; column++ {
			if got := s.data[m.in(row, column)]; got != "" {
				st.faultf("%s of the empty row holds %q", m.in(row, column), got)
			}
		}
	}
}

// checkComments checks that each comment is on the key of its item.
func (m *model) checkComments(st *standing, s seen) {
	left := maps.Clone(s.comments)
	for _, it := range m.all() {
		at := m.at(st, it, keyColumn)
		if it.comment != left[at] {
			st.faultf("%s, the key of %s, has the comment %q, want %q", at, it.key, left[at], it.comment)
		}
		delete(left, at)
	}
	for _, row := range st.empty {
		delete(left, m.in(row, keyColumn))
	}
	for at, text := range left {
		st.faultf("%s has the comment %q", at, text)
	}
}

// checkRef checks that a reference refers to its cell.
func (m *model) checkRef(st *standing, s seen, r *ref) {
	at, got := m.place(st, s, r)
	if r.target == nil {
		if !m.renewed && !strings.Contains(got, "#REF!") {
			st.faultf("%s reads %q, though the row that it referred to is gone", at, got)
		}
		return
	}
	want := plain(r.formula(m.at(st, r.target, r.column)))
	if r.kind == refName {
		want = m.at(st, r.target, r.column).String()
	}
	if got != want {
		st.faultf("%s reads %q, want %q of %s", at, got, want, r.target.key)
	}
}

// place is where a reference stands, and what stands there.
func (m *model) place(st *standing, s seen, r *ref) (at, text string) {
	switch r.kind {
	case refName:
		return r.name(), s.names[r.name()]
	case refOther:
		return "Other!" + r.on(m, st).String(), s.other[r.on(m, st)]
	}
	return r.on(m, st).String(), s.data[r.on(m, st)]
}

// on is the cell where a reference stands, which is no name.
func (r *ref) on(m *model, st *standing) placements.Anchor {
	switch r.kind {
	case refOther:
		return placements.Anchor{Row: r.where}
	case refApart:
		return m.in(r.where, apartColumn)
	case refBelow:
		return m.in(st.total+3+r.where, firstNumber)
	case refNote:
		return m.at(st, r.holder, noteColumn)
	}
	return m.at(st, r.holder, r.where)
}

// checkAround checks what stands above, below and apart.
func (m *model) checkAround(st *standing, s seen) {
	sum := fmt.Sprintf("=SUM(%s:%s)", m.in(m.top.Row+1, firstNumber), m.in(st.total-1, firstNumber))
	want := cells{
		m.top: "key", m.in(m.top.Row, twiceColumn): "twice", m.in(m.top.Row, noteColumn): "note",
		m.in(st.total, firstNumber): sum, m.in(st.total+2, keyColumn): "below", m.in(st.total, noteColumn): "end",
	}
	for row, text := range m.apart {
		want[m.in(row, apartColumn)] = text
	}
	for _, at := range slices.SortedFunc(maps.Keys(want), compareAnchors) {
		if got := s.data[at]; got != want[at] {
			st.faultf("%s holds %q, want %q", at, got, want[at])
		}
	}
}

func compareAnchors(a, b placements.Anchor) int {
	if a.Row != b.Row {
		return a.Row - b.Row
	}
	return a.Column - b.Column
}
