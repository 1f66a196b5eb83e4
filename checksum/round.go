package checksum

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
)

// precision is how many significant digits of a number spreadsheet programs keep when they save a file. What compares cells compares
// numbers rounded to as many (decisions.md §8): a file that was only saved was not edited.
const precision = 15

// rounded is v rounded to 15 significant digits as LibreOffice does it: the shortest digits that stand for v are rounded, ties away from
// zero.
func rounded(v float64) float64 {
	if short15(v) || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], math.Abs(v), 'e', -1, 64)
	end := bytes.IndexByte(text, 'e')
	var digits uint64
	surplus := -precision
	for _, c := range text[:end] {
		if c != '.' {
			digits = 10*digits + uint64(c-'0')
			surplus++
		}
	}
	exponent, err := strconv.Atoi(string(text[end+1:]))
	if surplus <= 0 || err != nil {
		return v
	}
	unit := uint64(math.Pow10(surplus))
	text = append(strconv.AppendUint(buf[:0], (digits+unit/2)/unit, 10), 'e')
	text = strconv.AppendInt(text, int64(exponent-precision+1), 10)
	r, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return v // it would be beyond the largest double
	}
	return math.Copysign(r, v)
}

// short15 reports whether v is one of the numbers that rounded leaves as they are and that can be told at once: integers, and decimals
// with up to 6 decimal places.
func short15(v float64) bool {
	return whole(v) || decimal(math.Abs(v))
}

// whole reports whether v is an integer of at most 15 digits.
func whole(v float64) bool {
	return v < 1e15 && v > -1e15 && float64(int64(v)) == v
}

// decimal reports whether v, which is not negative, is the nearest number to a decimal of at most 15 digits, 6 of them decimal places.
func decimal(v float64) bool {
	const scale = 1e6
	return v < 1e15/scale && float64(int64(v*scale+0.5))/scale == v
}

// short15Cell is short15 of an encoded cell; other cells than numbers are.
func short15Cell(cell []byte) bool {
	return CellKind(cell[0]) != Number || short15(number(cell))
}

// number is the value of an encoded number.
func number(cell []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(cell[1:])) }

// Same reports whether spreadsheet programs take two cells for the same.
func (c Cell) Same(other Cell) bool { return c.rounded() == other.rounded() }

// rounded is the cell, a number rounded.
func (c Cell) rounded() Cell {
	if c.Kind == Number {
		c.Number = rounded(c.Number)
	}
	return c
}

// roundedNumber is the encoding of a number, rounded; it may be in scratch.
func roundedNumber(scratch, cell []byte) []byte {
	v := number(cell)
	r := rounded(v)
	if r == v {
		return cell
	}
	return binary.BigEndian.AppendUint64(append(scratch[:0], byte(Number)), math.Float64bits(r))
}

// roundRow rounds the numbers of an encoded row. It returns the row itself, or a copy in scratch, which it may have grown.
func roundRow(scratch, row []byte) (rounded, grown []byte) {
	rounded = row
	for r := readRow(row); r.left > 0; {
		at := len(row) - len(r.rest)
		cell := r.skip()
		if CellKind(cell[0]) != Number {
			continue
		}
		var number [9]byte
		with := roundedNumber(number[:0], cell)
		if &with[0] == &cell[0] {
			continue
		}
		if &rounded[0] == &row[0] {
			scratch = append(scratch[:0], row...)
			rounded = scratch
		}
		copy(rounded[at:], with)
	}
	return rounded, scratch
}
