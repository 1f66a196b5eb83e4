package refresh

import (
	"context"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/result"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// DraftChanges is what saving a draft would change, as far as cells show it.
type DraftChanges struct {
	Columns   *portable.ColumnDiff // nil: the columns stay, or no run has written any yet
	Documents []string             // whose cells will change
	Blocks    int                  // whose cells will change
}

// draftChanges says what saving a draft would change, whose table is that. Where the query stays as it is nothing changes.
func (e *Engine) draftChanges(ctx context.Context, d record.Deployment, draft *Draft, table *checksum.Grid) (*DraftChanges, error) {
	sum, err := record.QueryChecksum(&draft.Definition)
	if err != nil || sum == draft.Of.CurrentChecksum {
		return &DraftChanges{}, err
	}
	placed := make([]placements.Placement, len(draft.Of.Placements))
	for i, p := range draft.Of.Placements {
		placed[i] = p.Placement
	}
	c := &DraftChanges{Documents: portable.Documents(placed), Blocks: len(placed)}
	c.Columns, err = e.bundles.headings.diff(ctx, d, draft.Of, result.Headings(table.Cells(0, nil)))
	return c, err
}
