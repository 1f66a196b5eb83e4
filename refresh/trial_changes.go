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
	headings := result.Headings(table.Cells(0, nil))
	if c.Columns, err = e.bundles.headings.diff(ctx, d, draft.Of, headings); err != nil {
		return nil, err
	}
	if changed := e.changedTypes(ctx, d, draft, headings); len(changed) > 0 {
		if c.Columns == nil {
			c.Columns = new(portable.ColumnDiff)
		}
		c.Columns.Changed = changed
	}
	return c, nil
}

// changedTypes are the columns of a draft that its report has with another type, as far as the source knows both.
func (e *Engine) changedTypes(ctx context.Context, d record.Deployment, draft *Draft, headings []string) (list []portable.ColumnType) {
	from, none := e.tenants.origin(d)
	if none != nil || len(draft.Of.Placements) == 0 {
		return nil
	}
	before, after := result.Types(ctx, d, from, &draft.Of.Definition, draft.By), result.Types(ctx, d, from, &draft.Definition, draft.By)
	for _, name := range headings {
		if was, is := before[name], after[name]; was != "" && is != "" && was != is {
			list = append(list, portable.ColumnType{Name: name, Before: string(was), After: string(is)})
		}
	}
	return list
}
