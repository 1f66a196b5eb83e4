package work

import (
	"context"
	"errors"
	"slices"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Rows is what is remembered of the rows of a placement's block.
type Rows struct {
	Completed []byte        // fingerprints that the last completed write left; nil when there are none
	Begun     []byte        // fingerprints that a write which was not completed may have left; nil when there is none
	Edits     []record.Edit // of the last completed run as far as they are listed, with Returned as of now
}

// blob is a value of a script's reply that is no text, nil when there is none.
func blob(v any) []byte {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	return []byte(s)
}

// earlierEdits is what was kept of a placement's edits before a run.
type earlierEdits struct {
	listed []record.Edit
	cells  int // all of them
}

// earlierEdits reads, in one round trip, the edits of those placements of r that had some and have some after the run: by placement.
func (w *Work) earlierEdits(
	ctx context.Context, k keys.DeploymentKeys, r *layout.Report, outcomes []PlacementOutcome,
) (map[string]earlierEdits, error) {
	earlier := map[string]earlierEdits{}
	texts, marks := map[string]*redis.StringCmd{}, map[string]*redis.StringSliceCmd{}
	p := w.db.Redis.Pipeline()
	for _, one := range outcomes {
		if was, ok := r.Find(one.Placement.ID); ok && was.Edits != nil && one.Written && len(one.Edits) > 0 {
			earlier[was.ID] = earlierEdits{cells: was.Edits.Cells}
			texts[was.ID], marks[was.ID] = p.Get(ctx, k.Blocks().Edits(r.ID, was.ID)), p.SMembers(ctx, k.Blocks().ReturnedEdits(r.ID, was.ID))
		}
	}
	if len(earlier) == 0 {
		return nil, nil
	}
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, redis.Unavailable(err)
	}
	for id, was := range earlier {
		var err error
		if was.listed, err = record.DecodeEdits(id, texts[id].Val(), marks[id].Val()); err != nil {
			return nil, err
		}
		earlier[id] = was
	}
	return earlier, nil
}

// keepEdits stores the edits that a run left in the block of p. The marks of those that are gone go too; new ones are an event.
func keepEdits(to *layout.Recorder, report int64, p *placements.Placement, edits []record.Edit, earlier earlierEdits) {
	tx, k := to.Tx, to.Keys
	text, listed, err := record.EncodeEdits(edits, to.Timestamp())
	tx.Fails(err)
	tx.Then("SET", k.Blocks().Edits(report, p.ID), text)
	var gone []any
	for _, e := range record.MissingEdits(earlier.listed, listed) {
		if e.Returned {
			gone = append(gone, e.ID)
		}
	}
	for batch := range slices.Chunk(gone, engine.MaxUnpacked) {
		tx.Then("SREM", k.Blocks().ReturnedEdits(report, p.ID), batch...)
	}
	// Where the earlier list was cut, an edit that is not on it may still be an old one: only their number tells.
	whole := len(earlier.listed) == earlier.cells
	added := record.MissingEdits(listed, earlier.listed)
	if len(edits) > earlier.cells || whole && len(added) > 0 {
		tx.Then("publish", k.Events(), string(record.EventEditsKept), report, record.KeptEvent(p, added))
	}
}
