package plan

import "mooring/checksum"

// comparison is the three tables of its input, that of the document as the block was found in it.
type comparison struct {
	Input
	extent checksum.Extent // of the block as it stands
	stands *checksum.Grid  // that block, formulas typed out
	// formulas are those of the block; the text is empty for a cell that the formula of another one fills. Only they are formulas, whatever
	// a text looks like.
	formulas map[Position]string
	base     checksum.Baseline
	doubt    *doubt // nil: what the last write left is known
	before   []int  // by column of Ours: where it stands in the block
	over     bool   // what stands where the block goes counts as it: see search.takesOver
	// What is to be put back, as if a person had typed it: by row and column what those cells show, and the first row that comes behind what
	// stands. document is the comparison without it, and holds its rows; nil where nothing is put back.
	put      map[int]map[int]checksum.Cell
	behind   int
	holds    []uint64
	replaces []int // rows in which it takes the place of a person's cells
	document *comparison
}

// columnBefore is where a column of ours stands in the block now.
func (p *comparison) columnBefore(column int) int {
	if column < len(p.before) {
		return p.before[column]
	}
	return column
}

// shows appends what the cells of a row of the block show.
func (p *comparison) shows(row int, dst []checksum.Cell) []checksum.Cell {
	if row < p.View.Cells.Rows() && (p.document == nil || row < p.behind) {
		dst = p.View.Cells.Cells(row, dst)
	}
	for column, c := range p.put[row] {
		dst = atLeast(dst, column+1)
		dst[column] = c
	}
	return dst
}

// headerLeft is the header that was left last, if it is the one that stands there or the new one.
func (p *comparison) headerLeft() []checksum.Cell {
	left := p.base.Fingerprints[0]
	for _, g := range []*checksum.Grid{p.stands, p.Ours} {
		if cells := header(g); checksum.RowFingerprint(cells) == left {
			return cells
		}
	}
	return nil
}

// cleared reports whether no cell below the header is filled.
func (p *comparison) cleared() bool {
	for row := 1; row < p.stands.Rows(); row++ {
		if len(p.stands.Cells(row, nil)) > 0 {
			return false
		}
	}
	return true
}

// standing is the block as it stands, as a merge takes it.
func (p *comparison) standing() checksum.Theirs {
	return checksum.Theirs{
		Grid: p.stands, Block: checksum.BlockRows{Fingerprints: p.stands.Block().Fingerprints, Columns: p.extent.Columns},
		Rows: p.extent.Rows, Below: rowsBelow(p.View, p.extent), Loosely: p.loosely(), Stood: p.holds,
	}
}

// formatsStanding are the number formats that the columns of the block have from earlier writes: they went along where a person moved a
// column.
func (p *comparison) formatsStanding() []string {
	if len(p.Last.Formats) == 0 || p.extent.Rows == 0 {
		return nil
	}
	headings := header(p.stands)
	formats := make([]string, p.extent.Columns)
	for column, before := range p.base.ColumnsBefore(headings, len(formats)) {
		if before < len(p.Last.Formats) {
			formats[column] = p.Last.Formats[before]
		}
	}
	return formats
}

// decider decides what a run makes of a block.
type decider struct {
	tables *comparison
	key    checksum.RowKey
	placed map[Position]string // formulas that are kept, as they read in their cells of the new block
}
