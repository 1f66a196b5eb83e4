package shift

import (
	"bytes"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// Full is the error of cells that would be pushed off the end of their sheet.
type Full struct {
	Sheet string
	At    placements.Anchor // the first of them, before the shifts
}

func (f *Full) Error() string {
	return "the cell " + f.At.String() + " of sheet " + strconv.Quote(f.Sheet) + " would be pushed off the sheet"
}

// pushedOff reports whether a cell that is not there afterwards was pushed off the sheet, and not deleted.
func (m *Moves) pushedOff(sheet string, at placements.Anchor) bool {
	for _, s := range m.By {
		row, ok := formula.Shifts{s}.Cell(sheet, at.Row, at.Column)
		if !ok {
			return s.Rows > 0
		}
		at.Row = row
	}
	return false
}

// moveRow reads the row whose tag the scanner stands at, up to its end. What was read is written once no row to come can add to it.
func (m *mover) moveRow() error {
	m.done.Changed = true
	row, least := m.Row, m.Row
	for i := range m.moves.bands {
		least = min(least, m.moves.bands[i].least(row))
	}
	if err := m.flush(least); err != nil {
		return err
	}
	for i := range m.moves.bands {
		m.moves.bands[i].begin(row)
	}
	m.tags.note(row, m.Attrs)
	m.looks.row(row, m.Attrs)
	hidden := Hidden(m.Attrs)
	if m.Kind == xml.Start {
		if err := m.cells(); err != nil {
			return err
		}
	}
	for i := range m.moves.bands {
		m.moves.bands[i].end(row, m.looks.rows[row] != "", hidden)
	}
	return m.checkHeld()
}

// cells reads the cells of a row.
func (m *mover) cells() error {
	b := 0
	for {
		if err := m.Next(); err != nil {
			return xml.Unexpected(err)
		}
		switch {
		case m.Kind == xml.End && m.Is("row"):
			return nil
		case m.Opens("c"):
			if err := m.ToCell(m.Scanner); err != nil {
				return err
			}
			for m.Column > m.moves.bands[b].right {
				b++
			}
			if err := m.cell(&m.moves.bands[b]); err != nil {
				return err
			}
		case m.Opens("extLst"):
			for depth, more := m.Depth(), m.Kind == xml.Start; ; more = m.Depth() >= depth {
				m.tags.rest(m.Row, m.Raw)
				if !more {
					break
				}
				if err := m.nextHeld(); err != nil {
					return err
				}
			}
		}
	}
}

// cell moves the cell whose tag the scanner stands at.
func (m *mover) cell(b *band) error {
	if b.lends {
		if style, ok := styleOf(m.Attrs, "s"); ok {
			b.blanks = append(b.blanks, blank{m.Column, style})
		} else if m.looks.any() {
			b.blanks = append(b.blanks, blank{m.Column, "0"})
		}
	}
	if b.at > placements.MaxRow {
		if m.Kind == xml.Start {
			return &Full{m.moves.sheet, placements.Anchor{Row: m.Row, Column: m.Column}}
		}
		return nil
	}
	before := len(b.data)
	m.openCell(b)
	if m.Kind == xml.Start {
		b.filled = true
		if err := m.content(b); err != nil {
			return err
		}
	}
	if b.at < 0 {
		b.data = b.data[:before] // was read for its formula, which others may have been filled from
	}
	return nil
}

// openCell adds a cell's tag, which names its new place.
func (m *mover) openCell(b *band) {
	attrs := m.Attrs
	from, to := -1, -1
	for rest := attrs; ; {
		var name, value []byte
		if name, value, rest = xml.NextAttr(rest); len(name) == 0 {
			break
		}
		if len(name) == 1 && name[0] == 'r' {
			to = len(attrs) - len(rest) - 1
			from = to - len(value)
			break
		}
	}
	if from >= 0 && b.at == m.Row {
		b.data = append(b.data, m.Raw...)
		return
	}
	b.data = append(append(append(b.data, '<'), m.NS...), 'c')
	if from < 0 {
		b.data = appendCell(append(b.data, ` r="`...), max(b.at, 0), m.Column)
		b.data = append(append(b.data, '"'), attrs...)
	} else {
		b.data = appendCell(append(b.data, attrs[:from]...), max(b.at, 0), m.Column)
		b.data = append(b.data, attrs[to:]...)
	}
	if m.Kind == xml.Empty {
		b.data = append(b.data, '/')
	}
	b.data = append(b.data, '>')
}

// content adds what stands in a cell.
func (m *mover) content(b *band) error {
	if m.Bulk(m.cellEnd, "f!c") {
		b.data = append(b.data, m.Raw...)
	}
	depth := m.Depth()
	for m.Depth() >= depth {
		if err := m.nextHeld(); err != nil {
			return err
		}
		if !m.Opens("f") {
			b.data = append(b.data, m.Raw...)
			continue
		}
		element, err := m.formulas.element(placements.Anchor{Row: m.Row, Column: m.Column}, b.at >= 0)
		if err != nil {
			return err
		}
		b.data = append(b.data, element...)
	}
	return nil
}

// appendCell appends a cell's reference.
func appendCell(dst []byte, row, column int) []byte {
	return strconv.AppendInt(formula.AppendColumnName(dst, column), int64(row+1), 10)
}

// flush writes the rows above row that were read.
func (m *mover) flush(before int) error {
	for {
		row := before
		if m.tags.head < len(m.tags.entries) {
			row = min(row, m.tags.entries[m.tags.head].row)
		}
		for i := range m.moves.bands {
			if b := &m.moves.bands[i]; b.head < len(b.entries) {
				row = min(row, b.entries[b.head].row)
			}
		}
		if row >= before {
			break
		}
		if m.writeRow(row); m.blanks > maxBlanks {
			return &TooLarge{"cells with a style in the columns that move", m.moves.sheet}
		}
	}
	m.pruneLooks(before)
	m.tags.tidy()
	for i := range m.moves.bands {
		m.moves.bands[i].tidy()
	}
	return nil
}

// writeRow writes a row. Errors of the buffered writer stay with it until it is flushed.
func (m *mover) writeRow(row int) {
	m.out.WriteByte('<')
	m.out.WriteString(m.NS)
	m.out.WriteString("row")
	named := false
	if m.tags.waiting(row) {
		attrs, _ := m.tags.take()
		if m.shows(row) && Hidden(attrs) {
			attrs = Visible(attrs)
			m.done.Shown = append(m.done.Shown, row)
		}
		named = m.writeTag(attrs)
	}
	if !named {
		m.scratch = append(strconv.AppendInt(append(m.scratch[:0], ` r="`...), int64(row+1), 10), '"')
		m.out.Write(m.scratch)
	}
	m.out.WriteByte('>')
	for i := range m.moves.bands {
		m.writeCells(row, &m.moves.bands[i])
	}
	if rest, ok := m.tags.rests[row]; ok {
		m.out.Write(rest)
		m.tags.behind -= len(rest)
		delete(m.tags.rests, row)
	}
	m.out.WriteString("</")
	m.out.WriteString(m.NS)
	m.out.WriteString("row>")
}

// writeCells writes the cells of a row that are in a band.
func (m *mover) writeCells(row int, b *band) {
	var cells []byte
	var blanks []blank
	if b.waiting(row) {
		cells, blanks = b.take()
	}
	if !m.writeLooks(row, b, cells, blanks) {
		m.out.Write(cells)
		m.writeBlanks(row, blanks)
	}
}

// writeTag writes a row's attributes without the columns that it spans, of which other cells know nothing. It reports whether they name the
// row.
func (m *mover) writeTag(attrs []byte) (named bool) {
	for rest := attrs; ; {
		begin := len(attrs) - len(rest)
		name, _, next := xml.NextAttr(rest)
		if len(name) == 0 {
			return named
		}
		named = named || string(name) == "r"
		if string(name) != "spans" {
			m.out.WriteByte(' ')
			m.out.Write(bytes.TrimLeft(attrs[begin:len(attrs)-len(next)], " \t\r\n"))
		}
		rest = next
	}
}

// writeBlanks writes cells of a row inserted.
func (m *mover) writeBlanks(row int, blanks []blank) {
	for _, c := range blanks {
		m.scratch = append(append(append(m.scratch[:0], '<'), m.NS...), `c r="`...)
		m.scratch = append(appendCell(m.scratch, row, c.column), `" s="`...)
		m.scratch = append(append(m.scratch, c.style...), `"/>`...)
		m.out.Write(m.scratch)
		m.blanks += len(m.scratch)
	}
}

// writeLooks writes the cells of a row in a band, and lists the others if they are to look otherwise than the row. It reports false, and
// writes nothing, where they are not.
func (m *mover) writeLooks(row int, b *band, cells []byte, blanks []blank) bool {
	if len(m.looks.rows) == 0 {
		return false
	}
	was := m.looks.rows[b.source(row)]
	if was == m.looks.rows[row] {
		return false
	}
	next := b.left
	fill := func(to int) {
		for ; next < to; next++ {
			m.writeBlanks(row, []blank{{next, m.looks.of(was, next)}})
		}
		next = to + 1
	}
	for _, c := range blanks {
		fill(c.column)
		m.writeBlanks(row, []blank{c})
	}
	s := m.looks.scan(cells, m.NS)
	for s.Next() == nil {
		if s.Opens("c") {
			r, _ := xml.Attr(s.Attrs, "r")
			fill(formula.ColumnIndex(r))
		}
		m.out.Write(s.Raw)
	}
	fill(b.right + 1)
	return true
}

// checkHeld refuses to hold more of the rows read than is allowed.
func (m *mover) checkHeld() error {
	held := len(m.tags.data) + m.tags.behind
	for i := range m.moves.bands {
		held += len(m.moves.bands[i].data)
	}
	if held > maxHeld {
		return &TooLarge{"cells beside the rows that are inserted or deleted", m.moves.sheet}
	}
	return nil
}

// nextHeld moves to the next token, of an element that is held.
func (m *mover) nextHeld() error {
	if err := m.checkHeld(); err != nil {
		return err
	}
	return xml.Unexpected(m.Next())
}
