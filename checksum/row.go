package checksum

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"
)

// rowReader decodes the cells of one encoded row. The encoding is the package's own and trusted.
type rowReader struct {
	left int // cells not yet read
	rest []byte
}

func readRow(row []byte) rowReader {
	count, n := binary.Uvarint(row)
	return rowReader{left: int(count), rest: row[n:]}
}

// width is the number of cells of an encoded row.
func width(row []byte) int {
	count, _ := binary.Uvarint(row)
	return int(count)
}

// next decodes a cell. Its text lies in the encoding, which never changes.
func (r *rowReader) next() Cell {
	body := r.skip()
	switch kind := CellKind(body[0]); kind {
	case Number:
		return Num(math.Float64frombits(binary.BigEndian.Uint64(body[1:])))
	case Text, Error:
		_, n := binary.Uvarint(body[1:])
		text := body[1+n:]
		return Cell{Kind: kind, Text: unsafe.String(unsafe.SliceData(text), len(text))}
	default:
		return Cell{Kind: kind}
	}
}

// skip passes a cell and returns its encoding.
func (r *rowReader) skip() []byte {
	size := 1
	switch CellKind(r.rest[0]) {
	case Number:
		size = 9
	case Text, Error:
		length, n := binary.Uvarint(r.rest[1:])
		size = 1 + n + int(length)
	}
	cell := r.rest[:size]
	r.rest = r.rest[size:]
	r.left--
	return cell
}

// encodedCell is the encoding of a row's cell in a column, that of an empty one where the row has none.
func encodedCell(row []byte, column int) []byte {
	if r := readRow(row); column >= 0 && column < r.left {
		for range column {
			r.skip()
		}
		return r.skip()
	}
	return []byte{byte(Empty)}
}

// appendCells appends the encodings of the cells in those columns, numbers rounded. filled reports whether any of them is not empty.
func appendCells(dst, row []byte, columns []int) (out []byte, filled bool) {
	for _, column := range columns {
		cell := encodedCell(row, column)
		filled = filled || CellKind(cell[0]) != Empty
		if CellKind(cell[0]) == Number {
			var scratch [9]byte
			cell = roundedNumber(scratch[:0], cell)
		}
		dst = append(dst, cell...)
	}
	return dst, filled
}

// split appends the encodings of all cells of an encoded row.
func split(dst [][]byte, row []byte) [][]byte {
	for r := readRow(row); r.left > 0; {
		dst = append(dst, r.skip())
	}
	return dst
}

// project is the table of those columns, in their order.
func (g *Grid) project(columns []int) *Grid {
	var b Builder
	var cells [][]byte
	for row := range g.each {
		cells = split(cells[:0], row)
		for _, column := range columns {
			if column < len(cells) {
				b.encodedCell(cells[column])
			} else {
				b.encodedCell([]byte{byte(Empty)})
			}
		}
		b.EndRow()
	}
	return b.Grid()
}

// EncodeRow is the canonical encoding of a row of those cells.
func EncodeRow(cells []Cell) []byte {
	var b Builder
	b.Append(cells...)
	return b.Grid().Row(0)
}

// ErrRow is why DecodeRow refuses bytes that are no encoded row.
var ErrRow = errors.New("not an encoded row")

// DecodeRow reads what EncodeRow returned.
func DecodeRow(row []byte) (cells []Cell, err error) {
	count, n := binary.Uvarint(row)
	if n <= 0 || count > uint64(len(row)) {
		return nil, ErrRow
	}
	for r := (rowReader{left: int(count), rest: row[n:]}); r.left > 0; {
		if !r.whole() {
			return nil, ErrRow
		}
		cells = append(cells, r.next())
	}
	return cells, nil
}

// whole reports whether the rest holds a whole cell.
func (r *rowReader) whole() bool {
	if len(r.rest) == 0 {
		return false
	}
	switch CellKind(r.rest[0]) {
	case Number:
		return len(r.rest) >= 9
	case Text, Error:
		length, n := binary.Uvarint(r.rest[1:])
		return n > 0 && length <= uint64(len(r.rest)-1-n)
	case Empty, True, False:
		return true
	}
	return false
}
