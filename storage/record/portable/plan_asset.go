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

// The sentences that refuse an action are the same for an asset that the caller may not see and one that is not there.
const (
	needsReportEdit   = "creating, changing or reading it needs rights on the report that this token does not have"
	needsManage       = "deleting it, or changing who has access, needs ReportManage on the report"
	needsProtect      = "protecting it, or no longer, needs edit access to its report"
	needsWorkbookEdit = "creating, changing, deleting or reading it needs rights on the workbook that this token does not have"
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
	held, level := m.Held.Reports[a.Ref], m.Who.OnReport(0, nil)
	before := record.NewDefinition(d.Source.OrZero(), m.Who, placements.Time(m.Now))
	if held == nil && !m.Who.MayCreateReport() {
		level = record.MayNothing
	}
	if held != nil {
		before, level = held.Definition, m.Who.Level(&held.Definition)
		c.managedBy, c.version, c.by, c.at = held.ManagedBy, held.Version, held.UpdatedBy.Label(), held.UpdatedAt
		before.RolesWithAccess = named(before.RolesWithAccess, d.Access.OrZero())
		if c.before, err = OfReport(&before); err != nil {
			return err
		}
		if d.Source.Sent && d.Source.OrZero() != before.Source {
			c.conflict = fmt.Sprintf("its source is %q and cannot be changed: say so, or leave it out", before.Source)
		}
	}
	if d, err = meant(d, c.said, m.continued(c.applied, held != nil, c.managedBy)); err != nil {
		return err
	}
	after, err := d.over(before)
	if err != nil {
		return err
	}
	if c.after, err = OfReport(&after); err != nil {
		return err
	}
	one := m.compare(a, c)
	m.demand(level, wanted(one.Action), needsReportEdit)
	if held != nil && touches(one.Changes, "/access") {
		m.demand(level, record.MayManage, needsManage)
	}
	if held != nil && after.CurrentChecksum != before.CurrentChecksum {
		one.Documents = documents(held.Placements)
	}
	if held != nil && !held.Stored && one.Message == "" {
		one.Message = fmt.Sprintf("report #%d has no publicId of its own yet: it gets this one", held.ID)
	}
	if w, ok := m.write(one); ok {
		m.writes.Reports = append(m.writes.Reports, ReportWrite{w, held, after})
	}
	return nil
}

// touches reports whether one of the changes is of that member.
func touches(changes []Difference, member string) bool {
	return slices.ContainsFunc(changes, func(c Difference) bool {
		return c.Pointer == member || strings.HasPrefix(c.Pointer, member+"/")
	})
}

// documents are the spreadsheets of placements.
func documents(list []placements.Placement) []string {
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
	held, level := m.Held.Workbooks[a.Ref], m.Who.OnWorkbook(0)
	before := record.Workbook{Meta: json.RawMessage("{}")}
	if held == nil && !m.Who.MayCreateWorkbook() {
		level = record.MayNothing
	}
	if held != nil {
		before, level = *held, m.Who.OnWorkbook(held.CreatedBy)
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
	m.demand(level, wanted(one.Action), needsWorkbookEdit)
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
	c := comparison{applied: m.Applied[a.Key()]}
	if c.said, err = treeOf(d); err != nil {
		return err
	}
	held := m.Held.Schedules[a.Ref]
	var except []string
	var before record.ScheduleSpec
	var target Target
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
	c.report = target.PublicID
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
	switch level := m.onReport(target.PublicID); {
	case !m.mayAim(target):
		m.demand(level, wanted(one.Action),
			"scheduling placements of others needs edit access to the report: name a placement of your own, or ask for it")
	case held != nil && touches(one.Changes, protectPointer):
		m.demand(level, record.MayEdit, needsProtect)
	}
	if w, ok := m.write(one); ok {
		m.writes.Schedules = append(m.writes.Schedules, ScheduleWrite{w, held, after, target})
	}
	if held != nil && d.Target.Sent && m.portable(held.Target).PublicID != target.PublicID {
		m.gone[Use{Kind: KindSchedule, ID: held.ID}] = true
	}
	return nil
}

// spelled is a target with its address as the placement there spells it: names of sheets in other cases are the same.
func (m *maker) spelled(t Target) Target {
	place, one := t.place()
	if a := m.declared[PlacementKey(place)]; one && a != nil {
		place = a.Definition.(*PlacementDeclaration).Address()
	} else if held := m.Held.Reports[t.PublicID]; one && held != nil {
		if p := held.find(place); p != nil {
			place, _ = p.Address()
		}
	}
	if one {
		t.Address = localAddress(place)
	}
	return t
}

// portable is a stored target in portable names.
func (m *maker) portable(t record.RunTarget) Target {
	publicID := m.Held.PublicIDs[t.ReportID]
	var list []placements.Placement
	if held := m.Held.Reports[publicID]; held != nil {
		list = held.Placements
	}
	return TargetOf(t, publicID, list)
}

// onReport is the caller's level on a report that the bundle or the server has.
func (m *maker) onReport(publicID string) record.Level {
	if held := m.Held.Reports[publicID]; held != nil {
		return m.Who.Level(&held.Definition)
	}
	return record.MayManage // the caller creates it
}

// mayAim reports whether the caller may have a target refreshed although they may not edit its report: it names only placements of theirs.
func (m *maker) mayAim(t Target) bool {
	held := m.Held.Reports[t.PublicID]
	if held == nil || m.onReport(t.PublicID) < record.MayRead {
		return false
	}
	local, ok := t.Local(held.ID, held.Placements)
	return ok && !local.NamesOthers(held.Placements, m.Who.ID)
}
