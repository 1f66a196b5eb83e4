package shift

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"

	"mooring/refresh/host/xlsx/xml"
)

// ranking is the end of a sheet's part, from its first conditional format on. It is held until all are known: where one has become
// several, the priorities of those behind it move down.
type ranking struct {
	out    *bufio.Writer // what the end of the part is to be written to, nil before it
	held   bytes.Buffer
	ranks  []rank
	parted bool // a conditional format has become several
	pivot  bool // a pivot table names its conditional formats by their priorities, which stay then
}

// rank is the priority of a conditional format.
type rank struct {
	value int
	xml.Edit
}

// writeElement writes an element behind the rows, or holds it.
func (m *mover) writeElement(doc []byte) error {
	formats := m.Is("conditionalFormatting")
	if r := &m.ranking; r.out == nil && len(m.moves.bands) > 1 && (formats || m.Is("extLst")) {
		r.out, m.out = m.out, bufio.NewWriter(&r.held)
	}
	m.out.Write(doc)
	if m.ranking.out == nil || !formats && !m.Is("extLst") {
		return nil
	}
	m.out.Flush()
	if m.ranking.held.Len() > maxHeld {
		return &TooLarge{"conditional formats and what stands behind them", m.moves.sheet}
	}
	return m.ranking.note(doc)
}

// note notes the priorities of the conditional formats in the element that was held last.
func (r *ranking) note(doc []byte) error {
	before := int64(r.held.Len() - len(doc))
	for s := xml.NewScanner(bytes.NewReader(doc)); ; {
		if err := s.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if s.Kind > xml.Empty {
			continue
		}
		switch string(s.Local()) {
		case "conditionalFormatting":
			r.pivot = r.pivot || xml.True(s.Attr("pivot"))
		case "cfRule":
			value, err := strconv.Atoi(s.Attr("priority"))
			if edit, ok := s.EditAttr("priority", ""); err == nil && ok {
				edit.From, edit.To = edit.From+before, edit.To+before
				r.ranks = append(r.ranks, rank{value, edit})
			}
		}
	}
}

// finish writes what was held.
func (m *mover) finish() error {
	r := &m.ranking
	if r.out == nil {
		return nil
	}
	m.out.Flush()
	m.out = r.out
	doc := r.held.Bytes()
	if r.parted && !r.pivot {
		doc = xml.Apply(doc, r.renumbered())
	}
	_, err := m.out.Write(doc)
	return err
}

// renumbered gives each conditional format a priority of its own, in the order that they have.
func (r *ranking) renumbered() (edits []xml.Edit) {
	slices.SortStableFunc(r.ranks, func(a, b rank) int { return cmp.Compare(a.value, b.value) })
	last := 0
	for i, k := range r.ranks {
		value := k.value
		if i > 0 {
			value = max(value, last+1)
		}
		if last = value; value != k.value {
			k.With = xml.AppendText(k.With, strconv.Itoa(value), true)
			edits = append(edits, k.Edit)
		}
	}
	slices.SortFunc(edits, func(a, b xml.Edit) int { return cmp.Compare(a.From, b.From) })
	return edits
}
