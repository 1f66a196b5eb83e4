package refresh

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/refresh/host"
)

// held is what a document holds of the cells of a table that its service does not take as they are: without some characters, say. Compared
// as the document holds them, they count neither as changed in the source nor as edited by a person.
type held map[heldCell]checksum.Cell

// heldCell is a cell of the source in a column of its table: what a service makes of a text may depend on the column's format.
type heldCell struct {
	column int
	cell   checksum.Cell
}

// in is a table as the document holds it. used is the part of h that the table has cells for.
func (h held) in(g *checksum.Grid) (out *checksum.Grid, used held) {
	if len(h) == 0 {
		return g, nil
	}
	used = held{}
	return replaceCells(g, []checksum.Span{{To: g.Rows()}}, func(column int, c checksum.Cell) checksum.Cell {
		as, ok := h[heldCell{column, c}]
		if !ok {
			return c
		}
		c.Text = strings.Clone(c.Text) // used outlives the table
		used[heldCell{column, c}] = as
		return as
	}), used
}

// back is a table with the source's cells in the rows to write, so that the service gets them again as it got them first.
func (h held) back(g *checksum.Grid, rows []checksum.Span) *checksum.Grid {
	if len(h) == 0 {
		return g
	}
	source := make(held, len(h))
	for c, as := range h {
		if as.Kind != checksum.Empty {
			source[heldCell{c.column, as}] = c.cell
		}
	}
	return replaceCells(g, rows, func(column int, c checksum.Cell) checksum.Cell {
		if of, ok := source[heldCell{column, c}]; ok {
			return of
		}
		return c
	})
}

// replaceCells is a table with other cells in some rows, ascending.
func replaceCells(g *checksum.Grid, spans []checksum.Span, by func(column int, c checksum.Cell) checksum.Cell) *checksum.Grid {
	var rows []int
	var with checksum.Builder
	var cells, before []checksum.Cell
	for _, s := range spans {
		for row := s.From; row < min(s.To, g.Rows()); row++ {
			cells = g.Cells(row, cells[:0])
			before = append(before[:0], cells...)
			for column, c := range cells {
				cells[column] = by(column, c)
			}
			if !slices.Equal(before, cells) {
				rows = append(rows, row)
				with.Append(cells...)
			}
		}
	}
	return g.Replace(rows, with.Grid())
}

// storedHeld is the stored form of a cell: the source's and, behind it, what the document holds, as an encoded row.
type storedHeld struct {
	Column int    `json:"column"`
	Cells  []byte `json:"cells"`
}

// store is the stored form of as many cells as are remembered. Rows with others are written each time.
func (h held) store() (list []storedHeld) {
	for c, as := range h {
		if len(list) == maxRemembered {
			break
		}
		list = append(list, storedHeld{c.column, checksum.EncodeRow([]checksum.Cell{c.cell, as})})
	}
	slices.SortFunc(list, func(a, b storedHeld) int {
		return cmp.Or(cmp.Compare(a.Column, b.Column), bytes.Compare(a.Cells, b.Cells))
	})
	return list
}

func readHeld(list []storedHeld) (held, error) {
	h := make(held, len(list))
	for _, s := range list {
		cells, err := checksum.DecodeRow(s.Cells)
		if err != nil {
			return nil, err
		}
		h[heldCell{s.Column, checksum.CellAt(cells, 0)}] = checksum.CellAt(cells, 1)
	}
	return h, nil
}

// learn takes over what a write told of the cells of its patch: from then on the rows are remembered as the document holds them.
func (b *block) learn(wrote *checksum.Grid, told []host.Held) {
	if len(told) == 0 {
		return
	}
	m := &b.plan.memory
	known := held{}
	maps.Copy(known, m.held)
	for _, t := range told {
		cell := checksum.CellAt(wrote.Cells(t.Row, nil), t.Column)
		cell.Text = strings.Clone(cell.Text)
		known[heldCell{t.Column, cell}] = t.Cell
	}
	ours, used := known.in(b.table.grid)
	m.held, m.rows, m.header = used, ours.Block(), header(ours)
	for i := range m.edited {
		for _, row := range [][]checksum.Cell{m.edited[i].Source, m.edited[i].Kept} {
			for column, c := range row {
				if as, ok := known[heldCell{column, c}]; ok {
					row[column] = as
				}
			}
		}
	}
}
