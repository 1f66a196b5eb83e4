package placements

import (
	"errors"
	"fmt"
	"strings"

	"mooring/checksum"
)

// ParameterCell is what a spreadsheet has in one cell that a parameter is read from.
type ParameterCell struct {
	Value checksum.Cell
	State CellState
	Date  bool // it is formatted as a date, or as a date and a time
}

// CellState says of a cell whether its value counts.
type CellState string

// The states.
const (
	CellPlain      CellState = ""           // its value counts: of a formula the one that was computed last
	CellUncomputed CellState = "uncomputed" // a formula without a value
	CellCovered    CellState = "covered"    // part of a merged cell, but not its first one
	CellGone       CellState = "gone"       // it was deleted, or its sheet was
)

// CellFault says why cells are no value of a parameter. It quotes no value.
type CellFault struct{ Message string }

func (f *CellFault) Error() string { return f.Message }

// Read returns what the cells at a place, such as Setup!B2, say of p; nil where all are empty. One cell is the value of a parameter that
// takes one; of a list they are its values, in their order, without the empty ones. Dates of a book that counts from 1904 are shifted.
// The error is a *CellFault that names the place.
func (p *Parameter) Read(place string, cells []ParameterCell, from1904 bool) (*ParameterValue, error) {
	if !p.List && len(cells) != 1 {
		return nil, &CellFault{fmt.Sprintf("%s is %d cells, where %s takes one", place, len(cells), p.Label())}
	}
	values := make([]Scalar, 0, len(cells))
	for _, c := range cells {
		v, empty, err := p.scalarOf(c, from1904)
		if err != nil {
			return nil, &CellFault{place + " " + err.Error()}
		}
		if !empty {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, nil //nolint:nilnil // said of empty cells
	}
	value := OneValue(values[0])
	if p.List {
		value = ListValue(values...)
	}
	if fault := p.Admits(value); fault != nil {
		return nil, &CellFault{place + " " + p.cellFault(fault)}
	}
	return &value, nil
}

// ReadRaw is what the cells say whatever p admits, for those who may see what was refused; nil where that is no value.
func (p *Parameter) ReadRaw(cells []ParameterCell) *ParameterValue {
	list := make([]Scalar, 0, len(cells))
	for _, c := range cells {
		switch c.Value.Kind {
		case checksum.Text:
			list = append(list, TextScalar(c.Value.Text))
		case checksum.Number:
			list = append(list, NumberScalar(c.Value.Number))
		case checksum.True, checksum.False:
			list = append(list, BooleanScalar(c.Value.Kind == checksum.True))
		}
	}
	switch {
	case len(list) == 0 || len(list) > MaxParameterValues:
		return nil
	case p.List:
		return new(ListValue(list...))
	}
	return new(OneValue(list[0]))
}

// cellFault says of a cell what a ValueFault says of a value that was sent.
func (p *Parameter) cellFault(f *ValueFault) string {
	switch {
	case f.NotAllowed:
		return "holds a value that is not allowed: " + p.allowedText()
	case f.Pointer == "" && p.List:
		return fmt.Sprintf("holds more than %d values", MaxParameterValues)
	case p.Type == ParameterDate:
		return "holds no date: enter one, or a text such as 2026-01-31"
	}
	return fmt.Sprintf("holds a text of more than %d characters, or with a NUL character", MaxParameterText)
}

// scalarOf returns what one cell says of p.
func (p *Parameter) scalarOf(c ParameterCell, from1904 bool) (v Scalar, empty bool, err error) {
	switch {
	case c.State == CellGone:
		return v, false, errors.New("was deleted: choose another cell")
	case c.State == CellCovered:
		return v, false, errors.New("is covered by a merged cell: choose the first cell of that")
	case c.State == CellUncomputed:
		return v, false, errors.New("holds a formula that was not computed yet: open the document once and save it")
	case c.Value.Kind == checksum.Error:
		return v, false, errors.New("holds an error")
	case c.Value.Kind == checksum.Empty:
		return v, true, nil
	}
	v, err = p.Type.ofCell(c, from1904)
	return v, false, err
}

// ofCell makes a value of the type of a cell that holds one.
func (t ParameterType) ofCell(c ParameterCell, from1904 bool) (v Scalar, err error) {
	cell := c.Value
	is := cell.Kind == checksum.True
	isBool := is || cell.Kind == checksum.False
	switch {
	case t == ParameterText && c.Date && cell.Kind == checksum.Number:
		return v, errors.New("is formatted as a date, where a text is wanted: write the date as a text, or let the parameter be a date")
	case t == ParameterText && isBool:
		return TextScalar(strings.ToUpper(BooleanScalar(is).Text())), nil
	case t == ParameterText && cell.Kind == checksum.Number:
		return TextScalar(NumberScalar(cell.Number).Text()), nil
	case t == ParameterText:
		return TextScalar(cell.Text), nil
	case t == ParameterNumber && cell.Kind == checksum.Number:
		return NumberScalar(cell.Number), nil
	case t == ParameterNumber:
		return v, errors.New("holds no number; a text that looks like one does not count")
	case t == ParameterBoolean && isBool:
		return BooleanScalar(is), nil
	case t == ParameterBoolean:
		return v, errors.New("holds neither TRUE nor FALSE")
	case cell.Kind == checksum.Number:
		day, err := dateOfSerial(cell.Number, from1904)
		return TextScalar(day), err
	case cell.Kind == checksum.Text && isDate(cell.Text):
		return TextScalar(cell.Text), nil
	}
	return v, errors.New("holds no date: enter one, or a text such as 2026-01-31")
}
