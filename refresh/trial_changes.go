package refresh

import (
	"context"
	"slices"
	"strings"

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
	// Stopped are the blocks, the first ones, that are not refreshed any more until their parameters are set.
	Stopped []StoppedBlock
}

// StoppedBlock is a block that would not be refreshed once a draft is saved, and why, without a value.
type StoppedBlock struct{ Placement, Message string }

// maxStopped bounds DraftChanges.Stopped.
const maxStopped = 100

// draftChanges says what saving a draft would change, whose table is that. Where the query stays as it is nothing changes but what its parameters
// decide.
func (e *Engine) draftChanges(ctx context.Context, d record.Deployment, draft *Draft, table *checksum.Grid) (*DraftChanges, error) {
	sum, err := record.QueryChecksum(&draft.Definition)
	if err != nil {
		return nil, err
	}
	same := sum == draft.Of.CurrentChecksum
	reached, stopped := draft.reach(same)
	c := &DraftChanges{Documents: portable.Documents(reached), Blocks: len(reached), Stopped: stopped}
	if same {
		return c, nil
	}
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

// reach returns the placements whose cells saving a draft changes, and those that it stops. same: their query stays as it is.
func (d *Draft) reach(same bool) (reached []placements.Placement, stopped []StoppedBlock) {
	before, after := d.Of.Parameters, d.Definition.Parameters
	for i := range d.Of.Placements {
		p := &d.Of.Placements[i].Placement
		at, _ := p.Address()
		why := p.Parameters.Unfit(after)
		switch {
		case why == "" && (!same || p.Parameters.ReachedBy(before, after)):
			reached = append(reached, *p)
		case why != "" && p.Parameters.Unfit(before) == "":
			stopped = append(stopped, StoppedBlock{portable.PlacementRef(at), why})
		}
	}
	slices.SortFunc(stopped, func(a, b StoppedBlock) int { return strings.Compare(a.Placement, b.Placement) })
	return reached, stopped[:min(len(stopped), maxStopped)]
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
