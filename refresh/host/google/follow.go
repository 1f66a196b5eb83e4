package google

import (
	"context"
	"maps"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

const formulaFields = "sheets(properties(sheetId,title),data(startRow,startColumn,rowData(values(userEnteredValue(formulaValue)))))"

// Follows is host.Follower's. It reads the document's formulas, of rest.MaxFollowers cells at most, empty ones included: in a larger
// document those behind are not counted.
func (s *session) Follows(ctx context.Context, patches []host.Patch) (host.Follow, error) {
	w, err := s.writing(patches)
	if err != nil {
		return host.Follow{}, err
	}
	if !w.shifts() {
		return host.Follow{}, nil
	}
	if err := w.prepare(ctx); err != nil {
		return host.Follow{}, err
	}
	page, err := s.cellsOf(ctx, s.firstCells(), formulaFields)
	if err != nil {
		return host.Follow{}, err
	}
	followers := rest.NewFollowers(w.blocks, nil)
	for _, d := range page.data {
		followers.Add(d.sheet, placements.Anchor{Row: d.row, Column: d.column}, d.formulas)
	}
	return followers.Follow(), nil
}

// firstCells are the cells of all sheets, as far as they may be read.
func (s *session) firstCells() (places []place) {
	left := rest.MaxFollowers
	for _, id := range slices.Sorted(maps.Keys(s.sheets)) {
		sheet := s.sheets[id]
		size := rest.Cells(left, checksum.Extent{Rows: sheet.Grid.Rows, Columns: sheet.Grid.Columns})
		if size.Rows > 0 {
			places = append(places, place{sheet: sheet.Title, size: size})
		}
		left -= size.Rows * size.Columns
	}
	return places
}
