package checksum

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A model is a source, the block of its result in a sheet, and a person who works in the sheet, all of them plain lists. Everything that
// the person types is like nothing else, so that it can be found again wherever it went.
type model struct {
	*rand.Rand
	testing.TB
	source table // the header first
	sheet  []sheetRow
	last   Baseline
	rowKey []string
	typed  int
	steps  []string
	begun  *Baseline // a write since last that was not completed
	backup *Baseline // what was remembered of an earlier run

	completes bool // the next write does
}

// sheetRow is a row as it stands. touched is whether the person did more to it than move it.
type sheetRow struct {
	cells   []Cell
	touched bool
}

func newModel(t testing.TB, seed uint64) *model {
	m := &model{Rand: rand.New(rand.NewPCG(seed, 1)), TB: t}
	m.source = lines("k|n|t")
	if m.IntN(3) == 0 {
		m.rowKey = []string{"k"}
	}
	for range m.IntN(8) {
		m.source = append(m.source, m.newRow())
	}
	return m
}

// newRow is a row of the source. Without a key its values repeat.
func (m *model) newRow() []Cell {
	m.typed++
	key := fmt.Sprint("s", m.IntN(12))
	if m.rowKey != nil || m.IntN(2) == 0 {
		key = fmt.Sprint("s", m.typed)
	}
	row := make([]Cell, len(m.source[0]))
	for i, heading := range m.source[0] {
		row[i] = Str(fmt.Sprint("v", m.IntN(6)))
		if heading.Text == "k" {
			row[i] = Str(key)
		}
	}
	return row
}

// typing returns a text that occurs nowhere else.
func (m *model) typing() Cell {
	m.typed++
	return Str(fmt.Sprint("typed", m.typed))
}

// noted is a step that the person or the source took.
func (m *model) noted(format string, args ...any) {
	m.steps = append(m.steps, fmt.Sprintf(format, args...))
}

// row chooses a row below the header, 0 without any.
func (m *model) row(rows int) int {
	if rows < 2 {
		return 0
	}
	return 1 + m.IntN(rows-1)
}

func (m *model) column() int { return m.IntN(len(m.source[0])) }

// changeSource does one thing to the source.
func (m *model) changeSource() {
	at := m.row(len(m.source))
	kind := m.IntN(8)
	m.noted("source %d at %d", kind, at)
	switch kind {
	case 0, 1:
		m.source = slices.Insert(m.source, at+1, m.newRow())
	case 2:
		if at > 0 {
			m.source = slices.Delete(m.source, at, at+1)
		}
	case 3, 4:
		if column := m.column(); at > 0 && (m.rowKey == nil || m.source[0][column].Text != "k") {
			m.source[at] = slices.Clone(m.source[at])
			m.source[at][column] = Str(fmt.Sprint("v", m.IntN(9)))
		}
	case 5:
		body := m.source[1:]
		m.Shuffle(len(body), func(i, k int) { body[i], body[k] = body[k], body[i] })
	case 6:
		if at > 0 && m.rowKey == nil {
			m.source = slices.Insert(m.source, at, m.source[at])
		}
	default:
		m.changeColumns()
	}
}

// changeColumns adds, drops or moves a column of the source, seldom.
func (m *model) changeColumns() {
	if m.IntN(6) > 0 {
		return
	}
	column := m.column()
	add := len(m.source[0]) < 4
	if !add && m.source[0][column].Text == "k" {
		return
	}
	m.noted("column %d, added: %t", column, add)
	for i, row := range m.source {
		switch {
		case add && i == 0:
			m.source[i] = slices.Insert(slices.Clone(row), column, Str(fmt.Sprint("c", m.typed)))
		case add:
			m.source[i] = slices.Insert(slices.Clone(row), column, Str("v1"))
		default:
			m.source[i] = slices.Delete(slices.Clone(row), column, column+1)
		}
	}
}

// changeSheet lets the person do one thing.
func (m *model) changeSheet() {
	if len(m.sheet) == 0 {
		return
	}
	at, other := m.row(len(m.sheet)), m.row(len(m.sheet))
	kind := m.IntN(12)
	m.noted("person %d at %d, %d", kind, at, other)
	body := m.sheet[1:]
	switch kind {
	case 0:
		m.Shuffle(len(body), func(i, k int) { body[i], body[k] = body[k], body[i] })
	case 1:
		slices.Reverse(body)
	case 2:
		m.sheet[at], m.sheet[other] = m.sheet[other], m.sheet[at]
	case 3: // cut and inserted elsewhere
		row := m.sheet[at]
		if at > 0 {
			m.sheet = slices.Insert(slices.Delete(m.sheet, at, at+1), min(other, len(m.sheet)-1), row)
		}
	case 4: // inserted
		cells := make([]Cell, len(m.sheet[0].cells))
		if len(cells) > 0 {
			cells[m.IntN(len(cells))] = m.typing()
		}
		m.sheet = slices.Insert(m.sheet, at+1, sheetRow{cells: cells, touched: true})
	case 5:
		if at > 0 {
			m.sheet = slices.Delete(m.sheet, at, at+1)
		}
	case 6: // a copy inserted
		m.sheet = slices.Insert(m.sheet, at+1, sheetRow{cells: slices.Clone(m.sheet[at].cells), touched: true})
	case 7:
		if m.IntN(4) == 0 {
			for i := range body {
				body[i] = sheetRow{cells: make([]Cell, len(body[i].cells)), touched: true}
			}
		}
	case 8:
		m.sheet[at] = sheetRow{cells: make([]Cell, len(m.sheet[at].cells)), touched: true}
	default:
		if cells := slices.Clone(m.sheet[at].cells); len(cells) > 0 {
			cells[m.IntN(len(cells))] = m.typing()
			m.sheet[at].cells, m.sheet[at].touched = cells, true
		}
	}
}

// standing is the sheet as a table.
func (m *model) stands() table {
	rows := make(table, len(m.sheet))
	for i, row := range m.sheet {
		rows[i] = row.cells
	}
	return rows
}

// giveBack returns a kept cell to the source.
func (m *model) giveBack() {
	if len(m.last.Edited) == 0 || m.IntN(3) > 0 {
		return
	}
	e := &m.last.Edited[m.IntN(len(m.last.Edited))]
	if column := m.IntN(max(1, len(e.Kept))); CellAt(e.Kept, column) != CellAt(e.Source, column) {
		m.noted("given back %d:%d", e.Row, column)
		e.Returned = map[int]bool{column: true}
	}
}

// run refreshes the block and checks what decisions.md §7a promises.
func (m *model) run() {
	m.noted("run over %v with %v", texts(m.stands().grid()), texts(m.source.grid()))
	theirs := m.stands()
	if m.begun != nil {
		m.last = Likeliest(m.last, []Baseline{*m.begun}, theirs.grid().Block())
		m.begun = nil
	}
	out := merged(m, m.last, theirs, m.source, m.rowKey...)
	m.checkRows(out, theirs)
	m.checkTyped(out, theirs)
	m.checkPlan(out, theirs)
	before := m.sheet
	m.sheet = nil
	for _, row := range decoded(out.Kept) {
		m.sheet = append(m.sheet, sheetRow{cells: widened(row, len(m.source[0]))})
	}
	for _, p := range out.People {
		m.sheet[p.Row].touched = true
		m.checkCells(p, theirs[p.Theirs])
		if !before[p.Theirs].touched && !slices.ContainsFunc(before, func(r sheetRow) bool {
			return r.touched && slices.Equal(trimmed(r.cells), trimmed(before[p.Theirs].cells))
		}) {
			m.fail("row %d of the sheet was never touched, but is kept as a person's", p.Theirs)
		}
	}
	if m.IntN(10) == 0 && !m.completes {
		m.noted("the write was not completed")
		begun := remember(out, m.source)
		m.begun = &begun
		return
	}
	m.last = remember(out, m.source)
}

// restore forgets what was written since the backup. The next run is the restored block's: with rows that are neither the backup's nor the
// source's it is a conflict, and then overwritten.
func (m *model) restore() {
	m.noted("restored")
	m.last, m.begun = *m.backup, nil
	m.last.Restored = true
	theirs := m.stands()
	if len(theirs) > 0 {
		m.last = m.last.Under(theirs[0], m.source.grid(), m.source.grid().Block())
	}
	columnsChanged := len(theirs) > 0 && !slices.EqualFunc(theirs[0], m.last.Header, Cell.Same)
	if !columnsChanged {
		out := merged(m, m.last, theirs, m.source, m.rowKey...)
		want := m.unknownRows(theirs)
		concerned := slices.Clone(out.Edited)
		for _, c := range out.Lost {
			concerned = append(concerned, c.Row)
		}
		slices.Sort(concerned)
		if !sameRows(theirs, want, out.Strange, slices.Compact(concerned)) {
			m.fail("rows %v are strange in %v, want %v; last %v, source %v", out.Strange, texts(theirs.grid()), want, m.last, texts(m.source.grid()))
		}
		if len(out.Strange) == 0 {
			m.completes = true
			m.run() // which fails for rows of Mooring's own that are kept, and for what was typed and is gone
			m.completes = false
			return
		}
	}
	m.noted("overwritten")
	m.sheet = nil
	for _, row := range m.source {
		m.sheet = append(m.sheet, sheetRow{cells: slices.Clone(row)})
	}
	m.last = Baseline{BlockRows: m.source.grid().Block(), Header: slices.Clone(m.source[0])}
}

// unknownRows are the filled rows of theirs that are more often there than the last write left them and the source has them, by counting.
func (m *model) unknownRows(theirs table) (rows []int) {
	left, free := map[uint64]int{}, map[uint64]int{}
	for _, row := range m.last.Fingerprints {
		left[row]++
	}
	for _, row := range m.source.grid().Block().Fingerprints {
		free[row]++
	}
	for row, n := range left {
		free[row] = max(free[row], n)
	}
	for _, row := range m.last.Inserted {
		free[row]++
	}
	for _, e := range m.last.Edited {
		free[RowFingerprint(e.Kept)]++
	}
	for _, row := range m.last.Others {
		free[row]++
	}
	for t, cells := range theirs {
		row := RowFingerprint(cells)
		if free[row]--; row != EmptyRow && free[row] < 0 {
			rows = append(rows, t)
		}
	}
	return rows
}

// sameRows reports whether got are those of want that are concerned. Which of several equal rows are too many, nothing says.
func sameRows(theirs table, want, got, concerned []int) bool {
	count := func(rows []int) map[uint64]int {
		of := map[uint64]int{}
		for _, t := range rows {
			of[RowFingerprint(theirs[t])]++
		}
		return of
	}
	wanted, found, may := count(want), count(got), count(concerned)
	for _, t := range slices.Concat(want, got) {
		row := RowFingerprint(theirs[t])
		if found[row] != min(wanted[row], may[row]) {
			return false
		}
	}
	return true
}

// checkRows: each row of ours is in the block once, or replaced by one row that a person edited, and each cell that is not the source's is
// known.
func (m *model) checkRows(out Merged, theirs table) {
	kept, person := decoded(out.Kept), map[int]PersonRow{}
	times := make([]int, len(m.source))
	for _, p := range out.People {
		person[p.Row] = p
		if p.Ours >= 0 {
			times[p.Ours]++
		}
		for column := range max(len(kept[p.Row]), len(m.source[0])) {
			var source Cell
			if p.Ours >= 0 {
				source = CellAt(m.source[p.Ours], column)
			}
			if (CellAt(kept[p.Row], column) != source) != slices.Contains(p.Columns, column) {
				m.fail("row %d %v has edits %v, the source %v", p.Row, kept[p.Row], p.Columns, source)
			}
		}
	}
	next := 0
	for i, row := range kept {
		if _, own := person[i]; own {
			continue
		}
		for next < len(times) && times[next] > 0 {
			next++
		}
		if next == len(times) || !slices.Equal(trimmed(row), trimmed(m.source[next])) {
			m.fail("row %d of the block is %v, which is not the source's next", i, row)
		}
		times[next]++
	}
	for o, n := range times {
		if n != 1 {
			m.fail("row %d of the source is in the block %d times", o, n)
		}
	}
}

// checkCells: of a row that stands as the last run left it, with cells of the person in it, only those are kept.
func (m *model) checkCells(p PersonRow, theirs []Cell) {
	if p.Before == nil || !slices.Equal(m.last.Header, m.source[0]) || !slices.Equal(trimmed(theirs), trimmed(p.Before.Kept)) {
		return
	}
	for _, column := range p.Columns {
		if CellAt(p.Before.Kept, column) == CellAt(p.Before.Source, column) {
			m.fail("cell %d:%d is kept, though nobody typed it", p.Row, column)
		}
	}
}

// checkTyped: all that the person typed is still there, or known to be lost.
func (m *model) checkTyped(out Merged, theirs table) {
	count := func(rows [][]Cell) map[string]int {
		found := map[string]int{}
		for _, row := range rows {
			for _, c := range row {
				if strings.HasPrefix(c.Text, "typed") {
					found[c.Text]++
				}
			}
		}
		return found
	}
	after := count(decoded(out.Kept))
	for _, c := range out.Lost {
		after[CellAt(theirs[c.Row], c.Column).Text]++
	}
	for text, n := range count(theirs) {
		if after[text] < n {
			m.fail("%q is gone", text)
		}
	}
}

// checkPlan: carrying out the plan makes the block what it should be and touches nothing beside and below it.
func (m *model) checkPlan(out Merged, theirs table) {
	for _, by := range []Means{{}, {Shifts: someShifts}, {Shifts: someShifts, Move: true}} {
		plan := out.Keep(by)
		kept := out.Kept.Padded(by.Takes(len(theirs), out.Kept.Rows()))
		if by.Shift() && len(theirs) > 0 {
			checkNet(m, plan, kept.Rows()-len(theirs))
		}
		got := filledRows(apply(theirs, plan, kept, kept.Columns()))
		want := filledRows(decoded(out.Kept))
		if !slices.EqualFunc(got, want, func(a, b []Cell) bool { return slices.Equal(a, b) }) {
			m.fail("the plan %+v makes %v of it, want %v", plan, got, want)
		}
	}
}

func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.Fatalf(format+"\n%s", append(args, strings.Join(m.steps, "\n"))...)
}

// trimmed is cells without the empty ones at their end.
func trimmed(cells []Cell) []Cell {
	for len(cells) > 0 && cells[len(cells)-1].Kind == Empty {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// modelSteps is how many things happen to sheets and sources in a test.
const modelSteps = 120_000

// TestNothingAPersonDoesSpoilsABlock is decisions.md §7a as a whole: a person and a source change a block in turns.
func TestNothingAPersonDoesSpoilsABlock(t *testing.T) {
	steps := modelSteps
	if testing.Short() {
		steps /= 20
	}
	for seed := uint64(0); steps > 0; seed++ {
		m := newModel(t, seed)
		m.noted("seed %d, key %v", seed, m.rowKey)
		for range 12 {
			m.run()
			for range m.IntN(4) {
				m.changeSheet()
				steps--
			}
			for range m.IntN(3) {
				m.changeSource()
				steps--
			}
			m.giveBack()
		}
	}
}

// TestNothingIsLostOrDoubledAfterARestore forgets, now and then, all that was written since an earlier run.
func TestNothingIsLostOrDoubledAfterARestore(t *testing.T) {
	steps := modelSteps / 4
	if testing.Short() {
		steps /= 5
	}
	conflicts := 0
	for seed := uint64(0); steps > 0; seed++ {
		m := newModel(t, seed)
		m.noted("seed %d, key %v", seed, m.rowKey)
		m.run()
		for range 8 {
			backup := m.last
			m.backup = &backup
			for range 1 + m.IntN(2) {
				m.run()
				for range m.IntN(3) {
					m.changeSheet()
					steps--
				}
				for range m.IntN(3) {
					m.changeSource()
					steps--
				}
			}
			before := len(m.steps)
			m.restore()
			if slices.Contains(m.steps[before:], "overwritten") {
				conflicts++
			}
		}
	}
	t.Logf("%d conflicts", conflicts)
}
