package document

import (
	"context"
	"errors"

	"mooring/placements"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/record"
)

// Changes are those that were planned.
func (o *Receipt) Changes() *plan.Changes { return &o.draft.plan }

// Replaced are the edited rows that the write replaced.
func (o *Receipt) Replaced() []record.OverwrittenRow {
	return converted(o.draft.plan.Replaced(), storageRow)
}

// Edits are the cells that were left as people had typed them.
func (o *Receipt) Edits() []record.Edit { return converted(o.draft.plan.Edits, storageEdit) }

// Change is what the run changed in the block; nil for nothing.
func (o *Receipt) Change() *record.BlockChange { return o.target.change }

// OthersValues reports whether the rows that were replaced may have values of others.
func (o *Receipt) OthersValues() bool { return o.draft.othersValues() }

// Words are what the write shifted, what followed that, what people had done to the block, and why cells outside it were left alone.
func (o *Receipt) Words() []string { return o.draft.words() }

// Notes say what of the sheet could not stay with its record, which hidden rows are shown now, what its totals are, and why cells outside the
// block were left alone.
func (o *Receipt) Notes() []string { return o.draft.notes() }

// Refreshed is the placement's record after the write, and what to keep beside it.
func (o *Receipt) Refreshed(stamp placements.Stamp) (p placements.Placement, rows []byte, err error) {
	return o.draft.refreshed(stamp)
}

// Ended is the reason why what came of the task is not to be told: its attempt has ended, and that is what ended the task too.
func (o *Receipt) Ended(attempt context.Context) error {
	switch {
	case errors.Is(o.Err, ErrOvertaken):
		return o.Err
	case o.Err != nil && attempt.Err() != nil:
		return context.Cause(attempt)
	}
	return nil
}

// Recorded is the placement as it is recorded, or was when the document could not be locked.
func (o *Receipt) Recorded() storage.Placed {
	if o.Now.ID == "" {
		return o.Task.Placement
	}
	return o.Now
}
