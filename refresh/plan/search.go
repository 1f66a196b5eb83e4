package plan

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
)

// search finds the block of its input in the view, and what was left there.
type search struct {
	Input
	extent checksum.Extent // of the block, as far as it is known
	base   checksum.Baseline
	doubt  *doubt // nil: what the last write left is known
	over   bool   // see takesOver
}

// find returns what is to be compared.
func (in Input) find() (*comparison, *placements.Fault) {
	p := search{Input: in}
	var fault *placements.Fault
	if p.extent, fault = p.locate(); fault != nil {
		return nil, fault
	}
	shows := p.standingCells()
	p.base = p.Last.base(shows)
	p.doubt = p.doubted(shows)
	if n := p.rowsPutBelow(shows); n > 0 {
		p.extent.Rows += n
		shows = p.standingCells()
	}
	if p.spareRow(shows) {
		p.extent.Rows++
	}
	return p.compare(shows), nil
}

// compare types out the formulas of the block that was found, and works out which of its columns are whose.
func (p *search) compare(shows *checksum.Grid) *comparison {
	inside := p.formulasInside(shows)
	c := &comparison{Input: p.Input, extent: p.extent, base: p.base, doubt: p.doubt, over: p.over, formulas: make(map[Position]string, len(inside))}
	c.stands = typed(shows, inside, p.View.at())
	for _, f := range inside {
		c.formulas[f.Position] = f.Text
	}
	if c.base.Header == nil && len(c.base.Fingerprints) > 0 {
		c.base.Header = c.headerLeft()
	}
	if c.doubt != nil {
		c.base = c.base.Under(header(c.stands), c.Ours, c.Block)
		c.base.Restored = true
	}
	c.before = c.base.ColumnsBefore(header(c.Ours), c.Ours.Columns())
	return c
}

// locate is the rectangle that holds our block now. Without a marker the stored address is believed only when what stands there proves to
// be the block: a placement may have been moved by name alone, onto cells that a person filled, or its file may have been replaced.
func (p *search) locate() (checksum.Extent, *placements.Fault) {
	if p.View.Marked {
		return p.View.Extent, nil
	}
	extent, fault := p.recorded()
	if p.takesOver() && (fault != nil || extent == checksum.Extent{}) && !p.empty(p.Ours.Extent()) {
		return p.Ours.Extent(), p.writeOver()
	}
	return extent, fault
}

// takesOver reports whether what stands where the block goes counts as edits of it, which overwrite replaces and keeps in the run: the
// block has not been written, or only by writes that were not completed.
func (p *search) takesOver() bool {
	asked := p.WriteOver || p.Asked && p.OnEdit == placements.Overwrite
	return asked && p.Last.Completed == nil && p.Last.Extent == (checksum.Extent{})
}

// writeOver has what stands where the block goes replaced, and refuses to replace more cells than a run that is asked for just that keeps.
func (p *search) writeOver() *placements.Fault {
	if p.over = true; !p.WriteOver {
		return nil
	}
	p.OnEdit = placements.Overwrite
	if n := p.filled(p.Ours.Extent()); n > MaxOverwritten {
		return Conflict("%d cells are filled where the block goes at %s, more than the %d that a run can keep: "+
			"place the report elsewhere, or clear them", n, spotRange(p.View, p.Ours.Extent()), MaxOverwritten)
	}
	return nil
}

// filled counts the filled cells of a rectangle.
func (p *search) filled(e checksum.Extent) (n int) {
	formulas := map[Position]bool{}
	for _, f := range p.View.Formulas {
		if f.Row < e.Rows && f.Column < e.Columns {
			formulas[f.Position] = true
		}
	}
	n = len(formulas)
	g := p.View.Cells.Crop(e)
	var cells []checksum.Cell
	for row := range g.Rows() {
		cells = g.Cells(row, cells[:0])
		for column, c := range cells {
			if c.Kind != checksum.Empty && !formulas[Position{row, column}] {
				n++
			}
		}
	}
	return n
}

// recorded is the rectangle that holds our block at its stored address.
func (p *search) recorded() (checksum.Extent, *placements.Fault) {
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
func (p *search) proven(reach checksum.Extent) (checksum.Extent, *placements.Fault) {
	for _, last := range p.Last.Written() {
		if stands := p.View.Cells.Crop(last.Extent()).Block(); last.Stands(stands) {
			return last.Extent(), nil
		}
	}
	if stands := p.View.Cells.Crop(p.Ours.Extent()).Block(); (&checksum.Baseline{BlockRows: p.Block}).Stands(stands) {
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
func (p *search) headingsBelow() int {
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
func (p *search) empty(e checksum.Extent) bool {
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
func (p *search) standingCells() *checksum.Grid {
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
func (p *search) formulasInside(stands *checksum.Grid) (inside []Formula) {
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
func (p *search) rowsPutBelow(stands *checksum.Grid) (n int) {
	below := rowsBelow(p.View, p.extent)
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
func (p *search) spareRow(stands *checksum.Grid) bool {
	if !p.Means.Shift() || p.extent.Rows != 1 || stands.Rows() > 1 || p.Ours.Rows() < 2 {
		return false
	}
	columns := max(p.extent.Columns, p.Ours.Columns())
	rows := p.View.Cells.Crop(checksum.Extent{Rows: 2, Columns: columns}).Block().Fingerprints
	return (len(rows) < 2 || rows[1] == checksum.EmptyRow) && !p.hasFormula(1, columns)
}

// hasFormula reports whether a formula stands in a row, in so many columns from the block's first.
func (p *search) hasFormula(row, columns int) bool {
	return slices.ContainsFunc(p.View.Formulas, func(f Formula) bool { return f.Row == row && f.Column < columns })
}

// rowsBelow are the filled rows right below a block.
func rowsBelow(v View, block checksum.Extent) (rows []uint64) {
	for row := block.Rows; row < v.Cells.Rows(); row++ {
		cells := v.Cells.Cells(row, nil)
		fingerprint := checksum.RowFingerprint(cells[:min(len(cells), block.Columns)])
		if fingerprint == checksum.EmptyRow {
			break
		}
		rows = append(rows, fingerprint)
	}
	return rows
}

// reported is the rectangle of the first rows that stand as an add-in reported them: the end that it said proves nothing.
func (p *search) reported() (e checksum.Extent) {
	if p.Last.Report == nil {
		return e
	}
	held := p.Last.Report.Held(p.View.Cells.Crop(p.Last.Said))
	if len(held) > 0 && held[0].From == 0 {
		e = checksum.Extent{Rows: held[0].To, Columns: p.Last.Said.Columns}
	}
	return e
}
