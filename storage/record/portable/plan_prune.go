package portable

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// prune plans what becomes of the assets that the project applied before and its bundle no longer has: only if the bundle asks for it,
// never one that is protected, never one that others still need, and never more than the limit.
func (m *maker) prune() error {
	if m.Bundle.Prune == nil {
		return nil
	}
	left := map[Kind][]*Applied{}
	for _, key := range slices.Sorted(maps.Keys(m.Applied)) {
		if one := m.Applied[key]; !m.claimed[key] {
			left[one.Kind] = append(left[one.Kind], one)
		}
	}
	// What refers to reports goes first: a report that nothing refers to any more can go as well.
	for _, one := range left[KindSchedule] {
		m.dropSchedule(one)
	}
	detached := map[*placements.Placement]bool{}
	for _, one := range left[KindPlacement] {
		m.dropPlacement(one, detached)
	}
	for _, one := range left[KindWorkbook] {
		m.dropWorkbook(one)
	}
	for _, one := range left[KindReport] {
		m.dropReport(one, detached)
	}
	deletes := 0
	for i := range m.plan.Assets {
		if m.plan.Assets[i].Action == ActionDelete {
			deletes++
		}
	}
	if most := m.Bundle.Prune.most(len(m.Applied)); deletes > most {
		return placements.Errorf(placements.CodePruneLimit,
			"The plan would delete %d of the project's %d assets, and %d are allowed at once: check that the folder is whole, or raise prune.limit.",
			deletes, len(m.Applied), most)
	}
	return nil
}

// drop plans to delete an asset, or to keep it if there is a reason to. ok is false when nothing is to be written: the asset is kept, or it
// is the project's no longer, which then forgets it.
func (m *maker) drop(one *Applied, there bool, by *record.ManagedBy, version int64, spared string) (w Write, ok bool) {
	if !there || !by.By(m.Bundle.Project) {
		m.writes.Forgotten = append(m.writes.Forgotten, one.Key())
		return w, false
	}
	asset := PlannedAsset{Kind: one.Kind, Ref: one.Ref, Report: one.Report(), Action: ActionDelete, ManagedBy: by, Version: version}
	if one.Protect {
		spared = "it is protected: remove protect and apply that first"
	}
	if spared != "" {
		asset.Action, asset.Message, asset.Version = ActionKept, spared, 0
		m.plan.Assets = append(m.plan.Assets, asset)
		return w, false
	}
	m.plan.Assets = append(m.plan.Assets, asset)
	m.writes.Forgotten = append(m.writes.Forgotten, one.Key())
	return m.write(&asset)
}

func (m *maker) dropSchedule(one *Applied) {
	held := m.Held.Schedules[one.Ref]
	if held == nil {
		m.drop(one, false, nil, 0, "")
		return
	}
	w, ok := m.drop(one, true, held.ManagedBy, held.Version, "")
	if !ok {
		return
	}
	level := m.onReport(m.Held.PublicIDs[held.Target.ReportID])
	if m.Who.Is(held.CreatedBy) {
		level = record.MayManage
	}
	m.demand(level, record.MayEdit, "deleting it needs edit access to its report")
	m.gone[Use{Kind: KindSchedule, ID: held.ID}] = true
	m.writes.Schedules = append(m.writes.Schedules, ScheduleWrite{Write: w, Held: held})
}

func (m *maker) dropPlacement(one *Applied, detached map[*placements.Placement]bool) {
	from := m.Held.Reports[one.text("report")]
	var p *placements.Placement
	if from != nil {
		if p = from.byID(one.PlacementID); p == nil {
			p = from.find(one.address())
		}
	}
	if p == nil || m.declares(from.PublicID, p) {
		m.drop(one, false, nil, 0, "")
		return
	}
	spared := ""
	if at, _ := p.Address(); m.aimed[from.PublicID+"/"+string(PlacementKey(at))] {
		spared = "a schedule of the bundle refreshes it: take that out as well"
	}
	if w, ok := m.drop(one, true, p.ManagedBy, 0, spared); ok {
		m.demand(m.Who.Level(&from.Definition), record.MayRead, needsReportEdit)
		detached[p] = true
		m.writes.Placements = append(m.writes.Placements, PlacementWrite{Write: w, Report: from.PublicID, From: from, Held: p})
	}
}

func (m *maker) dropWorkbook(one *Applied) {
	held := m.Held.Workbooks[one.Ref]
	if held == nil {
		m.drop(one, false, nil, 0, "")
		return
	}
	if w, ok := m.drop(one, true, held.ManagedBy, held.Version, ""); ok {
		m.demand(m.Who.OnWorkbook(held.CreatedBy), record.MayManage, needsWorkbookEdit)
		m.gone[Use{Kind: KindWorkbook, ID: held.ID}] = true
		m.gone[Use{Kind: KindWorkbook, ID: held.ID, Published: true}] = true
		m.writes.Workbooks = append(m.writes.Workbooks, WorkbookWrite{Write: w, Held: held})
	}
}

func (m *maker) dropReport(one *Applied, detached map[*placements.Placement]bool) {
	held := m.Held.Reports[one.Ref]
	if held == nil {
		m.drop(one, false, nil, 0, "")
		return
	}
	if w, ok := m.drop(one, true, held.ManagedBy, held.Version, m.needed(held, detached)); ok {
		m.demand(m.Who.Level(&held.Definition), record.MayManage, needsManage)
		m.writes.Reports = append(m.writes.Reports, ReportWrite{Write: w, Held: held})
	}
}

// needed says why a report cannot be deleted, empty when it can.
func (m *maker) needed(r *HeldReport, detached map[*placements.Placement]bool) string {
	if m.named[r.PublicID] {
		return "the bundle still refers to it: take that out as well"
	}
	uses := map[Kind]int{}
	for _, use := range r.Uses {
		if !m.gone[use] {
			uses[use.Kind]++
		}
	}
	if len(uses) > 0 {
		return fmt.Sprintf("%d dashboards and %d schedules use it: change or delete them first", uses[KindWorkbook], uses[KindSchedule])
	}
	var placed []string
	for i := range r.Placements {
		if p := &r.Placements[i]; !detached[p] {
			at, _ := p.Address()
			placed = append(placed, PlacementRef(at))
		}
	}
	if len(placed) > 0 && !m.Bundle.Detach {
		return "it is placed at " + strings.Join(placed[:min(len(placed), 3)], ", ") +
			": disconnect it there, or plan with --detach, and the cells stay"
	}
	return ""
}
