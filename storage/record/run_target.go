package record

import (
	"cmp"
	"slices"
	"strings"

	"mooring/placements"
)

// RunTarget says what a run refreshes: all placements of a report, or one of them, or those in one spreadsheet.
type RunTarget struct {
	ReportID           int64  `json:"reportId"`
	PlacementID        string `json:"placementId,omitempty"`
	ExternalWorkbookID string `json:"externalWorkbookId,omitempty"`

	// Home is the id by which the document is known that ExternalWorkbookID names, where that is to be found under its other ids too; it is
	// not stored, since a link may be made later. See storage.Store.Aim.
	Home string `json:"-"`
}

// Target is what the run refreshes.
func (r *Run) Target() RunTarget {
	return RunTarget{ReportID: r.ReportID, PlacementID: r.PlacementID, ExternalWorkbookID: r.ExternalWorkbookID, Home: r.Home}
}

// LockedDocument is the name of the document whose lock a client run has.
func (r *Run) LockedDocument() string { return cmp.Or(r.Document, r.ExternalWorkbookID) }

// Has reports whether p, a placement of the target's report, is one of those to refresh.
func (t RunTarget) Has(p placements.Placement) bool {
	return (t.PlacementID == "" || p.Is(t.PlacementID)) &&
		(t.ExternalWorkbookID == "" || p.In(t.ExternalWorkbookID) || t.Home != "" && p.Home() == t.Home)
}

// Same reports whether t and o, which both have their Home, name the same: list are the placements of the report of t.
func (t RunTarget) Same(o RunTarget, list []placements.Placement) bool {
	placement := func(id string) string {
		if i := slices.IndexFunc(list, func(p placements.Placement) bool { return p.Is(id) }); i >= 0 {
			return list[i].ID
		}
		return id
	}
	return t.ReportID == o.ReportID && placement(t.PlacementID) == placement(o.PlacementID) &&
		cmp.Or(t.Home, t.ExternalWorkbookID) == cmp.Or(o.Home, o.ExternalWorkbookID)
}

// NamesOthers reports whether t names one of list, the placements of its report, that is queried on behalf of another user than uid. It is
// what making a schedule asks: a placement that uid has taken over may be refreshed by it, and each run that is to overwrite what stands
// there asks again whether the block is wholly theirs.
func (t RunTarget) NamesOthers(list []placements.Placement, uid int64) bool {
	return slices.ContainsFunc(list, func(p placements.Placement) bool { return t.Has(p) && !p.PlacedFor(uid) })
}

// NamesPartOthers reports whether t names one of list, the placements of its report, that is not wholly of uid. It
// is what a run that overwrites asks: it would destroy what a block still has of those from whom uid took it over.
func (t RunTarget) NamesPartOthers(list []placements.Placement, uid int64) bool {
	return slices.ContainsFunc(list, func(p placements.Placement) bool { return t.Has(p) && !p.Wholly(uid) })
}

// Field names the target among those of its report.
func (t RunTarget) Field() string {
	switch {
	case t.PlacementID != "":
		return "p:" + t.PlacementID
	case t.ExternalWorkbookID != "":
		return "d:" + t.ExternalWorkbookID
	}
	return "all"
}

// Refreshable returns a *placements.Error, CodeNothing, when a run on t would have nothing to do: its report, with that definition and
// those placements, has no query or none of the placements that t names.
func (t RunTarget) Refreshable(d *Definition, list []placements.Placement) error {
	if err := d.Queried(t.ReportID); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(list, t.Has):
		return nil
	case len(list) == 0:
		return placements.Errorf(placements.CodeNothing, "Report %d stands in no spreadsheet: connect it to one first.", t.ReportID)
	case t.PlacementID != "":
		return placements.Errorf(placements.CodeNothing,
			"Report %d has no placement %.80q: read the report for the ids of its placements, or connect it there first.",
			t.ReportID, t.PlacementID)
	}
	return placements.Errorf(placements.CodeNothing,
		"Report %d has no placement in the spreadsheet %.80q: connect it there first.", t.ReportID, t.ExternalWorkbookID)
}

// Queried returns a *placements.Error, CodeNothing, when d, the definition of that report, has no query.
func (d *Definition) Queried(report int64) error {
	if d.HasQuery() {
		return nil
	}
	return placements.Errorf(placements.CodeNothing, "Report %d has no query: give it an sqlQuery or a jsonQuery first.", report)
}

// HasQuery reports whether d says what its report shows.
func (d *Definition) HasQuery() bool {
	return strings.TrimSpace(d.SQLQuery) != "" || strings.TrimSpace(d.JSONQuery) != ""
}
