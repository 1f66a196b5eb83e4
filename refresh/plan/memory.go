package plan

import (
	"crypto/rand"
	"slices"
	"strings"

	"mooring/checksum"
)

// Memory is what a write leaves to be remembered of a block, to know by it the next time what a person did.
type Memory struct {
	Rows     checksum.BlockRows // as the source has them
	Header   []checksum.Cell
	Edited   []checksum.EditedRow
	Inserted []uint64 // fingerprints of a person's rows
	Formats  []string // number format a column, empty for none
	Held     Held
	// Generation is that of the write, which the document's stamp has too; 0 if it is not known.
	Generation int64
}

// newRowID is the id of a row in which cells of a person are seen for the first time.
func newRowID() string { return rand.Text()[:12] }

// MaxRemembered bounds the rows with cells of a person, and the held cells, whose contents are remembered. Of further rows all cells stay
// once one was edited; further cells are written each time.
const MaxRemembered = 10_000

// MaxOverwritten bounds how many rows a run can keep the values of that a person typed. Beyond it nothing is overwritten: a value
// that cannot be kept must not be lost.
const MaxOverwritten = 1000

// Last returns the memory as a merge takes it.
func (m Memory) Last() *checksum.Baseline {
	edited := slices.DeleteFunc(slices.Clone(m.Edited), func(e checksum.EditedRow) bool { return e.Row >= len(m.Rows.Fingerprints) })
	return &checksum.Baseline{BlockRows: m.Rows, Header: m.Header, Edited: edited, Inserted: m.Inserted}
}

// After returns what is known of a write that was completed and left m.
func After(m Memory) Last {
	last := m.Last()
	return Last{
		Completed: last, Extent: last.Extent(), Formats: m.Formats, Held: m.Held, Generations: Generations{Completed: m.Generation},
	}
}

// Learn takes over what the document turned out to hold of the cells of a table: from then on its rows are remembered as they are held.
func (m *Memory) Learn(table *checksum.Grid, held Held) {
	ours, used := held.In(table)
	m.Held, m.Rows, m.Header = used, ours.Block(), header(ours)
	for i := range m.Edited {
		for _, row := range [][]checksum.Cell{m.Edited[i].Source, m.Edited[i].Kept} {
			for column, c := range row {
				if as, ok := held[HeldCell{column, c}]; ok {
					row[column] = as
				}
			}
		}
	}
}

// Held is what a document holds of the cells of a table that its service does not take as they are: without some characters, say. Compared
// as the document holds them, they count neither as changed in the source nor as edited by a person.
type Held map[HeldCell]checksum.Cell

// HeldCell is a cell of the source in a column of its table: what a service makes of a text may depend on the column's format.
type HeldCell struct {
	Column int
	Cell   checksum.Cell
}

// In returns a table as the document holds it. used is the part of h that the table has cells for.
func (h Held) In(g *checksum.Grid) (out *checksum.Grid, used Held) {
	if len(h) == 0 {
		return g, nil
	}
	used = Held{}
	return replaceCells(g, []checksum.Span{{To: g.Rows()}}, func(column int, c checksum.Cell) checksum.Cell {
		as, ok := h[HeldCell{column, c}]
		if !ok {
			return c
		}
		c.Text = strings.Clone(c.Text) // used outlives the table
		used[HeldCell{column, c}] = as
		return as
	}), used
}

// Back returns a table with the source's cells in the rows to write, so that the service gets them again as it got them first.
func (h Held) Back(g *checksum.Grid, rows []checksum.Span) *checksum.Grid {
	if len(h) == 0 {
		return g
	}
	source := make(Held, len(h))
	for c, as := range h {
		if as.Kind != checksum.Empty {
			source[HeldCell{c.Column, as}] = c.Cell
		}
	}
	return replaceCells(g, rows, func(column int, c checksum.Cell) checksum.Cell {
		if of, ok := source[HeldCell{column, c}]; ok {
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
