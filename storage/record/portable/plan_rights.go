package portable

import (
	"mooring/placements"
	"mooring/storage/record"
)

// A plan asks for the caller's level on what the server has, the report of a placement or schedule included, and on what that is to become.
// What is neither theirs to read nor named by their bundle is not in the plan. What their bundle names and they may not read is refused in
// the words for what there is not, or, where they might create it otherwise, as a conflict that says no more. Who manages an asset, whether
// it is protected and what the project has applied of it are changed by who may edit it only.

// The sentences that refuse an action are the same for an asset that the caller may not see and one that is not there.
const (
	needsReportEdit   = "creating, changing or reading it needs rights on the report that this token does not have"
	needsManage       = "deleting it, or changing who has access, needs ReportManage on the report"
	needsWorkbookEdit = "creating, changing, deleting or reading it needs rights on the workbook that this token does not have"
	needsAssetEdit    = "a plan that creates, changes or deletes it, or changes who manages or protects it, " +
		"needs edit access to the report, and where it is placed or aimed elsewhere to both reports"
)

// demand notes that the caller may not do what is planned with the asset planned last, unless have is at least want.
func (m *maker) demand(have, want record.Level, message string) {
	if have < want {
		i := len(m.plan.Assets) - 1
		m.forbidden = append(m.forbidden, m.plan.Assets[i].detail(i, placements.CodeForbidden, message))
	}
}

// wanted is the level that an action needs.
func wanted(a Action) record.Level {
	switch a {
	case ActionCreate, ActionUpdate, ActionAdopt:
		return record.MayEdit
	case ActionDelete:
		return record.MayManage
	}
	return record.MayRead
}

// onReport is the caller's level on a report that the bundle or the server has.
func (m *maker) onReport(publicID string) record.Level {
	if held := m.Held.Reports[publicID]; held != nil {
		return m.Who.Level(&held.Definition)
	}
	return record.MayManage // the caller creates it
}

// workbook returns the workbook of that slug, nil for one that the caller may not read.
func (m *maker) workbook(slug string) *record.Workbook {
	if held := m.Held.Workbooks[slug]; held != nil && m.Who.OnWorkbook(held.CreatedBy) >= record.MayRead {
		return held
	}
	return nil
}

// schedule returns the schedule of that key with the caller's level on it; nil for one that the caller may not read.
func (m *maker) schedule(key string) (held *record.Schedule, level record.Level) {
	if held = m.Held.Schedules[key]; held != nil {
		level = m.Held.onSchedule(m.Who, held)
	}
	if level < record.MayRead {
		return nil, level
	}
	return held, level
}

// onSchedule is who's level on a schedule in a plan: that on its report.
func (h *Holdings) onSchedule(who record.Actor, c *record.Schedule) record.Level {
	if r := h.Reports[h.PublicIDs[c.Target.ReportID]]; r != nil {
		return who.Level(&r.Definition)
	}
	return who.OnLostSchedule(c.CreatedBy)
}

// onApplied is who's level on what a project has applied of an asset: that on the workbook, or on the report that it was applied for; where
// that is gone, on any.
func (h *Holdings) onApplied(who record.Actor, one *Applied) record.Level {
	publicID := one.Report()
	switch one.Kind {
	case KindWorkbook:
		if w := h.Workbooks[one.Ref]; w != nil {
			return who.OnWorkbook(w.CreatedBy)
		}
		return who.OnWorkbook(0)
	case KindReport:
		publicID = one.Ref
	}
	if r := h.Reports[publicID]; r != nil {
		return who.Level(&r.Definition)
	}
	return who.OnReport(0, nil)
}

// readable is what a project has applied of an asset as far as who may read it: of an asset that was applied for a report which who may
// not read, only where it is and whether it is protected.
func (h *Holdings) readable(who record.Actor, one *Applied) *Applied {
	if one == nil || h.onApplied(who, one) >= record.MayRead {
		return one
	}
	bare := &Applied{Kind: one.Kind, Ref: one.Ref, Protect: one.Protect, PlacementID: one.PlacementID, Definition: record.Tree{}}
	for _, name := range []string{"document", "sheet", "anchor"} {
		if value, has := one.Definition[name]; has {
			bare.Definition[name] = value
		}
	}
	return bare
}

// conceal plans nothing for an asset of the bundle of which the caller may not read what the server or the project has. It says so only to
// who might create it, with that level on what it is to become.
func (m *maker) conceal(a *Asset, report string, level record.Level) {
	m.plan.Assets = append(m.plan.Assets, PlannedAsset{
		Kind: a.Kind(), Ref: a.Ref, Report: report, Action: ActionConflict,
		Message: "it is taken by what this token may not read: give it another name or place, or plan with a token that may",
	})
	m.demand(level, record.MayEdit, needsAssetEdit)
}
