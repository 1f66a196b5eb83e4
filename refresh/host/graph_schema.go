package host

import (
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// graphPlace is a rectangle of a document.
type graphPlace struct {
	sheet  string // title or id
	anchor placements.Anchor
	size   checksum.Extent
}

// graphCovering is the rectangle of an extent, as far as a sheet goes.
func graphCovering(sheet string, a placements.Anchor, e checksum.Extent) graphPlace {
	e = atLeastOne(e)
	return graphPlace{sheet: sheet, anchor: a, size: checksum.Extent{
		Rows: min(e.Rows, placements.MaxRow+1-a.Row), Columns: min(e.Columns, placements.MaxColumn+1-a.Column),
	}}
}

// graphSheet is the API's workbookWorksheet.
type graphSheet struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// named reports whether the sheet has that name, whatever the case.
func (s graphSheet) named(name string) bool { return strings.EqualFold(s.Name, name) }

// graphName is the API's workbookNamedItem. Scope is Workbook, or Worksheet for a name of one sheet.
type graphName struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Scope string `json:"scope"`
}

// graphItem is the API's driveItem. CTag changes with the content.
type graphItem struct {
	CTag string `json:"cTag"`
}

// parseGraphMarker reads what a name refers to. #REF! and anything but one rectangle is no place.
func parseGraphMarker(value string) (placements.Location, bool) {
	l, err := placements.ParseLocation(strings.TrimPrefix(value, "="))
	return l, err == nil && l.Sheet != ""
}
