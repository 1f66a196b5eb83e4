package rest

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"

	"mooring/checksum"
	"mooring/placements"
)

// AtLeastOne is an extent that has a cell, as ranges of the services must.
func AtLeastOne(e checksum.Extent) checksum.Extent {
	return checksum.Extent{Rows: max(e.Rows, 1), Columns: max(e.Columns, 1)}
}

// CheckText refuses text longer than a cell of the service holds, in UTF-16 units, before anything is written.
func (f Faults) CheckText(g *checksum.Grid, spans []checksum.Span, most int) error {
	var cells []checksum.Cell
	for _, s := range spans {
		for row := s.From; row < s.To; row++ {
			if len(g.Row(row)) <= most {
				continue // no cell is longer than its row
			}
			cells = g.Cells(row, cells[:0])
			for column, c := range cells {
				if length(c.Text) > most {
					return f.Say(placements.Permanent, nil, "The text in row %d, column %d of the result has more than %d characters, "+
						"the most that a cell in %s holds: shorten it in the query.", row+1, column+1, most, f.Service)
				}
			}
		}
	}
	return nil
}

// length counts UTF-16 units, as spreadsheets do.
func length(s string) int {
	if len(s) < 1<<14 {
		return len(s) // an upper bound will do for short text
	}
	return len(utf16.Encode([]rune(s)))
}

// AppendJSONText appends s as a JSON string.
func AppendJSONText(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // a string always has a JSON form
			return append(dst, quoted...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// AppendJSONNumber appends a finite number in the shortest form that reads back as the same double.
func AppendJSONNumber(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
