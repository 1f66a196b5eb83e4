package googlefake

import (
	"mooring/refresh/host/formula"
	"mooring/refresh/host/hosttest/book"
)

func shift(b *book.Book, over *gridRange, dimension string, move func(*book.Sheet, book.Region)) error {
	s, rect, err := over.rect(b)
	if err != nil {
		return err
	}
	if dimension != "ROWS" {
		return invalid("the fake shifts ROWS only, not %q", dimension)
	}
	move(s, rect)
	return nil
}

// cutPaste moves cells with their formulas and formats; what refers to them follows.
func cutPaste(b *book.Book, source *gridRange, destination *gridCoordinate, kind string) error {
	s, rect, err := source.rect(b)
	if err != nil {
		return err
	}
	if destination == nil {
		return invalid("destination is required")
	}
	to := b.SheetByID(destination.SheetID)
	switch {
	case to == nil:
		return invalid("No grid with id: %d", destination.SheetID)
	case to != s:
		return invalid("the fake pastes on the same sheet only")
	case kind != "PASTE_NORMAL":
		return invalid("the fake pastes PASTE_NORMAL only, not %q", kind)
	case !s.Fits(book.Region{Row: destination.RowIndex, Column: destination.ColumnIndex, Rows: rect.Rows, Columns: rect.Columns}):
		return invalid("Range (%s) exceeds grid limits. Max rows: %d, max columns: %d", s.Title, s.Rows, s.Columns)
	}
	s.MoveCells(rect, destination.RowIndex, destination.ColumnIndex)
	return nil
}

// copyPaste copies formats, or formulas and what else stands there, as often as the source fits into the destination.
func copyPaste(b *book.Book, source, destination *gridRange, kind string) error {
	from, rect, err := source.rect(b)
	if err != nil {
		return err
	}
	to, over, err := destination.rect(b)
	switch {
	case err != nil:
		return err
	case to != from || over.Rows%rect.Rows != 0 || over.Columns%rect.Columns != 0:
		return invalid("the fake copies to a multiple of the source on the same sheet only")
	case kind != "PASTE_FORMAT" && kind != "PASTE_FORMULA":
		return invalid("the fake copies PASTE_FORMAT and PASTE_FORMULA only, not %q", kind)
	}
	for i := range over.Rows * over.Columns {
		row, column := over.Row+i/over.Columns, over.Column+i%over.Columns
		fromRow, fromColumn := rect.Row+(row-over.Row)%rect.Rows, rect.Column+(column-over.Column)%rect.Columns
		c := from.Cell(fromRow, fromColumn)
		if kind == "PASTE_FORMAT" {
			to.SetFormat(row, column, c.Format)
			continue
		}
		pasteFormula(to, row, column, c, row-fromRow, column-fromColumn)
	}
	return nil
}

// pasteFormula pastes a cell so many rows and columns away. One without a formula is pasted as it is.
func pasteFormula(s *book.Sheet, row, column int, c book.Content, rows, columns int) {
	if c.Formula == "" {
		s.Set(row, column, c.Value)
		return
	}
	text, ok := formula.Move(formula.Cut(c.Formula), rows, columns)
	if !ok {
		text = "=#REF!"
	}
	s.SetFormula(row, column, text, c.Value)
}
