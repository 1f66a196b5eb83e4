package storage

import (
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// Refreshable returns a *placements.Error, CodeNothing, when a run on t, a target in r, would have nothing to do: r has no query or none of
// the placements that t names.
func (r *Report) Refreshable(t record.RunTarget) error {
	if err := Queried(&r.Definition, r.ID); err != nil {
		return err
	}
	if slices.ContainsFunc(r.Places(), t.Has) {
		return nil
	}
	message := fmt.Sprintf("Report %d stands in no spreadsheet: connect it to one first.", r.ID)
	switch {
	case len(r.Placements) == 0:
	case t.PlacementID != "":
		message = fmt.Sprintf("Report %d has no placement %.80q: read the report for the ids of its placements, or connect it there first.",
			r.ID, t.PlacementID)
	default:
		message = fmt.Sprintf("Report %d has no placement in the spreadsheet %.80q: connect it there first.", r.ID, t.ExternalWorkbookID)
	}
	return nothing(message)
}

// Queried returns a *placements.Error, CodeNothing, when d, the definition of that report, has no query.
func Queried(d *record.Definition, report int64) error {
	if strings.TrimSpace(d.SQLQuery) != "" || strings.TrimSpace(d.JSONQuery) != "" {
		return nil
	}
	return nothing(fmt.Sprintf("Report %d has no query: give it an sqlQuery or a jsonQuery first.", report))
}

func nothing(message string) error {
	return &placements.Error{Code: placements.CodeNothing, Message: message}
}
