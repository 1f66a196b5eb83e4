package refresh

import (
	"context"
	"strconv"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/storage"
)

// LastHeadings is a placement and the headings that its last run left there.
type LastHeadings struct {
	Placement storage.Placed
	Columns   []string // nil where no run wrote the block, or an add-in wrote it since

	where  host.Block
	extent checksum.Extent // that the last run left
}

// LastHeadings returns those of the report's placements, in their order, without those that are gone meanwhile.
func (e *Engine) LastHeadings(ctx context.Context, d storage.Deployment, r *storage.Report) ([]LastHeadings, error) {
	queries := make([]storage.BlockQuery, len(r.Placements))
	for i, p := range r.Placements {
		queries[i] = storage.BlockQuery{Deployment: d, ReportID: r.ID, Known: p}
	}
	blocks, err := e.queue.Blocks(ctx, d.Tenant, queries)
	if err != nil {
		return nil, err
	}
	var list []LastHeadings
	for _, b := range blocks {
		if !b.Found {
			continue
		}
		one, err := lastHeadings(b)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

func lastHeadings(b storage.Block) (LastHeadings, error) {
	h := LastHeadings{Placement: b.Placed}
	last, _, err := lastWritten(b.Placed.Placement, b.Rows, 0, "")
	if err != nil || last.Completed == nil {
		return h, err
	}
	a, _ := b.Placed.Address()
	h.where = host.Block{Document: a.Document, PlacementID: b.Placed.ID, SheetID: b.Placed.SheetID, Sheet: a.Sheet, Anchor: a.Anchor}
	h.Columns, h.extent = headings(last.Completed.Header), last.Completed.Extent()
	return h, nil
}

// headings are the texts of a table's first row; nil for no row.
func headings(cells []checksum.Cell) []string {
	if cells == nil {
		return nil
	}
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = c.Text
		if c.Kind == checksum.Number {
			names[i] = strconv.FormatFloat(c.Number, 'g', -1, 64)
		}
	}
	return names
}
