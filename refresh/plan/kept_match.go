package plan

import (
	"slices"

	"mooring/checksum"
)

// match finds, by row that a run kept, the row of the block which is what the run left there; -1 where none is. Rows are told apart by the
// row key; without one a row is that which still holds all that was written or, if it has the same name, most of it.
func (b *putting) match() []int {
	m := matching{putting: b, rows: slices.Repeat([]int{-1}, len(b.kept)), used: map[int]bool{}}
	for i := range b.kept {
		if b.of.keptHeader(&b.of.Kept.Rows[i]) {
			m.rows[i], m.used[0] = 0, true
			break
		}
	}
	key := b.keyColumns()
	if key != nil {
		m.by(key, func(kept *keptRow) []keptCell { return kept.after })
	}
	all := make([]int, 0, len(b.columns))
	for i, column := range b.columns {
		if column >= 0 {
			all = append(all, i)
		}
	}
	m.by(all, func(kept *keptRow) []keptCell { return kept.after })
	m.by(all, func(kept *keptRow) []keptCell { return kept.before })
	for i := range m.rows {
		if kept := &b.kept[i]; m.open(i) && key == nil {
			m.rows[i] = m.named(kept)
		}
	}
	return m.rows
}

// matching is a match in progress.
type matching struct {
	*putting
	rows []int
	used map[int]bool // rows of the block
}

// open reports whether a row is to be matched yet.
func (m *matching) open(i int) bool {
	return m.rows[i] < 0 && m.kept[i].before != nil && m.kept[i].after != nil
}

// keyColumns are the columns of the run that tell rows apart; nil without a row key, or where one of them is gone.
func (b *putting) keyColumns() (columns []int) {
	for _, name := range b.of.RowKey {
		i := slices.Index(b.of.Kept.Columns, name)
		if i < 0 || b.columns[i] < 0 {
			return nil
		}
		columns = append(columns, i)
	}
	return columns
}

// by matches the rows that hold what a run kept of some columns: of several that in its place, else the first.
func (m *matching) by(columns []int, what func(*keptRow) []keptCell) {
	part := make([]checksum.Cell, len(columns))
	stand := map[uint64][]int{}
	var cells []checksum.Cell
	for row := 1; row < m.of.stands.Rows(); row++ {
		if m.used[row] {
			continue
		}
		cells = m.of.stands.Cells(row, cells[:0])
		for i, column := range columns {
			part[i] = checksum.CellAt(cells, m.columns[column])
		}
		if at := checksum.RowFingerprint(part); at != checksum.EmptyRow {
			stand[at] = append(stand[at], row)
		}
	}
	for i := range m.kept {
		if !m.open(i) {
			continue
		}
		for k, column := range columns {
			part[k] = keptAt(what(&m.kept[i]), column).Cell
		}
		at := checksum.RowFingerprint(part)
		if list := stand[at]; len(list) > 0 {
			k := max(slices.Index(list, m.kept[i].near), 0)
			m.rows[i], m.used[list[k]] = list[k], true
			stand[at] = slices.Delete(list, k, k+1)
		}
	}
}

// named finds the row that has the name of one which a run left: its first cell that the run did not change. Of several it is the one that
// holds most of what was written, and at least half; -1 for none.
func (m *matching) named(kept *keptRow) int {
	name := slices.IndexFunc(kept.after, func(c keptCell) bool { return c.Kind != checksum.Empty })
	for name >= 0 && name < len(kept.after) && !kept.after[name].Same(keptAt(kept.before, name).Cell) {
		name++
	}
	if name < 0 || name >= len(kept.after) || m.column(name) < 0 {
		return -1
	}
	found, most, several := -1, -1, false
	var cells []checksum.Cell
	for row := 1; row < m.of.stands.Rows(); row++ {
		cells = m.of.stands.Cells(row, cells[:0])
		if m.used[row] || !kept.after[name].Same(checksum.CellAt(cells, m.column(name))) {
			continue
		}
		same := 0
		for i, c := range kept.after {
			if c.Kind != checksum.Empty && c.Same(checksum.CellAt(cells, m.column(i))) {
				same++
			}
		}
		several = several || found >= 0
		if same > most {
			found, most = row, same
		}
	}
	if several && 2*most < len(kept.after) {
		return -1
	}
	if found >= 0 {
		m.used[found] = true
	}
	return found
}

// column is the column of the block that a run's is, -1 for one that is gone.
func (b *putting) column(i int) int {
	if i >= len(b.columns) {
		return -1
	}
	return b.columns[i]
}
