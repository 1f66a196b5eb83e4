package storage

import (
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
)

// Target is what the run refreshes.
func (r *Run) Target() RunTarget {
	return RunTarget{ReportID: r.ReportID, PlacementID: r.PlacementID, ExternalWorkbookID: r.ExternalWorkbookID}
}

// Has reports whether p, a placement of the target's report, is one of those to refresh.
func (t RunTarget) Has(p placements.Placement) bool {
	return (t.PlacementID == "" || p.ID == t.PlacementID) && (t.ExternalWorkbookID == "" || p.WorkbookID == t.ExternalWorkbookID)
}

// NamesOthers reports whether t names one of list, the placements of its report, that is queried on behalf of another user than uid.
func (t RunTarget) NamesOthers(list []placements.Placement, uid int64) bool {
	return slices.ContainsFunc(list, func(p placements.Placement) bool { return t.Has(p) && !p.PlacedFor(uid) })
}

// field names the target among those of its report.
func (t RunTarget) field() string {
	switch {
	case t.PlacementID != "":
		return "p:" + t.PlacementID
	case t.ExternalWorkbookID != "":
		return "d:" + t.ExternalWorkbookID
	}
	return "all"
}

// Refreshable returns a *Conflict, nothing_to_refresh, when a run on t, a target in r, would have nothing to do: r has no query or none of the
// placements that t names.
func (r *Report) Refreshable(t RunTarget) error {
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

// Queried returns a *Conflict, nothing_to_refresh, when d, the definition of that report, has no query.
func Queried(d *Definition, report int64) error {
	if strings.TrimSpace(d.SQLQuery) != "" || strings.TrimSpace(d.JSONQuery) != "" {
		return nil
	}
	return nothing(fmt.Sprintf("Report %d has no query: give it an sqlQuery or a jsonQuery first.", report))
}

func nothing(message string) *Conflict { return &Conflict{Code: CodeNothing, Message: message} }
