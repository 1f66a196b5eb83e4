package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/refresh/host/formula"
)

// keptCell is a cell as a run kept it: typed out, with its formula as it read in its row, empty for none, and with what it showed.
type keptCell struct {
	checksum.Cell
	formula string
	shows   checksum.Cell
}

// keptCells are cells of a row of the sheet, from 1, as JSON has them.
func (p *comparison) keptCells(list []any, row int) []keptCell {
	cells := make([]keptCell, len(list))
	for i, v := range list {
		cells[i] = p.keptCell(v, row)
	}
	return cells
}

func (p *comparison) keptCell(v any, row int) keptCell {
	object, _ := v.(map[string]any)
	text, ok := object["formula"].(string)
	if !ok {
		c := cellOf(v)
		return keptCell{Cell: c, shows: c}
	}
	f := Formula{Position: Position{Row: row - 1 - p.View.Anchor.Row}, Text: text}
	return keptCell{formulaCell(f, p.View.at()), text, cellOf(object["value"])}
}

// cellOf is the cell that JSON shows so.
func cellOf(v any) checksum.Cell {
	switch v := v.(type) {
	case float64:
		return checksum.Num(v)
	case string:
		return checksum.Str(v)
	case bool:
		return checksum.Bool(v)
	case map[string]any:
		if code, ok := v["error"].(string); ok {
			return checksum.Err(code)
		}
	}
	return checksum.Cell{}
}

// keptAt is a kept cell of a row, an empty one where that has none.
func keptAt(cells []keptCell, column int) keptCell {
	if column >= len(cells) {
		return keptCell{}
	}
	return cells[column]
}

// keptRow is a row as a run kept it, its cells by column after the run. lost is how many filled ones were of columns that the run left out.
type keptRow struct {
	before, after []keptCell // nil: it was added, or removed
	rowBefore     int        // of the sheet, from 1, as its formulas read
	near          int        // of the block, where it was left, unless the block has moved since
	lost          int
}

// keptRows are the rows that the run of its input is to put back. fresh are columns that the block did not have before that run.
func (p *comparison) keptRows() (rows []keptRow, fresh []bool) {
	to := p.keptBetween()
	fresh = slices.Repeat([]bool{true}, len(p.Kept.Columns))
	for _, column := range to {
		if column >= 0 {
			fresh[column] = false
		}
	}
	rows = make([]keptRow, len(p.Kept.Rows))
	for i, kept := range p.Kept.Rows {
		row := keptRow{rowBefore: cmp.Or(kept.Was, kept.Row), near: kept.Row - 1 - p.View.Anchor.Row}
		if kept.After != nil {
			row.after = p.keptCells(kept.After, kept.Row)
		}
		if kept.Before != nil {
			row.before = make([]keptCell, len(p.Kept.Columns))
			for column, c := range p.keptCells(kept.Before, row.rowBefore) {
				if column < len(to) && to[column] >= 0 {
					row.before[to[column]] = c
				} else if c.Kind != checksum.Empty {
					row.lost++
				}
			}
		}
		rows[i] = row
	}
	return rows, fresh
}

// keptBetween says which column after the run each one before it became, -1 for none: its headings changed if the run kept them.
func (p *comparison) keptBetween() []int {
	headings := p.Kept.Columns
	for i := range p.Kept.Rows {
		if row := &p.Kept.Rows[i]; !p.Kept.Over && row.Before != nil && p.keptHeader(row) {
			headings = columnNames(typedOut(p.keptCells(row.Before, row.Row)))
			break
		}
	}
	return columnsBetween(headings, p.Kept.Columns)
}

// keptHeader reports whether a run left its headings in a row. Other rows may hold the same.
func (p *comparison) keptHeader(row *ChangedRow) bool {
	return row.After != nil && row.Row == p.Kept.Top
}

// typedOut are kept cells as they are compared.
func typedOut(kept []keptCell) []checksum.Cell {
	cells := make([]checksum.Cell, len(kept))
	for i, c := range kept {
		cells[i] = c.Cell
	}
	return cells
}

// columnNames are the names of as many columns as there are headings.
func columnNames(headings []checksum.Cell) []string {
	names := make([]string, len(headings))
	for i := range names {
		names[i] = strings.Clone(columnName(headings, i))
	}
	return names
}

// columnsBetween says which of the columns of one table each of another is, -1 for none: that of its name or, where both have as many, that in
// its place.
func columnsBetween(from, to []string) []int {
	columns, taken := slices.Repeat([]int{-1}, len(from)), make([]bool, len(to))
	for i, name := range from {
		for k := range to {
			if !taken[k] && to[k] == name {
				columns[i], taken[k] = k, true
				break
			}
		}
	}
	for i := range from {
		if len(from) == len(to) && columns[i] < 0 && !taken[i] {
			columns[i], taken[i] = i, true
		}
	}
	return columns
}

// putting puts back what a run kept, cell by cell where what that run wrote still stands.
type putting struct {
	of      *comparison
	kept    []keptRow
	fresh   []bool
	columns []int // by column of kept: that of the block, -1 for one that is gone
	stand   map[uint64]bool
	end     int // the row behind the last one of the block that is filled
	rows    map[int][]checksum.Cell
	behind  []int // rows of rows that come behind those that stand
	counts  PutBack
}

// putBack returns the comparison as if a person had typed what the run of its input is to put back. What the document holds is document.
func (p *comparison) putBack() (*comparison, PutBack) {
	if p.Kept == nil || p.stands.Rows() == 0 {
		return p, PutBack{}
	}
	typed := *p
	typed.document = p
	typed.formulas, typed.put = maps.Clone(p.formulas), map[int]map[int]checksum.Cell{}
	b := &putting{of: &typed, columns: p.keptColumns(), rows: map[int][]checksum.Cell{}}
	b.kept, b.fresh = p.keptRows()
	b.survey()
	rows := b.match()
	for i := range b.kept {
		b.counts.Left += b.kept[i].lost
		if row := &b.kept[i]; row.after == nil {
			b.insert(row)
		} else if row.before != nil {
			b.change(row, rows[i])
		}
	}
	if len(b.rows) == 0 {
		return p, b.counts
	}
	b.settle()
	return &typed, b.counts
}

// keptColumns says which column of the block each of a run's is, by their headings: as they were written last, else as they stand.
func (p *comparison) keptColumns() []int {
	columns := slices.Repeat([]int{-1}, len(p.Kept.Columns))
	for _, headings := range [][]checksum.Cell{p.base.Header, header(p.stands)} {
		used := map[int]bool{}
		for _, column := range columns {
			used[column] = true
		}
		for i, name := range p.Kept.Columns {
			for column := 0; columns[i] < 0 && column < len(headings); column++ {
				if !used[column] && columnName(headings, column) == name {
					columns[i], used[column] = column, true
				}
			}
		}
	}
	return columns
}

// change puts back the cells of a row that stands as one of the block, which may be none: -1.
func (b *putting) change(kept *keptRow, row int) {
	var cells []checksum.Cell
	if row >= 0 {
		cells = b.of.stands.Cells(row, nil)
	}
	for i, was := range kept.before {
		wrote := keptAt(kept.after, i)
		if b.fresh[i] || was.Same(wrote.Cell) || b.of.Kept.Over && was.Kind == checksum.Empty {
			continue
		}
		column := b.columns[i]
		switch {
		case row < 0 || column < 0:
			b.counts.Left++
		case was.Same(checksum.CellAt(cells, column)):
			b.counts.Stood++
		case wrote.Same(checksum.CellAt(cells, column)):
			b.put(Position{row, column}, was, kept.rowBefore)
		default:
			b.counts.Left++
		}
	}
}

// put puts a cell of a row of the sheet, as that was, into a cell of the block.
func (b *putting) put(at Position, was keptCell, row int) {
	cells, ok := b.rows[at.Row]
	if !ok && at.Row < b.of.stands.Rows() {
		cells = b.of.stands.Cells(at.Row, nil)
	}
	cells = atLeast(cells, at.Column+1)
	cells[at.Column] = was.Cell
	b.rows[at.Row] = cells
	if b.of.put[at.Row] == nil {
		b.of.put[at.Row] = map[int]checksum.Cell{}
	}
	b.of.put[at.Row][at.Column] = was.shows
	delete(b.of.formulas, at)
	if was.formula != "" {
		b.of.formulas[at] = was.formula
		if text, ok := formula.Move(formula.Cut(was.formula), b.of.View.Anchor.Row+at.Row-(row-1), 0); ok {
			b.of.formulas[at] = text
		}
	}
	b.counts.Cells++
}

// insert puts back a row that a run removed, behind those that stand, unless it stands somewhere.
func (b *putting) insert(kept *keptRow) {
	cells, filled := []checksum.Cell{}, 0
	for i, was := range kept.before {
		switch column := b.columns[i]; {
		case was.Kind == checksum.Empty:
		case column < 0:
			b.counts.Left++
		default:
			filled++
			cells = atLeast(cells, column+1)
			cells[column] = was.Cell
		}
	}
	if filled == 0 {
		return
	}
	if b.stand[checksum.RowFingerprint(cells)] {
		b.counts.Stood += filled
		return
	}
	row := b.end + len(b.behind)
	b.behind = append(b.behind, row)
	for i, was := range kept.before {
		if column := b.columns[i]; was.Kind != checksum.Empty && column >= 0 {
			b.put(Position{row, column}, was, kept.rowBefore)
		}
	}
}

// survey notes which rows stand, and where the block ends.
func (b *putting) survey() {
	b.stand = map[uint64]bool{}
	for row, fingerprint := range b.of.stands.Block().Fingerprints {
		if fingerprint != checksum.EmptyRow {
			b.stand[fingerprint], b.end = true, row+1
		}
	}
}

// settle makes the block hold what is put back.
func (b *putting) settle() {
	p := b.of
	p.holds, p.behind = p.stands.Block().Fingerprints, p.stands.Rows()
	if len(b.behind) > 0 {
		p.behind = b.behind[0]
		p.holds = p.holds[:p.behind]
		p.stands = p.stands.Slice(0, p.behind).Padded(p.behind + len(b.behind))
	}
	rows := slices.Sorted(maps.Keys(b.rows))
	var with checksum.Builder
	for _, row := range rows {
		with.Append(b.rows[row]...)
	}
	typed := with.Grid()
	b.remember(rows, typed)
	p.stands = p.stands.Replace(rows, typed)
}

// remember makes what was written last know the rows that are put back as ones with cells of a person: of the cells beside these it is known
// then what the source had.
func (b *putting) remember(rows []int, typed *checksum.Grid) {
	base, holds := &b.of.base, b.of.holds
	of := map[uint64][]int{} // by what stands: the rows of base that are so
	for row, fingerprint := range base.Fingerprints {
		of[fingerprint] = append(of[fingerprint], row)
	}
	edited := map[int]checksum.EditedRow{}
	by := map[uint64]int{} // by what was left of a person's: its row
	for _, e := range base.Edited {
		edited[e.Row] = e
		by[checksum.RowFingerprint(e.Kept)] = e.Row
	}
	base.Inserted = slices.Clone(base.Inserted)
	for i, row := range rows {
		kept := typed.Cells(i, nil)
		if row >= len(holds) {
			base.Inserted = append(base.Inserted, checksum.RowFingerprint(kept))
			continue
		}
		if at, ok := by[holds[row]]; ok {
			e := edited[at]
			e.Kept = kept
			edited[at], b.of.replaces = e, append(b.of.replaces, row)
		} else if list := of[holds[row]]; len(list) > 0 {
			i := max(slices.Index(list, row), 0) // of equal rows that in its place
			at := list[i]
			of[holds[row]] = slices.Delete(list, i, i+1)
			edited[at] = checksum.EditedRow{ID: newRowID(), Row: at, Source: b.of.document.stands.Cells(row, nil), Kept: kept}
		}
	}
	base.Edited = make([]checksum.EditedRow, 0, len(edited))
	for _, row := range slices.Sorted(maps.Keys(edited)) {
		base.Edited = append(base.Edited, edited[row])
	}
}

// asItStands is the comparison without what is to be put back.
func (p *comparison) asItStands() *comparison {
	if p.document == nil {
		return p
	}
	return p.document
}
