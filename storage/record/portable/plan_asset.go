package portable

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
)

// named is grants in which roles without a name have the one that others give them: a role is known by its id.
func named(grants, others []record.RoleAccess) []record.RoleAccess {
	grants = slices.Clone(grants)
	for i := range grants {
		for _, other := range others {
			if grants[i].Name == "" && other.ID == grants[i].ID {
				grants[i].Name = other.Name
			}
		}
	}
	return grants
}

// addReport plans a report.
func (m *maker) addReport(a *Asset, d *ReportDeclaration) (err error) {
	c := comparison{applied: m.Applied[a.Key()]}
	if c.said, err = treeOf(d); err != nil {
		return err
	}
	if refused := m.Held.Refused[a.Ref]; refused != nil {
		c.conflict = refused.Message
	}
	held := m.Held.Reports[a.Ref]
	before := record.NewDefinition(d.Source.OrZero(), m.Who, placements.Time(m.Now))
	if held == nil && m.Who.MayCreateReport() {
		c.level = record.MayManage
	}
	if held != nil {
		before, c.level = held.Definition, m.Who.Level(&held.Definition)
		c.managedBy, c.version, c.by, c.at = held.ManagedBy, held.Version, held.UpdatedBy.Label(), held.UpdatedAt
		before.RolesWithAccess = named(before.RolesWithAccess, d.Access.OrZero())
		if c.before, err = OfReport(&before); err != nil {
			return err
		}
		if d.Source.Sent && d.Source.OrZero() != before.Source {
			c.conflict = fmt.Sprintf("its source is %q and cannot be changed: say so, or leave it out", before.Source)
		}
	}
	after, err := m.afterwards(a, before)
	if err != nil {
		return err
	}
	if c.after, err = OfReport(&after); err != nil {
		return err
	}
	one := m.compare(a, c)
	m.demand(c.level, wanted(one.Action), needsReportEdit)
	if held != nil && touches(one.Changes, "/access") {
		m.demand(c.level, record.MayManage, needsManage)
	}
	if held != nil && after.CurrentChecksum != before.CurrentChecksum {
		one.Documents = Documents(held.Placements)
	}
	if held != nil && !held.Stored && one.Message == "" {
		one.Message = fmt.Sprintf("report #%d has no publicId of its own yet: it gets this one", held.ID)
	}
	if held != nil {
		one.tell(unfit(m, held, &before, &after))
	}
	if w, ok := m.write(one); ok {
		m.writes.Reports = append(m.writes.Reports, ReportWrite{w, held, after})
	}
	return nil
}

// afterwards is what a report of the bundle becomes once that is applied; before is what it is now, or what a new one begins as.
func (m *maker) afterwards(a *Asset, before record.Definition) (record.Definition, error) {
	d, _ := a.Definition.(*ReportDeclaration)
	said, err := treeOf(d)
	if err != nil {
		return before, err
	}
	held := m.Held.Reports[a.Ref]
	var by *record.ManagedBy
	if held != nil {
		by = held.ManagedBy
	}
	if d, err = meant(d, said, m.continued(m.Applied[a.Key()], held != nil, by)); err != nil {
		return before, err
	}
	return d.over(before)
}

// unfit says which placements, of whose parameters the bundle says nothing else, the plan leaves without a query, since the report no longer admits what they say of
// its parameters, or asks for what they do not say; empty for none.
func unfit(m *maker, held *HeldReport, before, after *record.Definition) string {
	n, first := 0, ""
	for i := range held.Placements {
		p := &held.Placements[i]
		why := p.Parameters.Unfit(after.Parameters)
		if why == "" || p.Parameters.Unfit(before.Parameters) != "" || setsParameters(declaration(m, held.PublicID, p), p) {
			continue
		}
		if n++; n == 1 {
			first = fmt.Sprintf("%s in %s: %s", p.ResultLocation, p.WorkbookID, why)
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "1 placement is not refreshed any more until its parameters are set: " + first
	}
	return fmt.Sprintf("%d placements are not refreshed any more until their parameters are set, the first at %s", n, first)
}

// tell adds a sentence to what is said of an asset; empty adds nothing.
func (a *PlannedAsset) tell(message string) {
	if message != "" {
		a.Message = strings.TrimPrefix(a.Message+"; "+message, "; ")
	}
}

// touches reports whether one of the changes is of that member.
func touches(changes []MemberChange, member string) bool {
	return slices.ContainsFunc(changes, func(c MemberChange) bool {
		return c.Pointer == member || strings.HasPrefix(c.Pointer, member+"/")
	})
}

// Documents are the spreadsheets of placements.
func Documents(list []placements.Placement) []string {
	ids := map[string]bool{}
	for i := range list {
		ids[list[i].WorkbookID] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

// addWorkbook plans a workbook.
func (m *maker) addWorkbook(a *Asset, d *WorkbookDeclaration) (err error) {
	c := comparison{applied: m.Applied[a.Key()], merged: "meta"}
	if c.said, err = treeOf(d); err != nil {
		return err
	}
	held := m.Held.Workbooks[a.Ref]
	before := record.Workbook{Meta: json.RawMessage("{}")}
	if held == nil && m.Who.MayCreateWorkbook() {
		c.level = record.MayManage
	}
	if held != nil {
		before, c.level = *held, m.Who.OnWorkbook(held.CreatedBy)
		c.managedBy, c.version, c.by, c.at = held.ManagedBy, held.Version, held.UpdatedBy.Label(), held.UpdatedAt
		if c.before, err = OfWorkbook(held, m.Held.PublicIDs); err != nil {
			return err
		}
	}
	if d, err = meant(d, c.said, m.continued(c.applied, held != nil, c.managedBy), m.undrawable(c.applied)...); err != nil {
		return err
	}
	after, err := d.over(before)
	if err != nil {
		return err
	}
	if c.after, err = OfWorkbook(&after, m.Held.PublicIDs); err != nil {
		return err
	}
	one := m.compare(a, c)
	m.demand(c.level, wanted(one.Action), needsWorkbookEdit)
	w, ok := m.write(one)
	if !ok {
		return nil
	}
	m.writes.Workbooks = append(m.writes.Workbooks, WorkbookWrite{w, held, after})
	if held != nil && d.Dashboard.Sent { // what its draft still uses is among the named
		m.gone[Use{Kind: KindWorkbook, ID: held.ID}] = true
	}
	return nil
}

// undrawable is the member dashboard, if what was applied of it shows a report that there is not, or not for the caller: it cannot be had
// again.
func (m *maker) undrawable(one *Applied) []string {
	if one == nil {
		return nil
	}
	for _, publicID := range drawnReports(one.Unsaid["dashboard"]) {
		if !m.knows(publicID) {
			return []string{"dashboard"}
		}
	}
	return nil
}

// addSchedule plans a schedule.
func (m *maker) addSchedule(a *Asset, d *ScheduleDeclaration) (err error) {
	held, c, hidden := m.scheduled(a)
	if hidden {
		m.conceal(a, d.Target.OrZero().PublicID, m.onReport(d.Target.OrZero().PublicID))
		return nil
	}
	if c.said, err = treeOf(d); err != nil {
		return err
	}
	var except []string
	var before record.ScheduleSpec
	var target ScheduleTarget
	if held != nil {
		before, target = held.ScheduleSpec, m.portable(held.Target)
		c.managedBy, c.version, c.by, c.at = held.ManagedBy, held.Version, held.UpdatedBy.Label(), held.UpdatedAt
		if c.before, err = OfSchedule(&before, target); err != nil {
			return err
		}
	}
	if d.Target.Sent {
		target = m.spelled(d.Target.OrZero())
	}
	c.report, c.level = target.PublicID, min(c.level, m.onReport(target.PublicID))
	if held != nil && held.PausedReason != "" && !d.Paused.Sent {
		except, c.serviced = []string{"paused"}, record.Tree{"paused": false}
	}
	if d, err = meant(d, c.said, m.continued(c.applied, held != nil, c.managedBy), except...); err != nil {
		return err
	}
	after := d.over(before, m.Timezone)
	if c.after, err = OfSchedule(&after, target); err != nil {
		return err
	}
	one := m.compare(a, c)
	m.demand(c.level, wanted(one.Action), needsAssetEdit)
	if w, ok := m.write(one); ok {
		m.writes.Schedules = append(m.writes.Schedules, ScheduleWrite{w, held, after, target})
	}
	if held != nil && d.Target.Sent && m.portable(held.Target).PublicID != target.PublicID {
		m.gone[Use{Kind: KindSchedule, ID: held.ID}] = true
	}
	return nil
}

// scheduled returns the schedule that a declaration means, nil for none, and what is known of it: what the project applied of it, as far as
// the caller may read that, and the caller's level. hidden: the caller may not read the schedule, or of one that is gone what was applied.
func (m *maker) scheduled(a *Asset) (held *record.Schedule, c comparison, hidden bool) {
	one := m.Applied[a.Key()]
	held, c.level = m.schedule(a.Ref)
	if held == nil && m.Held.Schedules[a.Ref] != nil {
		return nil, c, true
	}
	if held == nil {
		c.level = record.MayManage
	}
	if one == nil {
		return held, c, false
	}
	c.applied = m.Held.readable(m.Who, one)
	if held == nil {
		c.level = m.onReport(one.Report())
	}
	return held, c, c.level < record.MayRead
}

// spelled is a target with its address as the placement there spells it: names of sheets in other cases are the same.
func (m *maker) spelled(t ScheduleTarget) ScheduleTarget {
	place, one := t.place()
	if a := m.places[m.Held.spot(place)]; one && a != nil {
		place = a.Definition.(*PlacementDeclaration).Address()
	} else if held := m.Held.Reports[t.PublicID]; one && held != nil {
		if p := m.Held.find(held, place); p != nil {
			place, _ = p.Address()
		}
	}
	if held := m.Held.Reports[t.PublicID]; one && held != nil {
		if p := m.Held.find(held, place); p != nil {
			t.Document = p.WorkbookID // as the stored target is shown
		}
	}
	if one {
		t.Address = localAddress(place)
	}
	return t
}

// portable is a stored target in portable names.
func (m *maker) portable(t record.RunTarget) ScheduleTarget {
	publicID := m.Held.PublicIDs[t.ReportID]
	var list []placements.Placement
	if held := m.Held.Reports[publicID]; held != nil {
		list = held.Placements
	}
	return TargetOf(t, publicID, list)
}
