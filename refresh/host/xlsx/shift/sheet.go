package shift

import (
	"bufio"
	"fmt"
	"io"

	"mooring/placements"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// Sheet copies the part of a worksheet with its cells moved and with all that refers to moved cells rewritten. It reads and writes row by
// row, and holds no more rows than shifts insert or delete. The rows must be in order: see cursor.ErrOrder.
func Sheet(in io.Reader, out io.Writer, sheet string, m *Moves) (Followed, error) {
	v := newMover(in, out, sheet, m)
	if err := v.run(); err != nil {
		return Followed{}, err
	}
	v.done.Formulas += v.formulas.followed
	v.done.Changed = v.done.Changed || v.formulas.changed
	return v.done, v.out.Flush()
}

func newMover(in io.Reader, out io.Writer, sheet string, m *Moves) *mover {
	s, of := xml.NewScanner(in), newSheetMoves(sheet, m)
	return &mover{
		Scanner: s, Ordered: cursor.New(), out: bufio.NewWriterSize(out, xml.BufferSize), moves: of,
		formulas: formulas{Scanner: s, moves: of, groups: map[string]*group{}, orphans: map[string]bool{}},
	}
}

// run copies the whole part.
func (m *mover) run() error {
	if err := m.Root("worksheet", m.out); err != nil {
		return err
	}
	m.cellEnd = "</" + m.NS + "c>"
	rows := false
	for {
		err := m.part(&rows)
		if err == nil {
			err = m.Next()
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if !rows {
		return fmt.Errorf("%w: no sheetData", xml.ErrXML)
	}
	return m.finish()
}

// part copies or changes one token outside the rows, all rows, or an element behind them.
func (m *mover) part(rows *bool) error {
	switch {
	case m.Opens("col"):
		m.looks.column(m.Scanner)
	case m.Opens("sheetData") && m.InRoot() && !*rows:
		*rows = true
		if m.Kind == xml.Start {
			return m.rows()
		}
	case m.Kind == xml.Start && m.Depth() == 2 && *rows, m.Kind == xml.Empty && m.Depth() == 1 && *rows, m.Opens("dimension"):
		return m.element()
	}
	return m.copy()
}

// copy writes the token as it stands.
func (m *mover) copy() error {
	_, err := m.out.Write(m.Raw)
	return err
}

// rows copies the rows, up to the end tag of their element.
func (m *mover) rows() error {
	moving := false
	for {
		if !moving {
			if err := m.copy(); err != nil {
				return err
			}
		}
		if err := m.Next(); err != nil {
			return xml.Unexpected(err)
		}
		switch {
		case m.Kind == xml.End && m.Is("sheetData"):
			if err := m.flush(placements.MaxRow + 1); err != nil {
				return err
			}
			return m.copy()
		case m.Opens("row"):
			if err := m.toRow(); err != nil {
				return err
			}
			if moving = m.Row >= m.moves.stays; moving {
				if err := m.moveRow(); err != nil {
					return err
				}
			} else if err := m.keepRow(); err != nil {
				return err
			}
		}
	}
}

// toRow moves to the row whose tag the scanner stands at. Where no cells move the order of rows does not matter.
func (m *mover) toRow() error {
	if m.moves.none() {
		return m.Spot.ToRow(m.Scanner)
	}
	return m.Ordered.ToRow(m.Scanner)
}

// toCell moves to the cell whose tag the scanner stands at.
func (m *mover) toCell() error {
	if m.moves.none() {
		return m.Spot.ToCell(m.Scanner)
	}
	return m.Ordered.ToCell(m.Scanner)
}

// keepRow copies a row whose cells stay, and leaves the scanner at its last token, not yet written.
func (m *mover) keepRow() error {
	if m.Kind == xml.Empty {
		return nil
	}
	if err := m.copy(); err != nil {
		return err
	}
	if cursor.SkipRow(m.Scanner) {
		m.out.Write(m.Raw)
	}
	for {
		if err := m.Next(); err != nil {
			return xml.Unexpected(err)
		}
		switch {
		case m.Kind == xml.End && m.Is("row"):
			return nil
		case m.Opens("c"):
			if err := m.toCell(); err != nil {
				return err
			}
		case m.Opens("f"):
			element, err := m.formulas.element(placements.Anchor{Row: m.Row, Column: m.Column}, true)
			if err != nil {
				return err
			}
			m.out.Write(element)
			continue
		}
		if err := m.copy(); err != nil {
			return err
		}
	}
}
