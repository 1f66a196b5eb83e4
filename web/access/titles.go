package access

import (
	"context"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// Titles are what people call what a run or a schedule refreshes.
type Titles struct {
	Report string       `json:"report"`
	Blocks []NamedBlock `json:"blocks"` // the first of them; never nil
	Total  int          `json:"total"`
	Owner  *record.User `json:"owner,omitempty"` // of a schedule
}

// NamedBlock says which block a placement is: its document, as people call it, and its place there.
type NamedBlock struct {
	PlacementID        string `json:"placementId"`
	ExternalWorkbookID string `json:"externalWorkbookId"`
	WorkbookName       string `json:"workbookName,omitempty"`
	ResultLocation     string `json:"resultLocation"`
}

// maxNamed is how many blocks Titles list.
const maxNamed = 3

// OfTarget returns the names of what a target refreshes; nil for a report that is gone.
func (r *Referred) OfTarget(ctx context.Context, t record.RunTarget) (*Titles, error) {
	report, err := r.Report(ctx, t.ReportID)
	if report == nil || err != nil {
		return nil, err
	}
	return namesOf(report, func(p placements.Placement) bool {
		switch {
		case t.PlacementID != "":
			return p.Is(t.PlacementID)
		case t.ExternalWorkbookID != "":
			return p.WorkbookID == t.ExternalWorkbookID
		}
		return true
	}), nil
}

// OfRun returns the names of what a run has refreshed; of its target, as long as it has come to no block.
func (r *Referred) OfRun(ctx context.Context, run *record.Run) (*Titles, error) {
	if len(run.Placements) == 0 {
		return r.OfTarget(ctx, run.Target())
	}
	report, err := r.Report(ctx, run.ReportID)
	if report == nil || err != nil {
		return nil, err
	}
	return namesOf(report, func(p placements.Placement) bool {
		for _, one := range run.Placements {
			if p.Is(one.PlacementID) {
				return true
			}
		}
		return false
	}), nil
}

// namesOf returns the names of a report and of those of its placements that are meant.
func namesOf(report *storage.Report, means func(placements.Placement) bool) *Titles {
	named := &Titles{Report: report.Name, Blocks: []NamedBlock{}}
	for _, p := range report.Placements {
		if !means(p.Placement) {
			continue
		}
		named.Total++
		if len(named.Blocks) < maxNamed {
			named.Blocks = append(named.Blocks, NamedBlock{p.ID, p.WorkbookID, p.WorkbookName, p.ResultLocation})
		}
	}
	return named
}
