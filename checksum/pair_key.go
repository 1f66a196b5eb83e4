package checksum

import (
	"slices"
)

// continueByKey finds by the key how rows of base continue that the source has changed, as far as their cells are known: of those that
// stand unedited and of those edited before the last write.
func (m *merge) continueByKey() {
	if m.key.rows == nil {
		return
	}
	columns := m.keyColumns()
	for b := 1; b < len(m.next.toB); b++ {
		if m.next.toB[b] != none {
			continue
		}
		row, t := []byte(nil), int(m.rows.toB[b])
		switch e := m.history[b]; {
		case e != nil:
			row = EncodeRow(e.Source)
		case t != none && m.state[t] == untouched && t < m.standing.Rows():
			row = m.standing.Row(t)
		default:
			continue
		}
		if o := m.key.row(row, columns); o != none && m.next.toA[o] == none {
			m.next.pair(b, o)
			if t != none {
				m.stand(t, o)
			}
		}
	}
}

// continueByTexts finds how rows of base that stand unedited continue without a key, by the columns of texts that name records, as a plan
// does. Only rows of a person that stand among them need to know.
func (m *merge) continueByTexts() {
	if m.key.rows != nil || m.toOurs != nil || !slices.ContainsFunc(m.loose.theirs, m.personal) {
		return
	}
	m.partCrossed()
	x := &identity{
		pairing: newPairing(len(m.theirs), m.ours.Rows()), naming: none,
		before: Contents{m.standing, m.theirs}, after: Contents{m.ours, m.block.Fingerprints},
	}
	for t, b := range m.rows.toA {
		o := m.pick[t]
		if o == none && b != none {
			o = m.next.toB[b]
		}
		if o != none && x.toA[o] == none {
			x.pair(t, int(o))
		}
	}
	for o, b := range m.next.toA {
		if b != none && x.toA[o] == none {
			x.toA[o] = 0 // of a row that does not stand there
		}
	}
	for _, t := range m.loose.theirs {
		x.known = append(x.known, twin{theirs: t, ours: int(m.pick[t])})
	}
	before := slices.Clone(x.toA)
	x.pairByTexts(x.loose())
	for o, t := range x.toA {
		if t > 0 && before[o] == none && m.unedited(int(t)) {
			m.next.pair(int(m.rows.toA[t]), o)
			m.stand(int(t), o)
		}
	}
}

// partCrossed lets no row of a gap continue by its place where the column that names rows says that some have changed places.
func (m *merge) partCrossed() {
	named, parted := naming{merge: m}, false
	for b := 1; b < len(m.next.toB); b++ {
		from := b
		for b < len(m.next.toB) && m.next.toB[b] != none && !m.same(b) {
			b++
		}
		if b-from > 1 && named.crossed(from, b) {
			m.part(from, b)
			parted = true
		}
	}
	if parted {
		m.loose.ours = where(m.taken, 0, func(taken bool) bool { return !taken })
	}
}

// part forgets how rows [from,to) of base continue.
func (m *merge) part(from, to int) {
	for b := from; b < to; b++ {
		o := m.next.toB[b]
		if t := m.rows.toB[b]; t != none && m.pick[t] == o {
			m.pick[t], m.taken[o] = none, false
		}
		m.next.toB[b], m.next.toA[o] = none, none
	}
}

// personal reports whether row t of theirs is one that a person edited or inserted.
func (m *merge) personal(t int) bool { return t > 0 && (m.left(t) || m.state[t] == edited) }

// pairByKey pairs rows that have the key of a row of ours. Where another row has that key already, they were inserted.
func (m *merge) pairByKey() {
	if m.key.rows == nil {
		return
	}
	columns := m.keyColumns()
	for _, t := range m.open() {
		if t == 0 {
			continue
		}
		switch o := m.key.row(m.standing.Row(t), columns); {
		case o == none:
		case m.taken[o]:
			m.state[t] = inserted
		default:
			m.replaces(t, o)
		}
	}
}
