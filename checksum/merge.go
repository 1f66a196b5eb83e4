package checksum

import (
	"slices"
	"sort"
	"sync"
)

// Last is a block as the last write left it: the base of a three-way merge. Its Block holds the rows as the source had them, row 0 being
// the header.
type Last struct {
	Block
	Header   []Cell      // nil when it is not known
	Edited   []EditedRow // rows in which cells of a person were kept, ascending
	Inserted []uint64    // fingerprints of a person's own rows that were kept, as they are or as Standing.Loosely has them
	Others   []uint64    // fingerprints of further rows that are Mooring's: what a write that was not completed may have left
	Restored bool        // from a backup: there may have been writes since
	Begun    bool        // by a write that may not have been carried out in full: rows of it may be empty that no person emptied
}

// SameColumns reports whether both writes left the same columns.
func (l Last) SameColumns(other Last) bool {
	return l.Columns == other.Columns && slices.EqualFunc(l.Header, other.Header, Cell.Same)
}

// EditedRow is a row of Last in which cells of a person were kept. Its columns are those of Last.
type EditedRow struct {
	ID       string       // the caller's
	Row      int          // of Last
	Source   []Cell       // what the source had
	Kept     []Cell       // what was left
	Returned map[int]bool // columns given back to the source since then; they count as long as the cell still is as Kept has it
}

// Standing is a block as it stands.
type Standing struct {
	Grid  *Grid
	Block Block    // of Grid, with the columns of the block, of which Grid may fill fewer
	Rows  int      // that the block takes, of which Grid may fill fewer; 0: nothing stands
	Below []uint64 // fingerprints of the filled rows right below the block
	// Loosely are, by row, the fingerprints by which rows are known whose cells change as the rows around them do.
	Loosely map[int]uint64
}

// Merged is what three tables say of each other (decisions.md §7a): base, written last; theirs, standing in the sheet now; ours, the new
// one.
type Merged struct {
	// Kept is ours with the rows and cells of a person in it.
	Kept *Grid
	// People are the rows of Kept that hold cells which are not the source's, ascending.
	People []PersonRow
	// Edited are the rows of theirs that a person changed, inserted or emptied, ascending.
	Edited []int
	// Strange are, if base was restored from a backup, the rows of Edited and of Lost that are filled and that neither base nor ours has,
	// ascending: a write since the backup may have left them.
	Strange []int
	// Deleted are the rows of ours that a person had deleted and that come back, ascending.
	Deleted []int
	// Moved is the fewest rows of theirs that must be moved to put all in order.
	Moved int
	// Lost are cells that a person typed and that Kept does not hold.
	Lost []LostCell

	merge        *merge // that it came of
	stands, ours Block
	kept         []uint64 // fingerprints of Kept
	pick         []int32  // by row of theirs: the row of ours that it stands for, none without one
	inserted     []int    // rows of Kept that a person inserted, ascending
}

// Records is, by row of theirs, the row of Kept that has its record, -1 without one: as the plan of Keep has it.
func (m *Merged) Records() []int {
	rows := slices.Repeat([]int{none}, len(m.stands.Fingerprints))
	for _, r := range m.identify(m.Kept, m.KeptBlock(), m.knownKept()) {
		for i := range r.n {
			rows[r.a+i] = r.b + i
		}
	}
	return rows
}

// place is the row of Kept that row t of theirs became, -1 when it is not in Kept. Rows that a person inserted are not found.
func (m *Merged) place(t int) int {
	if t < 0 || t >= len(m.pick) || m.pick[t] == none {
		return none
	}
	o := int(m.pick[t])
	before := sort.Search(len(m.inserted), func(i int) bool { return m.inserted[i]-i > o })
	return o + before
}

// PersonRow is a row of Kept that holds cells which are not the source's.
type PersonRow struct {
	Row     int        // of Kept
	Theirs  int        // where it stands
	Ours    int        // the row of ours that it continues, -1 for one that the person inserted
	Base    int        // the row of Last that it continues, -1 when that is not known
	Columns []int      // of Kept, that are not the source's, ascending
	Before  *EditedRow // of Last, if it held cells of a person then already
}

// LostCell is a cell of theirs that Kept does not hold.
type LostCell struct {
	Row, Column int
	Returned    bool // it was given back to the source; else its column is not in ours any more
	Known       bool // it is known to be a person's
}

// Merge compares what stands in the sheet with what was written last and with what is to be written, as decisions.md §7a says. Rows are
// found by their fingerprints wherever they stand: only a row that equals none of base or ours was edited. key finds edited rows again;
// the zero Key finds none.
func Merge(last Last, theirs Standing, ours *Grid, block Block, key Key) Merged {
	m := &merge{
		last: &last, standing: theirs.Grid, wide: theirs.Block.Columns, takes: theirs.Rows, below: theirs.Below, loosely: theirs.Loosely,
		ours: ours, block: block, key: key,
		theirs: standingRows(last.Fingerprints, theirs.Block.Fingerprints, block.Fingerprints),
	}
	m.layout()
	m.matchRows()
	m.standRows()
	if !last.Restored {
		m.pairRows()
		return m.compose()
	}
	strange := m.strange()
	m.pairRows()
	out := m.compose()
	out.Strange = out.concerned(strange)
	return out
}

// merge is a Merge in progress. Rows of all three tables count from their header, which is row 0.
type merge struct {
	last     *Last
	standing *Grid
	wide     int            // columns of the block as it stands
	takes    int            // rows of the sheet that it takes
	below    []uint64       // fingerprints of the rows right below it
	loosely  map[int]uint64 // by row of theirs
	theirs   []uint64       // fingerprints of standing, with the empty rows at its end that the block has
	ours     *Grid
	block    Block // of ours
	key      Key

	toOurs []int      // by column of base: that of ours, none for one that is gone; nil: they are the same
	rows   pairing    // base and theirs
	next   pairing    // base and ours: how a row of base continues
	state  []rowState // by row of theirs
	pick   []int32    // by row of theirs: the row of ours that it stands for, none without one
	taken  []bool     // by row of ours: a row of theirs stands for it
	loose  looseRows
	moved  int // rows of theirs
	// anyMoved reports whether rows stand in another order, by the pairs that are known when it is first asked: few merges need to know.
	anyMoved func() bool
	history  map[int]*EditedRow // by row of base
}

// looseRows are the rows that no equal row was found for, ascending: few, in most merges. Of theirs and ours the
// header may be one.
type looseRows struct{ base, theirs, ours []int }

// rowState is what is known of a row of theirs beside its pairs.
type rowState uint8

const (
	untouched rowState = iota
	edited             // a person changed or inserted it
	inserted           // a person's own row, which continues none; it becomes edited in the end
	emptied            // a row of base that a person emptied
	leftover           // of a write that was not completed
)

// standingRows is theirs with the empty rows at its end that the block has: hosts tell of too few, or of some below the block.
func standingRows(base, theirs, ours []uint64) []uint64 {
	full := theirs[:filled(theirs)]
	if slices.Equal(full, ours[:filled(ours)]) {
		return ours
	}
	rows := max(len(full), min(len(theirs), len(base)))
	theirs = theirs[:rows:rows]
	if filled(base) > rows {
		return theirs
	}
	for len(theirs) < len(base) {
		theirs = append(theirs, EmptyRow)
	}
	return theirs
}

// filled is the number of rows up to the last non-empty one.
func filled(rows []uint64) int {
	n := len(rows)
	for n > 0 && rows[n-1] == EmptyRow {
		n--
	}
	return n
}

// layout finds where the columns of base went in ours.
func (m *merge) layout() {
	if m.last.Header == nil || m.ours.Rows() == 0 {
		return
	}
	from, to := widened(m.last.Header, m.last.Columns), widened(m.ours.Cells(0, nil), m.ours.Columns())
	if !slices.Equal(from, to) {
		m.toOurs = mapColumns(from, to)
	}
}

// widened is cells with empty ones up to that number.
func widened(cells []Cell, columns int) []Cell {
	return append(slices.Clip(cells), make([]Cell, max(0, columns-len(cells)))...)
}

// column is where a column of the block as it stands goes in ours; none for one that is gone.
func (m *merge) column(i int) int {
	switch {
	case m.toOurs == nil:
		return i
	case i < len(m.toOurs):
		return m.toOurs[i]
	}
	return none
}

// matchRows pairs the rows that were not changed: of theirs with base, and of base with ours.
func (m *merge) matchRows() {
	if m.toOurs == nil { // else only the rows that stand tell how base continues
		var continued sync.WaitGroup
		continued.Go(m.continueRows)
		defer continued.Wait()
	}
	m.rows = matchEqual(m.last.Fingerprints, m.theirs, 0)
	m.anyMoved = sync.OnceValue(func() bool { return m.rows.moved() > 0 })
}

// standRows finds which rows of ours those stand for that were not edited.
func (m *merge) standRows() {
	if m.toOurs != nil {
		m.continueRows()
	}
	base := m.last.Fingerprints
	m.pick, m.state = make([]int32, len(m.theirs)), make([]rowState, len(m.theirs))
	m.taken = make([]bool, m.ours.Rows())
	for t, b := range m.rows.toA {
		m.pick[t] = none
		if b != none {
			m.stand(t, int(m.next.toB[b]))
		}
	}
	if len(base) > 0 && filled(m.theirs) > 0 && m.rows.toB[0] == none && m.rows.toA[0] == none {
		m.rows.pair(0, 0) // a header that was edited
		if m.theirs[0] != m.block.header() {
			m.state[0] = edited
		}
		m.stand(0, int(m.next.toB[0]))
	}
	m.loose = looseRows{
		base:   where(m.rows.toB, 1, func(t int32) bool { return t == none }),
		theirs: where(m.rows.toA, 0, func(b int32) bool { return b == none }),
		ours:   where(m.taken, 0, func(taken bool) bool { return !taken }),
	}
	m.asOurs()
	m.asRestored()
	m.asLeftover()
}

// where lists the rows from first on for which loose holds.
func where[T any](rows []T, first int, loose func(T) bool) (list []int) {
	for i := first; i < len(rows); i++ {
		if loose(rows[i]) {
			list = append(list, i)
		}
	}
	return list
}

// header is the fingerprint of a block's first row.
func (b Block) header() uint64 {
	if len(b.Fingerprints) == 0 {
		return EmptyRow
	}
	return b.Fingerprints[0]
}

// stand notes that row t of theirs stands for row o of ours, unless another one does.
func (m *merge) stand(t, o int) {
	if o != none && !m.taken[o] {
		m.pick[t], m.taken[o] = int32(o), true
	}
}

// continueRows finds how each row of base continues in ours: as the equal row, else as the one in the same gap.
func (m *merge) continueRows() {
	base, ours := m.last.Fingerprints, m.block.Fingerprints
	if m.toOurs != nil {
		base, ours = m.projected()
	}
	if len(base) == 0 || len(ours) == 0 {
		m.next = newPairing(len(base), len(ours))
		return
	}
	m.next = matchEqual(base, ours, 1)
	m.next.pair(0, 0)
	if m.key.rows != nil {
		return // the key knows better
	}
	type partners struct{ base, ours int }
	var found []partners
	m.next.gaps(nil, func(from, to int, rows []int) {
		for i, o := range rows {
			if to-from == len(rows) {
				found = append(found, partners{from + i, o})
			}
		}
	})
	for _, p := range found {
		m.next.pair(p.base, p.ours)
	}
}

// same reports whether the source has not changed row b of base.
func (m *merge) same(b int) bool {
	o := m.next.toB[b]
	return o != none && m.toOurs == nil && m.last.Fingerprints[b] == m.block.Fingerprints[o]
}

// projected is base and ours reduced to the columns that both have. Of base only rows that stand are known; the others differ from all.
func (m *merge) projected() (base, ours []uint64) {
	shared := make([]int, 0, len(m.toOurs))
	from := make([]int, 0, len(m.toOurs))
	for i, to := range m.toOurs {
		if to != none {
			from, shared = append(from, i), append(shared, to)
		}
	}
	theirs := m.standing.project(from).Block().Fingerprints
	base = make([]uint64, len(m.last.Fingerprints))
	for b := range base {
		base[b] = ^m.last.Fingerprints[b]
		if t := m.rows.toB[b]; t != none && int(t) < len(theirs) {
			base[b] = theirs[t]
		}
	}
	return base, m.ours.project(shared).Block().Fingerprints
}

// asOurs pairs rows left over in theirs with equal rows of ours that are not those of base: what a run wrote that died then, or what a
// person typed as the source has it.
func (m *merge) asOurs() {
	theirs, ofTheirs := m.leftTheirs()
	if len(theirs) == 0 {
		return
	}
	var ours []uint64
	var ofOurs []int
	for _, o := range m.loose.ours {
		if b := m.next.toA[o]; !m.taken[o] && (b == none || !m.same(int(b))) {
			ours, ofOurs = append(ours, m.block.Fingerprints[o]), append(ofOurs, o)
		}
	}
	for i, t := range matchEqual(ours, theirs, 0).toB {
		if t == none {
			continue
		}
		at, o := ofTheirs[t], ofOurs[i]
		m.stand(at, o)
		if b := m.next.toA[o]; b != none && m.rows.toB[b] == none {
			m.rows.pair(int(b), at)
		}
	}
}

// cleared reports whether a person emptied all below the header.
func (m *merge) cleared() bool { return filled(m.theirs) <= 1 }

// leftTheirs lists the filled rows of theirs that stand for nothing yet, by fingerprint and row.
func (m *merge) leftTheirs() (fingerprints []uint64, rows []int) {
	for _, t := range m.loose.theirs {
		if m.left(t) {
			fingerprints, rows = append(fingerprints, m.theirs[t]), append(rows, t)
		}
	}
	return fingerprints, rows
}

// left reports whether nothing is known of row t of theirs yet. An empty row belongs to neither side.
func (m *merge) left(t int) bool {
	return m.rows.toA[t] == none && m.pick[t] == none && m.state[t] == untouched && m.theirs[t] != EmptyRow
}

// Likeliest is the one of several writes that left most of the rows which stand now: the last that is known to be complete, and those since
// that may have been carried out, the newest first. The rows of the others are its Others; of all but the newest only those that the complete
// one has not, of which a person may have put a copy there.
func Likeliest(done Last, begun []Last, theirs Block) Last {
	best, most := done, shared(done.Fingerprints, theirs.Fingerprints)
	chosen := -1 // done
	for i, b := range begun {
		if n := shared(b.Fingerprints, theirs.Fingerprints); n > most {
			best, most, chosen = b, n, i
			best.Begun = true
		}
	}
	var known map[uint64]bool
	if len(begun) > 1 {
		known = done.Set()
	}
	others := slices.Clone(done.Others)
	if chosen >= 0 {
		others = append(others, done.Fingerprints...)
	}
	for i, b := range begun {
		others = append(others, b.Others...)
		for _, row := range b.Fingerprints {
			if i != chosen && (i == 0 || !known[row]) {
				others = append(others, row)
			}
		}
	}
	best.Others = others
	return best
}

// shared is how many rows of a and b are equal, the header counting more than all others.
func shared(a, b []uint64) int {
	n := 0
	for _, partner := range matchEqual(a, b, 0).toB {
		if partner != none {
			n++
		}
	}
	if len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		n += len(b)
	}
	return n
}
