package plan

import (
	"fmt"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// locate is the rectangle that holds our block now. Without a marker the stored address is believed only when what stands there proves to
// be the block: a placement may have been moved by name alone, onto cells that a person filled, or its file may have been replaced.
func (p *decider) locate() (checksum.Extent, *placements.Fault) {
	if p.View.Marked {
		return p.View.Extent, nil
	}
	extent, fault := p.recorded()
	if p.takesOver() && (fault != nil || extent == checksum.Extent{}) && !p.empty(p.Ours.Extent()) {
		return p.Ours.Extent(), nil
	}
	return extent, fault
}

// takesOver reports whether what stands where the block goes counts as edits of it, which overwrite replaces and keeps in the run: the
// block has not been written, or only by writes that were not completed.
func (p *decider) takesOver() bool {
	return p.Asked && p.OnEdit == placements.Overwrite && p.Last.Completed == nil && p.Last.Extent == (checksum.Extent{})
}

// recorded is the rectangle that holds our block at its stored address.
func (p *decider) recorded() (checksum.Extent, *placements.Fault) {
	reach, near := p.Last.Reach(), p.Last
	near.Begun = near.Begun[:min(1, len(near.Begun))] // an older one would have left its headings, however wide it is
	switch {
	case p.Last.known() && p.empty(near.Reach().Union(p.Ours.Extent())):
		return checksum.Extent{}, nil // cleared, or another file: written anew
	case p.Last.known():
		return p.proven(reach)
	}
	own, said := p.Last.Extent, p.reported()
	width := max(own.Columns, p.Ours.Columns())
	written := headerOf(p.View.Cells, width) == headerOf(p.Ours, width)
	if written && (own.Rows > said.Rows || own.Columns > said.Columns) {
		return own, nil
	}
	return said, nil
}

// proven is the rectangle of a block without its marker whose header and at least half of whose rows stand as they were written.
func (p *decider) proven(reach checksum.Extent) (checksum.Extent, *placements.Fault) {
	for _, last := range p.Last.Written() {
		if stands := p.View.Cells.Crop(last.Extent()).Block(); last.Stands(stands) {
			return last.Extent(), nil
		}
	}
	if stands := p.View.Cells.Crop(p.Ours.Extent()).Block(); (&checksum.Last{Block: p.Block}).Stands(stands) {
		return p.Ours.Extent(), nil
	}
	elsewhere := "another cell"
	if row := p.headingsBelow(); row > 0 {
		elsewhere = spot(p.View, row, 0) + ", where its headings stand"
	}
	end := spotRange(p.View, reach.Union(p.Ours.Extent()))
	return checksum.Extent{}, Conflict("the marker of the block is gone, and what stands at %s is not the block: "+
		"clear %s to have the block written there again, or connect the report to %s", spot(p.View, 0, 0), end, elsewhere)
}

// headingsBelow is the row below the block's place that has the headings which were written last, 0 without one.
func (p *decider) headingsBelow() int {
	for _, last := range p.Last.Written() {
		if len(last.Fingerprints) == 0 {
			continue
		}
		rows := p.View.Cells.Crop(checksum.Extent{Rows: p.View.Cells.Rows(), Columns: last.Columns}).Block().Fingerprints
		if row := slices.Index(rows, last.Fingerprints[0]); row > 0 {
			return row
		}
	}
	return 0
}

// empty reports whether no cell of the rectangle is filled.
func (p *decider) empty(e checksum.Extent) bool {
	for _, f := range p.View.Formulas {
		if f.Row < e.Rows && f.Column < e.Columns {
			return false
		}
	}
	for _, row := range p.View.Cells.Crop(e).Block().Fingerprints {
		if row != checksum.EmptyRow {
			return false
		}
	}
	return true
}

// headerOf is the fingerprint of a table's first row.
func headerOf(g *checksum.Grid, columns int) uint64 {
	b := g.Crop(checksum.Extent{Rows: 1, Columns: columns}).Block()
	if len(b.Fingerprints) == 0 {
		return checksum.EmptyRow
	}
	return b.Fingerprints[0]
}

// standingCells are the cells of the block as it stands. A row that already is as it should be, beyond the block's old extent too, belongs
// to it: an attempt that wrote and then died must not find itself in conflict with its own cells.
func (p *decider) standingCells() *checksum.Grid {
	wide := p.View.Cells.Crop(checksum.Extent{Rows: p.View.Cells.Rows(), Columns: max(p.extent.Columns, p.Ours.Columns())})
	rows := wide.Block().Fingerprints
	written := func(i int) bool {
		return i < len(rows) && i < len(p.Block.Fingerprints) && rows[i] == p.Block.Fingerprints[i]
	}
	end := p.extent.Rows
	for end < len(rows) && rows[end] != checksum.EmptyRow && written(end) {
		end++
	}
	narrow := wide.Crop(checksum.Extent{Rows: end, Columns: p.extent.Columns})
	var beyond []int // rows that hold more than the block's columns, all of it ours
	if wide.Columns() > narrow.Columns() {
		for i := range min(end, wide.Rows()) {
			if written(i) {
				beyond = append(beyond, i)
			}
		}
	}
	if len(beyond) == 0 {
		return narrow
	}
	return narrow.Replace(beyond, wide.Pick(beyond))
}

// formulasInside are the formulas of the block as it stands.
func (p *decider) formulasInside(stands *checksum.Grid) (inside []Formula) {
	for _, f := range p.View.Formulas {
		if f.Row < max(p.extent.Rows, stands.Rows()) && f.Column < p.extent.Columns {
			inside = append(inside, f)
		}
	}
	return inside
}

// rowsPutBelow is how many rows right below the block are its own: a person cut them out of it and inserted them there, or inserted
// others in a block that has lost its marker. They were written last and stand nowhere in the block. A block with emptied rows is left as
// it is: their content was dragged out.
func (p *decider) rowsPutBelow(stands *checksum.Grid) (n int) {
	below := p.below()
	if len(below) == 0 || len(p.base.Fingerprints) == 0 {
		return 0
	}
	missing := map[uint64]int{}
	for _, row := range p.base.Fingerprints[1:] {
		missing[row]++
	}
	for _, row := range stands.Block().Fingerprints {
		missing[row]--
	}
	if missing[checksum.EmptyRow] < 0 {
		return 0
	}
	for _, row := range below {
		if missing[row] <= 0 || p.hasFormula(p.extent.Rows+n, p.extent.Columns) {
			break
		}
		missing[row]--
		n++
	}
	return n
}

// spareRow reports whether a block of headings alone, below which rows are to be inserted, has an empty row there. That becomes one of its
// rows: a total below, over rows that the block had, refers to it.
func (p *decider) spareRow(stands *checksum.Grid) bool {
	if !p.Means.Shift() || p.extent.Rows != 1 || stands.Rows() > 1 || p.Ours.Rows() < 2 {
		return false
	}
	columns := max(p.extent.Columns, p.Ours.Columns())
	rows := p.View.Cells.Crop(checksum.Extent{Rows: 2, Columns: columns}).Block().Fingerprints
	return (len(rows) < 2 || rows[1] == checksum.EmptyRow) && !p.hasFormula(1, columns)
}

// hasFormula reports whether a formula stands in a row, in so many columns from the block's first.
func (p *decider) hasFormula(row, columns int) bool {
	return slices.ContainsFunc(p.View.Formulas, func(f Formula) bool { return f.Row == row && f.Column < columns })
}

// inTheWay says which cells, by row, stand where the block is to be and how to make room for it. moved is how many rows further down they
// will be.
func (p *decider) inTheWay(cells []Position, needs checksum.Extent, moved int) *placements.Fault {
	first, last := cells[0], cells[0]
	for _, c := range cells {
		first.Column = min(first.Column, c.Column)
		last.Row, last.Column = c.Row, max(last.Column, c.Column)
	}
	where := spot(p.View, first.Row, first.Column)
	if first != last {
		where += ":" + spotCell(p.View.Anchor, last.Row, last.Column)
	}
	return Conflict("the report now needs %d rows and %d columns from %s, but %s holds something that is not its own: "+
		"%sclear %s or move the report", needs.Rows, needs.Columns, spot(p.View, 0, 0), where, p.room(first, needs, moved),
		Plural(len(cells), "that cell", "those cells"))
}

// room says how a person makes room for a block before the first cell in its way: only what stands wholly below or beside the block can
// be moved.
func (p *decider) room(first Position, needs checksum.Extent, moved int) string {
	at := spotCell(p.View.Anchor, first.Row, first.Column)
	digits := strings.IndexAny(at, "0123456789")
	below, beside := first.Row >= p.extent.Rows, first.Column >= p.extent.Columns
	switch {
	case p.extent == checksum.Extent{} || below == beside:
		return ""
	case below:
		return "refresh with shiftRows, " + insert(needs.Rows-moved-first.Row, "row", "above row "+at[digits:])
	}
	return insert(needs.Columns-first.Column, "column", "left of column "+at[:digits])
}

// cleared reports whether no cell below the header is filled.
func (p *decider) cleared() bool {
	for row := 1; row < p.stands.Rows(); row++ {
		if len(p.stands.Cells(row, nil)) > 0 {
			return false
		}
	}
	return true
}

// columnsChanged finds what a person did to the columns of the block.
func (p *decider) columnsChanged() (checksum.ColumnChange, bool) {
	stands := header(p.stands)
	if p.base.Header == nil || len(stands) == 0 || slices.EqualFunc(stands, p.base.Header, checksum.Cell.Same) || p.headerElsewhere() {
		return checksum.ColumnChange{}, false
	}
	change, ok := checksum.Columns(p.base.Header, stands, p.extent.Columns-p.base.Columns)
	return p.base.InsertedColumn(change, p.stands), ok
}

// headerElsewhere reports whether the first row is not the header but another row that was moved there: the header was moved or deleted.
func (p *decider) headerElsewhere() bool {
	first := checksum.RowFingerprint(header(p.stands))
	for _, row := range p.base.Fingerprints[1:] {
		if row == first {
			return true
		}
	}
	return false
}

// mostEdited are the headings that were edited together with most rows of the block: then columns were, in a way that their headings do
// not tell. There are none where few rows were edited.
func (p *decider) mostEdited(m *checksum.Merged) (headings []string) {
	edited := 0
	for _, row := range m.People {
		switch {
		case row.Ours == 0:
			headings = p.cellsOf(row)
		case row.Ours > 0:
			edited++
		}
	}
	if edited <= 1 || 2*edited <= p.stands.Rows()-1 {
		return nil
	}
	return headings
}

// changedColumn names the column concerned by its heading, and by its letter where it still stands.
func (p *decider) changedColumn(change checksum.ColumnChange) string {
	if change.Kind == checksum.ColumnRemoved {
		return quoted(change.Name)
	}
	letters := placements.Anchor{Column: p.View.Anchor.Column + change.Column}.String()
	letters = letters[:len(letters)-1]
	if change.Name == "" {
		return letters
	}
	return fmt.Sprintf("%s (%s)", letters, quoted(change.Name))
}

func (p *decider) columnConflict(what string) *placements.Fault {
	if p.doubt != nil {
		return Conflict("%s at %s, or Mooring wrote it so itself %s: %s", what, spot(p.View, 0, 0), p.doubt.written, waysOutDoubtful)
	}
	return Conflict("%s at %s: undo that, or refresh with onEdit \"overwrite\" to have the block written anew", what, spot(p.View, 0, 0))
}
