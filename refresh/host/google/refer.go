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

var _ host.Referrer = (*Sheets)(nil)

// References is host.Referrer's. It reads the document's formulas, of rest.MaxFollowers cells at most, empty ones included: in a larger
// document those behind are not found.
func (g *Sheets) References(ctx context.Context, b host.Block, extent checksum.Extent, columns []int) ([][]placements.Location, error) {
	opened, err := g.Open(ctx, b.Document)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	s := opened.(*session)
	view, err := rest.Locate(ctx, s, b)
	if err != nil {
		return nil, err
	}
	all, err := s.overview(ctx, s.document)
	if err != nil {
		return nil, err
	}
	s.learn(all, true)
	cells, err := s.cellsOf(ctx, s.firstCells(), formulaFields)
	if err != nil {
		return nil, err
	}
	if view.Marked {
		extent = view.Extent
	}
	found := rest.NewReferring(view.Sheet, view.Anchor, extent.Rows, columns, s.titles())
	for _, n := range s.names {
		if n.Range != nil {
			r, sheet := *n.Range, s.sheets[n.Range.SheetID]
			r.bound(sheet)
			found.Name(n.Name, place{sheet: sheet.Title, anchor: r.anchor(), size: r.extent()}.String())
		}
	}
	for _, d := range cells.data {
		found.Add(d.sheet, placements.Anchor{Row: d.row, Column: d.column}, d.formulas)
	}
	return found.Found(), nil
}

// titles are those of the sheets, by their ids.
func (s *session) titles() (titles []string) {
	for _, id := range slices.Sorted(maps.Keys(s.sheets)) {
		titles = append(titles, s.sheets[id].Title)
	}
	return titles
}
