package plan

import (
	"mooring/checksum"
	"mooring/placements"
)

// decider compares the three tables of its input.
type decider struct {
	Input
	extent checksum.Extent // of the block as it stands
	stands *checksum.Grid  // that block, formulas typed out
	// formulas are those of the block; the text is empty for a cell that the formula of another one fills. Only they are formulas, whatever
	// a text looks like.
	formulas map[Position]string
	placed   map[Position]string // those that are kept, as they read in their cells of the new block
	base     checksum.Last
	doubt    *doubt // nil: what the last write left is known
	before   []int  // by column of Ours: where it stands in the block
}

func header(g *checksum.Grid) []checksum.Cell {
	if g.Rows() == 0 {
		return nil
	}
	return g.Cells(0, nil)
}

// columnBefore is where a column of ours stands in the block now.
func (p *decider) columnBefore(column int) int {
	if column < len(p.before) {
		return p.before[column]
	}
	return column
}

// shows appends what the cells of a row of the block show.
func (p *decider) shows(row int, dst []checksum.Cell) []checksum.Cell {
	if row >= p.View.Cells.Rows() {
		return dst
	}
	return p.View.Cells.Cells(row, dst)
}

// Input is what a refresh of a block starts from.
type Input struct {
	Last Last
	// Edits are those of the last refresh. The cells of those that were given back to the source take its value.
	Edits []Edit
	View  View
	// Claimed: View is the word of a client without edit access. What it says of the stamp does not choose the generation that follows.
	Claimed bool
	Ours    *checksum.Grid // the new table, as the document would hold it
	Block   checksum.Block // of Ours
	RowKey  []string       // headings of the columns that tell rows apart; none: rows are told apart by what they hold
	// Formats are the number formats of Ours, one a column, empty for none.
	Formats []string
	Held    Held // of cells of Ours
	OnEdit  placements.OnEdit
	// Asked: OnEdit was asked of this run and for this block alone, by who may decide about what stands there. Overwrite then replaces too
	// what stands where a block goes that was never written.
	Asked bool
	Means checksum.Means
	// ShiftRight is the last column of the sheet that shifts reach to, if that is to the right of the block.
	ShiftRight int
	Now        string // the time of the run: RFC 3339, UTC, with milliseconds
	// Restored says when Last was restored from a backup, and is empty if it was not: writes since the backup are not known. Rows that
	// neither Last nor Ours has may be Mooring's own then, and are a conflict unless they are overwritten.
	Restored string
	// Behind says when the storage came back without its last seconds, if that was after it completed the write of Last, and is empty
	// otherwise. It counts for a sheet without a stamp, which tells itself how far it is.
	Behind string
	// Personal: the source shows each person other rows. A message, which others read too, then names no value of Ours.
	Personal bool
}

// below are the filled rows right below the block.
func (p *decider) below() (rows []uint64) {
	for row := p.extent.Rows; row < p.View.Cells.Rows(); row++ {
		cells := p.View.Cells.Cells(row, nil)
		fingerprint := checksum.RowFingerprint(cells[:min(len(cells), p.extent.Columns)])
		if fingerprint == checksum.EmptyRow {
			break
		}
		rows = append(rows, fingerprint)
	}
	return rows
}
