package placements

import (
	"fmt"
	"strings"
)

// A placement may name columns to the right of its block, such as F:H: the formulas in them are filled down beside the rows that the
// block gains (decisions.md §7c).

// Columns are whole columns of a sheet, from zero, both included.
type Columns struct{ First, Last int }

// maxBeside is how many columns are filled down at most: each has a cell beside every row that a block gains.
const maxBeside = 256

// ParseColumns reads columns such as F:H. Lower case and $ are accepted. The error is an *Error, CodeAddress.
func ParseColumns(s string) (Columns, error) {
	left, right, both := strings.Cut(s, ":")
	if !both {
		return Columns{}, noColumns(s)
	}
	var ends [2]int
	for i, text := range []string{left, right} {
		c, fault := parseCorner(text)
		switch {
		case fault != "" && c.Column > MaxColumn:
			return Columns{}, invalid(fault)
		case fault != "" || !c.hasColumn || c.hasRow:
			return Columns{}, noColumns(s)
		}
		ends[i] = c.Column
	}
	if ends[1] < ends[0] {
		return Columns{}, invalid(sentence("The columns %q end before they begin: write the left one first, such as F:H.", s))
	}
	if ends[1]-ends[0] >= maxBeside {
		return Columns{}, invalid(sentence("The columns %q are more than %d: name only those that have formulas.", s, maxBeside))
	}
	return Columns{First: ends[0], Last: ends[1]}, nil
}

func noColumns(s string) error {
	return invalid(sentence("%q does not name columns: write the first and the last one, such as F:H, or F:F for a single one.", s))
}

// String returns the normal form: upper case, no $.
func (c Columns) String() string { return columnName(c.First) + ":" + columnName(c.Last) }

// Beside returns the columns whose formulas are filled down beside the rows of p; ok is false when it names none.
func (p *Placement) Beside() (c Columns, ok bool) {
	c, err := ParseColumns(p.FillRight)
	return c, err == nil
}

const fillPointer = "/fillRight"

// fillRight refuses columns that are none.
func (f *faults) fillRight(c Connection) {
	if c.FillRight.Value == nil {
		return
	}
	if _, err := ParseColumns(*c.FillRight.Value); err != nil {
		f.add(fillPointer, err.Error())
	}
}

// normalColumns is what is stored of columns: their normal form. A text that names none stays as it is.
func normalColumns(text string) string {
	if c, err := ParseColumns(text); err == nil {
		return c.String()
	}
	return text
}

// checkFillRight returns the *Error that refuses columns of p that do not lie to the right of its block, as far as that is known. A block
// that grows into them later is refused when it is written.
func checkFillRight(p Placement) error {
	columns, ok := p.Beside()
	at, stands := p.Address()
	if !ok || !stands {
		return nil
	}
	last := at.Anchor
	if end, known := p.lastCell(at.Anchor); known {
		last.Column = max(last.Column, end.Column)
	}
	if columns.First > last.Column {
		return nil
	}
	message := fmt.Sprintf("fillRight %s does not lie to the right of the block, whose last column is %s: choose columns from %s on, "+
		"or null for none.", columns, columnName(last.Column), columnName(last.Column+1))
	return Faulty(Detail{Pointer: fillPointer, Code: CodeAddress, Message: message})
}
