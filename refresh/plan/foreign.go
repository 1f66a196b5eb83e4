package plan

import (
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// foreign refuses to grow into cells that are not ours.
func (p *comparison) foreign(plan Changes) *placements.Fault {
	moved := 0
	for _, s := range plan.Shifts {
		moved += s.Rows
	}
	ours := plan.Grid.Extent()
	wide := p.View.Cells.Crop(checksum.Extent{Rows: p.View.Cells.Rows(), Columns: ours.Columns}).Block()
	formula := make(map[Position]bool, len(p.View.Formulas))
	for _, f := range p.View.Formulas {
		formula[f.Position] = true
	}
	var foreign []Position
	var cells []checksum.Cell
	for row := range p.View.Cells.Rows() {
		if row < p.extent.Rows && ours.Columns <= p.extent.Columns {
			continue
		}
		if row >= p.extent.Rows && row+moved >= ours.Rows {
			break
		}
		if row < len(p.Block.Fingerprints) && wide.Fingerprints[row] == p.Block.Fingerprints[row] {
			continue
		}
		cells = p.View.Cells.Cells(row, cells[:0])
		for column := range ours.Columns {
			inside := row < p.extent.Rows && column < p.extent.Columns
			filled := column < len(cells) && cells[column].Kind != checksum.Empty || formula[Position{Row: row, Column: column}]
			if !inside && filled {
				foreign = append(foreign, Position{Row: row, Column: column})
			}
		}
	}
	if foreign == nil {
		return nil
	}
	return p.inTheWay(foreign, ours, moved)
}

// inTheWay says which cells, by row, stand where the block is to be and how to make room for it. moved is how many rows further down they
// will be.
func (p *comparison) inTheWay(cells []Position, needs checksum.Extent, moved int) *placements.Fault {
	first, last := cells[0], cells[0]
	for _, c := range cells {
		first.Column = min(first.Column, c.Column)
		last.Row, last.Column = c.Row, max(last.Column, c.Column)
	}
	where := spot(p.View, first.Row, first.Column)
	if first != last {
		where += ":" + spotCell(p.View.Anchor, last.Row, last.Column)
	}
	room, how := p.room(first, needs, moved)
	room.Cells, room.Filled = where, len(cells)
	f := Conflict("the report now needs %d rows and %d columns from %s, but %s holds something that is not its own: "+
		"%sclear %s or move the report", needs.Rows, needs.Columns, spot(p.View, 0, 0), where, how, Plural(len(cells), "that cell", "those cells"))
	f.Clash = &placements.Clash{Overwrite: p.unwritten(), Room: &room}
	return f
}

// unwritten reports whether what is in the way stands where the block goes for the first time.
func (p *comparison) unwritten() bool {
	return p.extent == checksum.Extent{} && p.Last.Completed == nil && p.Last.Extent == checksum.Extent{}
}

// room says how a person makes room for a block before the first cell in its way: only what stands wholly below or beside the block can
// be moved.
func (p *comparison) room(first Position, needs checksum.Extent, moved int) (placements.MissingRoom, string) {
	room := placements.MissingRoom{Rows: max(needs.Rows-p.extent.Rows, 0), Columns: max(needs.Columns-p.extent.Columns, 0)}
	at := spotCell(p.View.Anchor, first.Row, first.Column)
	digits := strings.IndexAny(at, "0123456789")
	below, beside := first.Row >= p.extent.Rows, first.Column >= p.extent.Columns
	switch {
	case p.extent == checksum.Extent{} || below == beside:
		return room, ""
	case below:
		room.InsertRows, room.ShiftRows = needs.Rows-moved-first.Row, !p.Means.Shift()
		return room, "refresh with shiftRows, " + insert(room.InsertRows, "row", "above row "+at[digits:])
	}
	return room, insert(needs.Columns-first.Column, "column", "left of column "+at[:digits])
}
