package graph

import (
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/rest"
)

// place is a rectangle of a document.
type place struct {
	sheet  string // title or id
	anchor placements.Anchor
	size   checksum.Extent
}

// covering is the rectangle of an extent, as far as a sheet goes.
func covering(sheet string, a placements.Anchor, e checksum.Extent) place {
	e = rest.AtLeastOne(e)
	return place{sheet: sheet, anchor: a, size: checksum.Extent{
		Rows: min(e.Rows, placements.MaxRow+1-a.Row), Columns: min(e.Columns, placements.MaxColumn+1-a.Column),
	}}
}

// sheet is the API's workbookWorksheet.
type sheet struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// named reports whether the sheet has that name, whatever the case.
func (s sheet) named(name string) bool { return strings.EqualFold(s.Name, name) }

// definedName is the API's workbookNamedItem. Scope is Workbook, or Worksheet for a name of one sheet.
type definedName struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Scope   string `json:"scope"`
	Comment string `json:"comment"`
	Visible bool   `json:"visible"`
}

// item is the API's driveItem. CTag changes with the content.
type item struct {
	CTag string `json:"cTag"`
}

// parseGraphMarker reads what a name refers to. #REF! and anything but one rectangle is no place.
func parseGraphMarker(value string) (placements.Location, bool) {
	l, err := placements.ParseLocation(strings.TrimPrefix(value, "="))
	return l, err == nil && l.Sheet != ""
}
