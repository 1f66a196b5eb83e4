package host

import (
	"slices"

	"mooring/checksum"
)

// Lines says where the rows of a block went: runs of them in their order now.
type Lines []lineRun

// lineRun is rows that stood one below the other, from the block's from-th on, or that are new: from is -1.
type lineRun struct{ from, rows int }

// Lines returns where the rows of a block that had so many are after the patch.
func (p *Patch) Lines(had int) Lines {
	list := Lines{{from: 0, rows: had}}
	for _, m := range p.Moves {
		list.move(m)
	}
	for _, s := range p.Shifts {
		at := list.cut(s.At)
		if s.Rows > 0 {
			list = slices.Insert(list, at, lineRun{from: -1, rows: s.Rows})
			continue
		}
		to := list.cut(s.At - s.Rows)
		list = slices.Delete(list, at, to)
	}
	if more := p.Extent.Rows - list.rows(); more > 0 {
		return append(list, lineRun{from: -1, rows: more})
	}
	end := list.cut(p.Extent.Rows)
	return list[:end]
}

// move cuts rows and inserts them elsewhere.
func (list *Lines) move(m checksum.RowMove) {
	from, end := list.cut(m.From), list.cut(m.From+m.Rows)
	runs := slices.Clone((*list)[from:end])
	*list = slices.Delete(*list, from, end)
	to := m.To
	if to > m.From {
		to -= m.Rows
	}
	*list = slices.Insert(*list, list.cut(to), runs...)
}

func (list Lines) rows() (n int) {
	for _, r := range list {
		n += r.rows
	}
	return n
}

// cut makes a run begin at a row, and returns which; the number of runs for a row behind the last.
func (list *Lines) cut(row int) int {
	for i, r := range *list {
		switch {
		case row <= 0:
			return i
		case row < r.rows:
			second := lineRun{from: -1, rows: r.rows - row}
			if r.from >= 0 {
				second.from = r.from + row
			}
			(*list)[i].rows = row
			*list = slices.Insert(*list, i+1, second)
			return i + 1
		}
		row -= r.rows
	}
	return len(*list)
}

// Gained lists the new rows.
func (list Lines) Gained() (spans []checksum.Span) {
	row := 0
	for _, r := range list {
		if last := len(spans) - 1; r.from < 0 && last >= 0 && spans[last].To == row {
			spans[last].To += r.rows
		} else if r.from < 0 {
			spans = append(spans, checksum.Span{From: row, To: row + r.rows})
		}
		row += r.rows
	}
	return spans
}

// Last is the last of the rows that the block had and still has: where it stood, and where it stands.
func (list Lines) Last() (was, now int) {
	was, now = -1, -1
	row := 0
	for _, r := range list {
		row += r.rows
		if last := r.from + r.rows - 1; r.from >= 0 && r.rows > 0 && last > was {
			was, now = last, row-1
		}
	}
	return was, now
}

// First is the row that is the first below the header of those that the block had: where it stood; false when there is none.
func (list Lines) First() (was int, ok bool) {
	for _, r := range list {
		if was = max(r.from, 1); r.from >= 0 && was < r.from+r.rows {
			return was, true
		}
	}
	return 0, false
}
