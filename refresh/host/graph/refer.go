package graph

import (
	"context"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

var _ host.Referrer = (*Workbooks)(nil)

// References is host.Referrer's. It reads the document's formulas, of rest.MaxFollowers cells at most: in a larger document those behind are
// not found, nor those that name a table's column.
func (g *Workbooks) References(ctx context.Context, b host.Block, extent checksum.Extent, columns []int) ([][]placements.Location, error) {
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
	if view.Marked {
		extent = view.Extent
	}
	found := rest.NewReferring(view.Sheet, view.Anchor, extent.Rows, columns, s.sheetNames())
	for _, n := range s.names {
		found.Name(n.Name, n.Value)
	}
	areas, err := s.used(ctx)
	if err == nil {
		err = s.readAreas(ctx, areas)
	}
	if err != nil {
		return nil, s.fault(ctx, s.document, err)
	}
	for _, a := range areas {
		found.Add(a.at.sheet, a.at.anchor, a.formulas)
	}
	return found.Found(), nil
}
