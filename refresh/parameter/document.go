package parameter

import (
	"context"
	"errors"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/site"
	"mooring/refresh/trace"
)

// ReadDocument reads the cells of feeds of placements of a document, without having it for itself: in one session, and in one request where all
// names stand. Of each placement it returns what its cells said.
func ReadDocument(ctx context.Context, sites *site.Locator, ref site.Ref, of [][]Feed) (readings []*Reading, calls int, err error) {
	ctx, span := trace.Start(ctx, "parameters")
	defer span.End()
	h, none := sites.HostOf(ref)
	if none != nil {
		return nil, 0, none
	}
	s, err := sites.Open(ctx, h, ref)
	if err != nil {
		return nil, 0, err
	}
	var all []host.ParameterCells
	for _, feeds := range of {
		for _, one := range feeds {
			all = append(all, one.Cells)
		}
	}
	_, found, err := s.(host.ParameterReader).ReadParameters(ctx, nil, all)
	if err = errors.Join(err, s.Close()); err != nil {
		return nil, 0, err
	}
	for _, feeds := range of {
		here := found[:len(feeds)]
		readings = append(readings, NewReading(feeds, here, ListsNoDeleted(ref)))
		for _, f := range here {
			calls += f.Calls
		}
		found = found[len(feeds):]
	}
	return readings, calls, nil
}

// ListsNoDeleted reports whether the host of a document lists no name whose cells were deleted.
func ListsNoDeleted(ref site.Ref) bool { return ref.Kind == placements.SheetsA }
