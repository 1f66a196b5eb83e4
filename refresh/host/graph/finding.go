package graph

import (
	"context"
	"encoding/json"
	"errors"

	"mooring/placements"
	"mooring/refresh/host"
)

// finding is a Find in progress.
type finding struct {
	*Workbooks
	budget *host.Budget
	found  []host.Candidate
	why    []error // why not everything was looked at
}

// driveItem is an item that may be what is looked for.
type driveItem struct {
	foundItem
	File   *json.RawMessage `json:"file"`
	Folder *json.RawMessage `json:"folder"`
	WebURL string           `json:"webUrl"`
}

// goOn takes note of why something was not looked at, and reports whether there is sense in looking at something else.
func (f *finding) goOn(err error) bool {
	if err == nil {
		return true
	}
	f.why = append(f.why, err)
	fault, ok := errors.AsType[*placements.Fault](err)
	return errors.Is(err, host.ErrOutside) || ok && fault.Class != placements.Transient
}

// get is Workbooks's, as far as the budget goes.
func (f *finding) get(ctx context.Context, path string, into any) error {
	if err := f.budget.Take(1); err != nil {
		return err
	}
	return f.Workbooks.get(ctx, path, into)
}
