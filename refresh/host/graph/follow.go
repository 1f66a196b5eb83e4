package graph

import (
	"context"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Follows is host.Follower's. It reads the document's formulas, of rest.MaxFollowers cells at most: in a larger document those behind are
// not counted.
func (s *session) Follows(ctx context.Context, patches []host.Patch) (host.Follow, error) {
	w, err := s.writing(patches)
	if err != nil {
		return host.Follow{}, err
	}
	if !slices.ContainsFunc(patches, func(p host.Patch) bool { return len(p.Shifts) > 0 }) {
		return host.Follow{}, nil
	}
	follow, err := w.follow(ctx)
	return follow, s.fault(ctx, s.document, err)
}

func (w *writing) follow(ctx context.Context) (host.Follow, error) {
	if !w.known {
		if err := w.look(ctx, nil); err != nil {
			return host.Follow{}, err
		}
	}
	if err := w.place(); err != nil {
		return host.Follow{}, err
	}
	areas, err := w.used(ctx)
	if err != nil {
		return host.Follow{}, err
	}
	if err := w.readAreas(ctx, areas); err != nil {
		return host.Follow{}, err
	}
	followers := rest.NewFollowers(w.blocks, w.sheetNames())
	for _, a := range areas {
		followers.Add(a.at.sheet, a.at.anchor, a.formulas)
	}
	return followers.Follow(), nil
}

// used are the cells of all sheets that hold something, as far as they may be read.
func (s *session) used(ctx context.Context) (areas []*cellArea, err error) {
	var requests []request
	for _, sheet := range s.sheets {
		requests = append(requests, newGet(s.sheetPath(s.document, sheet.Name)+
			"/usedRange(valuesOnly=true)?$select=rowIndex,columnIndex,rowCount,columnCount"))
	}
	if err := rest.TakeQuota(ctx, s.limiter, s.faults, s.quotas, len(requests)); err != nil {
		return nil, err
	}
	left, sheets := rest.MaxFollowers, s.sheets
	for batch := range slices.Chunk(requests, batchRequests) {
		replies, err := s.send(ctx, batch)
		if err != nil {
			return nil, err
		}
		for i, reply := range replies {
			var used struct{ RowIndex, ColumnIndex, RowCount, ColumnCount int }
			if err := s.decode(reply, &used); err != nil {
				return nil, err
			}
			size := rest.Cells(left, checksum.Extent{Rows: used.RowCount, Columns: used.ColumnCount})
			if left -= size.Rows * size.Columns; size.Rows > 0 {
				at := placements.Anchor{Row: used.RowIndex, Column: used.ColumnIndex}
				areas = append(areas, newArea(place{sheet: sheets[i].Name, anchor: at, size: size}))
			}
		}
		sheets = sheets[len(batch):]
	}
	return areas, nil
}
