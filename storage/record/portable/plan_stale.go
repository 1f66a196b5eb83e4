package portable

import (
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
)

// Stale returns nil when now, the plan of the same bundle made again, does what p does, else the *placements.Error CodePlanStale that names
// what moved.
func (p *ApplyPlan) Stale(now *ApplyPlan) error {
	if p.Hash == now.Hash {
		return nil
	}
	e := placements.Errorf(placements.CodePlanStale,
		"The server has changed since the plan was made, and nothing was applied: see details, and plan again.")
	before := make(map[string]*PlannedAsset, len(p.Assets))
	for i := range p.Assets {
		before[p.Assets[i].Name()] = &p.Assets[i]
	}
	for i := range now.Assets {
		is := &now.Assets[i]
		was := before[is.Name()]
		delete(before, is.Name())
		if message := is.moved(was); message != "" {
			e.Details = append(e.Details, is.detail(i, placements.CodePlanStale, message))
		}
	}
	for i := range p.Assets {
		if _, gone := before[p.Assets[i].Name()]; gone && p.Assets[i].Action != ActionKept {
			e.Details = append(e.Details, p.Assets[i].detail(i, placements.CodePlanStale, "is not there any more."))
		}
	}
	e.Details = e.Details[:min(len(e.Details), placements.MaxDetails)]
	return e
}

// moved says in what a differs from was, the same asset in an earlier plan; empty when in nothing.
func (a *PlannedAsset) moved(was *PlannedAsset) string {
	switch {
	case was == nil:
		return "is new in the plan."
	case was.Action != a.Action:
		return fmt.Sprintf("was planned as %s and is %s now%s.", was.Action, a.Action, a.whose())
	case was.Version != a.Version:
		return fmt.Sprintf("was planned on version %d and is at version %d%s.", was.Version, a.Version, a.whose())
	case manager(was.ManagedBy) != manager(a.ManagedBy):
		return "has another manager than was planned on."
	case !sameChanges(was.Changes, a.Changes):
		return "would change otherwise than was planned" + a.whose() + "."
	}
	return ""
}

// whose names who changed the asset last, if that is known.
func (a *PlannedAsset) whose() string {
	switch {
	case a.Drift == nil || a.Drift.By == "":
		return ""
	case a.Drift.At == "":
		return ", changed by " + a.Drift.By
	}
	return ", changed by " + a.Drift.By + " at " + a.Drift.At
}

// sameChanges compares what is stored with what is made: empty values of either have no difference.
func sameChanges(a, b []MemberChange) bool {
	x, errX := record.Encode(a)
	y, errY := record.Encode(b)
	return errX == nil && errY == nil && (len(a)+len(b) == 0 || x == y)
}

// For is the plan as who may see it, which maker made: without the assets that who may not read. held are those of its assets that the
// server has. The summary counts all of them.
func (p *ApplyPlan) For(who record.Actor, maker int64, held *Holdings) *ApplyPlan {
	shown := *p
	shown.Assets = []PlannedAsset{}
	for i := range p.Assets {
		if p.Assets[i].visible(who, maker, held) {
			shown.Assets = append(shown.Assets, p.Assets[i])
		}
	}
	return &shown
}

// ShowsAll reports whether For left out nothing that an apply does: what is kept, it leaves alone.
func (p *ApplyPlan) ShowsAll() bool {
	shown := 0
	for i := range p.Assets {
		if p.Assets[i].Action != ActionKept {
			shown++
		}
	}
	return shown == p.Summary.Assets()-p.Summary.Kept
}

// visible reports whether who may read the asset, or the reports that it belongs to, before and after. What the server does not have is its
// maker's.
func (a *PlannedAsset) visible(who record.Actor, maker int64, held *Holdings) bool {
	if a.Kind == KindWorkbook {
		if wb := held.Workbooks[a.Ref]; wb != nil {
			maker = wb.CreatedBy
		}
		return who.OnWorkbook(maker) >= record.MayRead
	}
	return !slices.ContainsFunc(a.reports(), func(publicID string) bool {
		if r := held.Reports[publicID]; r != nil {
			return who.Level(&r.Definition) < record.MayRead
		}
		return who.OnReport(maker, nil) < record.MayRead
	})
}

// reports are the publicIds of the report that the asset is, or of those that it belongs to before and after.
func (a *PlannedAsset) reports() []string {
	if a.Kind == KindReport {
		return []string{a.Ref}
	}
	all := []string{a.Report}
	for _, c := range a.Changes {
		if publicID, ok := c.Before.(string); ok && (c.Pointer == "/report" || c.Pointer == "/target/publicId") {
			all = append(all, publicID)
		}
	}
	return all
}

// PlanResult is what applying a plan did.
type PlanResult struct {
	ID        string         `json:"id"`
	AppliedAt string         `json:"appliedAt"`
	Summary   Summary        `json:"summary"`
	Assets    []AppliedAsset `json:"assets"`
}

// AppliedAsset is what applying a plan did with one asset.
type AppliedAsset struct {
	Kind    AssetKind `json:"kind"`
	Ref     string    `json:"ref"`
	Action  Action    `json:"action"`
	ID      any       `json:"id,omitempty"`      // a number, or a placement's text
	Version int64     `json:"version,omitempty"` // after; of what has versions and was not deleted
}

// For is the result without the assets that visible, the plan as its reader may see it, does not have.
func (r *PlanResult) For(visible *ApplyPlan) *PlanResult {
	names := make(map[string]bool, len(visible.Assets))
	for i := range visible.Assets {
		names[visible.Assets[i].Name()] = true
	}
	shown := *r
	shown.Assets = []AppliedAsset{}
	for _, a := range r.Assets {
		if names[string(a.Kind)+":"+a.Ref] {
			shown.Assets = append(shown.Assets, a)
		}
	}
	return &shown
}
