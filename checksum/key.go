package checksum

import "github.com/zeebo/xxh3"

// A RowKey distinguishes the rows of a result by the values in some of its columns. The zero Key has no columns.
type RowKey struct {
	columns []int
	rows    map[uint64]int32 // by fingerprint of the values: the row
}

// KeyError says why columns are no key of a result.
type KeyError struct {
	Column string // the column that the result does not have; empty when a value is repeated
	Values []Cell // the first values, one a column, that stand in two rows
}

func (e *KeyError) Error() string {
	if e.Column != "" {
		return "the result has no column " + e.Column
	}
	return "values of the row key are repeated in the result"
}

// NewRowKey makes a key of the columns of g with those headings. Its error is a *KeyError.
func NewRowKey(g *Grid, headings []string) (RowKey, error) {
	if len(headings) == 0 {
		return RowKey{}, nil
	}
	k := RowKey{rows: make(map[uint64]int32, g.Rows())}
	var header []Cell
	if g.Rows() > 0 {
		header = g.Cells(0, nil)
	}
	for _, name := range headings {
		at := 0
		for at < len(header) && Heading(header, at) != name {
			at++
		}
		if at == len(header) {
			return RowKey{}, &KeyError{Column: name}
		}
		k.columns = append(k.columns, at)
	}
	var value []byte
	for row := 1; row < g.Rows(); row++ {
		value, _ = appendCells(value[:0], g.Row(row), k.columns)
		fingerprint := xxh3.Hash(value)
		if _, repeated := k.rows[fingerprint]; repeated {
			return RowKey{}, &KeyError{Values: cellsAt(g.Cells(row, nil), k.columns)}
		}
		k.rows[fingerprint] = int32(row)
	}
	return k, nil
}

// row is the row of the result whose key is in those columns of an encoded row, none without one.
func (k RowKey) row(encoded []byte, columns []int) int {
	value, filled := keyOf(encoded, columns)
	if row, ok := k.rows[value]; ok && filled {
		return int(row)
	}
	return none
}

// keyOf is the fingerprint of the values in those columns of an encoded row. filled is false when all are empty.
func keyOf(encoded []byte, columns []int) (value uint64, filled bool) {
	cells, filled := appendCells(nil, encoded, columns)
	return xxh3.Hash(cells), filled
}

// cellsAt are the cells in those columns.
func cellsAt(cells []Cell, columns []int) []Cell {
	out := make([]Cell, len(columns))
	for i, column := range columns {
		out[i] = CellAt(cells, column)
	}
	return out
}

// CellAt is the cell in a column of a row, empty where the row has none.
func CellAt(cells []Cell, column int) Cell {
	if column < 0 || column >= len(cells) {
		return Cell{}
	}
	return cells[column]
}
