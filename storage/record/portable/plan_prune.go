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
	pr, left, readable := pruner{m, map[*placements.Placement]bool{}}, map[AssetKind][]*Applied{}, 0
	for _, key := range slices.Sorted(maps.Keys(m.Applied)) {
		one := m.Applied[key]
		if pr.find(one).level < record.MayRead {
			continue // whatever the caller's bundle is, it is as if it were not there
		}
		if readable++; !m.claimed[key] {
			left[one.Kind] = append(left[one.Kind], one)
		}
	}
	if m.Bundle.Prune == nil {
		pr.keep(left)
		return nil
	}
	return pr.delete(left, readable)
}

// pruner plans what becomes of them, one by one.
type pruner struct {
	m        *maker
	detached map[*placements.Placement]bool // that the plan deletes
}

// keep lists what nothing of the bundle names any more, of what the caller may read.
func (pr *pruner) keep(left map[AssetKind][]*Applied) {
	for _, kind := range []AssetKind{KindSchedule, KindPlacement, KindWorkbook, KindReport} {
		for _, one := range left[kind] {
			found := pr.find(one)
			if !found.by.By(pr.m.Bundle.Project) {
				continue
			}
			message := "no file: --prune deletes it"
			if one.Protect {
				message = "no file, and it is protected: --prune keeps it"
			}
			pr.m.plan.Assets = append(pr.m.plan.Assets, PlannedAsset{
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
func (pr *pruner) find(one *Applied) (found leftover) {
	found.level = pr.m.Held.onApplied(pr.m.Who, one)
	switch one.Kind {
	case KindSchedule:
		if held := pr.m.Held.Schedules[one.Ref]; held != nil {
			found = leftover{by: held.ManagedBy, version: held.Version, name: held.Name, schedule: held}
			found.report, found.level = pr.m.Held.Reports[pr.m.Held.PublicIDs[held.Target.ReportID]], pr.m.Held.onSchedule(pr.m.Who, held)
		}
	case KindPlacement:
		if from, p := pr.standing(one); p != nil {
			found = leftover{by: p.ManagedBy, name: from.Name, level: pr.m.Who.Level(&from.Definition), report: from, placement: p}
		}
	case KindWorkbook:
		if held := pr.m.Held.Workbooks[one.Ref]; held != nil {
			found = leftover{by: held.ManagedBy, version: held.Version, name: held.Name, level: pr.m.Who.OnWorkbook(held.CreatedBy), workbook: held}
		}
	case KindReport:
		if held := pr.m.Held.Reports[one.Ref]; held != nil {
			found = leftover{by: held.ManagedBy, version: held.Version, name: held.Name, level: pr.m.Who.Level(&held.Definition), report: held}
		}
	}
	return found
}

// standing is a placement that the project applied and the bundle does not have, with its report; nil for one that is gone.
func (pr *pruner) standing(one *Applied) (*HeldReport, *placements.Placement) {
	from := pr.m.Held.Reports[one.text("report")]
	if from == nil {
		return nil, nil
	}
	p := from.byID(one.PlacementID)
	if p == nil {
		p = pr.m.Held.find(from, one.address())
	}
	if p == nil || pr.m.declares(from.PublicID, p) {
		return nil, nil
	}
	return from, p
}

// delete plans to delete them: never one that is protected, never one that others still need, and never more than the limit. What refers to
// reports goes first: a report that nothing refers to any more can go as well. of is how many assets of the project the caller may read.
func (pr *pruner) delete(left map[AssetKind][]*Applied, of int) error {
	for _, one := range left[KindSchedule] {
		pr.dropSchedule(one)
	}
	for _, one := range left[KindPlacement] {
		pr.dropPlacement(one)
	}
	for _, one := range left[KindWorkbook] {
		pr.dropWorkbook(one)
	}
	for _, one := range left[KindReport] {
		pr.dropReport(one)
	}
	deletes := 0
	for i := range pr.m.plan.Assets {
		if pr.m.plan.Assets[i].Action == ActionDelete {
			deletes++
		}
	}
	if most := pr.m.Bundle.Prune.most(of); deletes > most {
		return placements.Errorf(placements.CodePruneLimit,
			"The plan would delete %d of the project's %d assets, and %d are allowed at once: check that the folder is whole, or raise prune.limit.",
			deletes, of, most)
	}
	return nil
}

// drop plans to delete an asset, or to keep it if there is a reason to. ok is false when nothing is to be written: the asset is kept, or it
// is the project's no longer, which then forgets it.
func (pr *pruner) drop(one *Applied, found *leftover, spared string) (w AssetWrite, ok bool) {
	if !found.by.By(pr.m.Bundle.Project) {
		if found.level >= record.MayEdit {
			pr.m.writes.Forgotten = append(pr.m.writes.Forgotten, one.Key())
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
		pr.m.plan.Assets = append(pr.m.plan.Assets, asset)
		return w, false
	}
	pr.m.plan.Assets = append(pr.m.plan.Assets, asset)
	pr.m.writes.Forgotten = append(pr.m.writes.Forgotten, one.Key())
	return pr.m.write(&asset)
}

func (pr *pruner) dropSchedule(one *Applied) {
	found := pr.find(one)
	w, ok := pr.drop(one, &found, "")
	if !ok {
		return
	}
	held := found.schedule
	pr.m.demand(found.level, record.MayEdit, needsAssetEdit)
	pr.m.gone[Use{Kind: KindSchedule, ID: held.ID}] = true
	pr.m.writes.Schedules = append(pr.m.writes.Schedules, ScheduleWrite{AssetWrite: w, Held: held})
}

func (pr *pruner) dropPlacement(one *Applied) {
	found := pr.find(one)
	spared, p := "", found.placement
	if p != nil {
		if at, _ := p.Address(); pr.m.aimed[found.report.PublicID+"/"+string(pr.m.Held.spot(at))] {
			spared = "a schedule of the bundle refreshes it: take that out as well"
		}
	}
	if w, ok := pr.drop(one, &found, spared); ok {
		pr.m.demand(found.level, record.MayEdit, needsAssetEdit)
		pr.detached[p] = true
		pr.m.writes.Placements = append(pr.m.writes.Placements, PlacementWrite{AssetWrite: w, Report: found.report.PublicID, From: found.report, Held: p})
	}
}

func (pr *pruner) dropWorkbook(one *Applied) {
	found := pr.find(one)
	if w, ok := pr.drop(one, &found, ""); ok {
		pr.m.demand(found.level, record.MayManage, needsWorkbookEdit)
		pr.m.gone[Use{Kind: KindWorkbook, ID: found.workbook.ID}] = true
		pr.m.gone[Use{Kind: KindWorkbook, ID: found.workbook.ID, Published: true}] = true
		pr.m.writes.Workbooks = append(pr.m.writes.Workbooks, WorkbookWrite{AssetWrite: w, Held: found.workbook})
	}
}

func (pr *pruner) dropReport(one *Applied) {
	found, spared := pr.find(one), ""
	if found.report != nil {
		spared = pr.needed(found.report)
	}
	if w, ok := pr.drop(one, &found, spared); ok {
		pr.m.demand(found.level, record.MayManage, needsManage)
		pr.m.writes.Reports = append(pr.m.writes.Reports, ReportWrite{AssetWrite: w, Held: found.report})
	}
}

// needed says why a report cannot be deleted, empty when it can.
func (pr *pruner) needed(r *HeldReport) string {
	if pr.m.named[r.PublicID] {
		return "the bundle still refers to it: take that out as well"
	}
	uses := map[AssetKind]int{}
	for _, use := range r.Uses {
		if !pr.m.gone[use] {
			uses[use.Kind]++
		}
	}
	if len(uses) > 0 {
		return fmt.Sprintf("%d dashboards and %d schedules use it: change or delete them first", uses[KindWorkbook], uses[KindSchedule])
	}
	var placed []string
	for i := range r.Placements {
		if p := &r.Placements[i]; !pr.detached[p] {
			at, _ := p.Recorded()
			placed = append(placed, PlacementRef(at))
		}
	}
	if len(placed) > 0 && !pr.m.Bundle.Detach {
		return "it is placed at " + strings.Join(placed[:min(len(placed), 3)], ", ") +
			": disconnect it there, or plan with --detach, and the cells stay"
	}
	return ""
}
