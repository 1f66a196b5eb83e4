package sheet

import (
	"strconv"

	"mooring/checksum"
)

// TableColumn is a column of a table as answers show it.
type TableColumn struct {
	Name   string `json:"name"`
	Format string `json:"format,omitempty"`
}

// Columns are the names in a table's header, with their formats.
func Columns(grid *checksum.Grid, formats []string) []TableColumn {
	list := make([]TableColumn, grid.Columns())
	for i, c := range grid.Cells(0, nil) {
		list[i].Name = c.Text
		if c.Kind == checksum.Number {
			list[i].Name = strconv.FormatFloat(c.Number, 'g', -1, 64)
		}
	}
	for i := range min(len(list), len(formats)) {
		list[i].Format = formats[i]
	}
	return list
}
