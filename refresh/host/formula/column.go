package formula

import "mooring/placements"

// ColumnIndex is the column, from zero, of a cell's reference; -1 when it has none.
func ColumnIndex[T string | []byte](ref T) int {
	n := 0
	for i := range len(ref) {
		b := ref[i] &^ 0x20 // lower case counts as upper case
		if b < 'A' || b > 'Z' || n > placements.MaxColumn {
			break
		}
		n = n*26 + int(b-'A') + 1
	}
	return n - 1
}

// AppendColumnName appends a column's letters.
func AppendColumnName(dst []byte, column int) []byte {
	var letters [4]byte
	i := len(letters)
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		i--
		letters[i] = byte('A' + (n-1)%26)
	}
	return append(dst, letters[i:]...)
}
