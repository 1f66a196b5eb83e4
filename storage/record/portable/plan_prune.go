package portable

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// prune plans what becomes of the assets that the project applied before and its bundle no longer has: they are kept, unless the bundle asks
// for them to be deleted.
func (m *maker) prune() error {
	left, readable := map[Kind][]*Applied{}, 0
	for _, key := range slices.Sorted(maps.Keys(m.Applied)) {
		one := m.Applied[key]
		if m.find(one).level < record.MayRead {
			continue // whatever the caller's bundle is, it is as if it were not there
		}
		if readable++; !m.claimed[key] {
			left[one.Kind] = append(left[one.Kind], one)
		}
	}
	if m.Bundle.Prune == nil {
		m.keep(left)
		return nil
	}
	return m.delete(left, readable)
}

// keep lists what nothing of the bundle names any more, of what the caller may read.
func (m *maker) keep(left map[Kind][]*Applied) {
	for _, kind := range []Kind{KindSchedule, KindPlacement, KindWorkbook, KindReport} {
		for _, one := range left[kind] {
			found := m.find(one)
			if !found.by.By(m.Bundle.Project) {
				continue
			}
			message := "no file: --prune deletes it"
			if one.Protect {
				message = "no file, and it is protected: --prune keeps it"
			}
			m.plan.Assets = append(m.plan.Assets, PlannedAsset{
				Kind: kind, Ref: one.Ref, Called: found.name, Report: found.publicID(one), Action: ActionKept, ManagedBy: found.by, Message: message,
			})
		}
	}
}

// leftover is what the server has of an asset that is not in the bundle. Of nothing it has the level on what was applied.
type leftover struct {
	by        *record.ManagedBy
	version   int64
	name      string
	level     record.Level // of the caller
	report    *HeldReport  // of a report, placement or schedule; nil: a schedule's is gone
	placement *placements.Placement
	workbook  *record.Workbook
	schedule  *record.Schedule
}

// publicID is that of the report of a placement or schedule, where the server has it now.
func (l *leftover) publicID(one *Applied) string {
	if one.Kind != KindSchedule || l.report == nil {
		return one.Report()
	}
	return l.report.PublicID
}

// find looks for an asset that the project applied.
func (m *maker) find(one *Applied) (found leftover) {
	found.level = m.Held.onApplied(m.Who, one)
	switch one.Kind {
	case KindSchedule:
		if held := m.Held.Schedules[one.Ref]; held != nil {
			found = leftover{by: held.ManagedBy, version: held.Version, name: held.Name, schedule: held}
			found.report, found.level = m.Held.Reports[m.Held.PublicIDs[held.Target.ReportID]], m.Held.onSchedule(m.Who, held)
		}
	case KindPlacement:
		if from, p := m.standing(one); p != nil {
			found = leftover{by: p.ManagedBy, name: from.Name, level: m.Who.Level(&from.Definition), report: from, placement: p}
		}
	case KindWorkbook:
		if held := m.Held.Workbooks[one.Ref]; held != nil {
			found = leftover{by: held.ManagedBy, version: held.Version, name: held.Name, level: m.Who.OnWorkbook(held.CreatedBy), workbook: held}
		}
	case KindReport:
		if held := m.Held.Reports[one.Ref]; held != nil {
			found = leftover{by: held.ManagedBy, version: held.Version, name: held.Name, level: m.Who.Level(&held.Definition), report: held}
		}
	}
	return found
}

// standing is a placement that the project applied and the bundle does not have, with its report; nil for one that is gone.
func (m *maker) standing(one *Applied) (*HeldReport, *placements.Placement) {
	from := m.Held.Reports[one.text("report")]
	if from == nil {
		return nil, nil
	}
	p := from.byID(one.PlacementID)
	if p == nil {
		p = m.Held.find(from, one.address())
	}
	if p == nil || m.declares(from.PublicID, p) {
		return nil, nil
	}
	return from, p
}

// delete plans to delete them: never one that is protected, never one that others still need, and never more than the limit. What refers to
// reports goes first: a report that nothing refers to any more can go as well. of is how many assets of the project the caller may read.
func (m *maker) delete(left map[Kind][]*Applied, of int) error {
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
	if most := m.Bundle.Prune.most(of); deletes > most {
		return placements.Errorf(placements.CodePruneLimit,
			"The plan would delete %d of the project's %d assets, and %d are allowed at once: check that the folder is whole, or raise prune.limit.",
			deletes, of, most)
	}
	return nil
}

// drop plans to delete an asset, or to keep it if there is a reason to. ok is false when nothing is to be written: the asset is kept, or it
// is the project's no longer, which then forgets it.
func (m *maker) drop(one *Applied, found *leftover, spared string) (w Write, ok bool) {
	if !found.by.By(m.Bundle.Project) {
		if found.level >= record.MayEdit {
			m.writes.Forgotten = append(m.writes.Forgotten, one.Key())
		}
		return w, false
	}
	asset := PlannedAsset{
		Kind: one.Kind, Ref: one.Ref, Called: found.name, Report: found.publicID(one), Action: ActionDelete, ManagedBy: found.by, Version: found.version,
	}
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
	found := m.find(one)
	w, ok := m.drop(one, &found, "")
	if !ok {
		return
	}
	held := found.schedule
	m.demand(found.level, record.MayEdit, needsAssetEdit)
	m.gone[Use{Kind: KindSchedule, ID: held.ID}] = true
	m.writes.Schedules = append(m.writes.Schedules, ScheduleWrite{Write: w, Held: held})
}

func (m *maker) dropPlacement(one *Applied, detached map[*placements.Placement]bool) {
	found := m.find(one)
	spared, p := "", found.placement
	if p != nil {
		if at, _ := p.Address(); m.aimed[found.report.PublicID+"/"+string(m.Held.spot(at))] {
			spared = "a schedule of the bundle refreshes it: take that out as well"
		}
	}
	if w, ok := m.drop(one, &found, spared); ok {
		m.demand(found.level, record.MayEdit, needsAssetEdit)
		detached[p] = true
		m.writes.Placements = append(m.writes.Placements, PlacementWrite{Write: w, Report: found.report.PublicID, From: found.report, Held: p})
	}
}

func (m *maker) dropWorkbook(one *Applied) {
	found := m.find(one)
	if w, ok := m.drop(one, &found, ""); ok {
		m.demand(found.level, record.MayManage, needsWorkbookEdit)
		m.gone[Use{Kind: KindWorkbook, ID: found.workbook.ID}] = true
		m.gone[Use{Kind: KindWorkbook, ID: found.workbook.ID, Published: true}] = true
		m.writes.Workbooks = append(m.writes.Workbooks, WorkbookWrite{Write: w, Held: found.workbook})
	}
}

func (m *maker) dropReport(one *Applied, detached map[*placements.Placement]bool) {
	found, spared := m.find(one), ""
	if found.report != nil {
		spared = m.needed(found.report, detached)
	}
	if w, ok := m.drop(one, &found, spared); ok {
		m.demand(found.level, record.MayManage, needsManage)
		m.writes.Reports = append(m.writes.Reports, ReportWrite{Write: w, Held: found.report})
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
			at, _ := p.Recorded()
			placed = append(placed, PlacementRef(at))
		}
	}
	if len(placed) > 0 && !m.Bundle.Detach {
		return "it is placed at " + strings.Join(placed[:min(len(placed), 3)], ", ") +
			": disconnect it there, or plan with --detach, and the cells stay"
	}
	return ""
}
