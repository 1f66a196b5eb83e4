package portable

import (
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
)

// Faults are those of the bundle that need the server, for one that has others too and cannot be planned. They are right as far as the
// names and addresses of its assets could be read.
func (p *Planning) Faults() []placements.Detail {
	m := maker{Planning: p}
	m.declare()
	return m.unknown()
}

// unknown are the faults of the bundle that need the server: assets that name a report or a placement that is neither in the bundle nor,
// for this caller, on the server, and schedules that are new and say not enough.
func (m *maker) unknown() (faults faultList) {
	m.misnamed(&faults)
	for i := range m.Bundle.Assets {
		a := &m.Bundle.Assets[i]
		at := fmt.Sprintf("/assets/%d/definition", i)
		for _, r := range references(a) {
			if !m.knows(r.publicID) && !m.drawn(a, r.publicID) {
				faults.add(at+r.pointer, placements.CodeNoReport,
					"names no report of the bundle, or of this deployment that this token may read: "+
						"add it to the bundle, or name another one")
			}
		}
		if d, ok := a.Definition.(*PlacementDeclaration); ok && m.twice(a, d) {
			faults.add(at+"/document", placements.CodeAssetTwice,
				"is another id of the spreadsheet in which the bundle places a report at that cell already: keep one of the two")
		}
		if d, ok := a.Definition.(*WorkbookDeclaration); ok {
			m.stray(&faults, at, a, d)
		}
		if d, ok := a.Definition.(*ScheduleDeclaration); ok {
			held, _ := m.schedule(a.Ref)
			faults.schedule(at, d, held == nil)
			if t := d.Target.OrZero(); m.knows(t.PublicID) && !m.stands(t) {
				faults.add(at+"/target/address", placements.CodeAddress,
					"is no placement of that report, in the bundle or on the server: place the report there first, or leave address out")
			}
		}
	}
	return faults
}

// misnamed refuses names in takeOver and adopt that are of no asset of the bundle: a slip would pass unseen.
func (m *maker) misnamed(faults *faultList) {
	names := make(map[string]bool, len(m.Bundle.Assets))
	for i := range m.Bundle.Assets {
		a := &m.Bundle.Assets[i]
		if a.Kind() == "" {
			return // it may be the one that is meant
		}
		names[a.Name()] = true
		if number := m.number(a); number != "" {
			names[number] = true
		}
	}
	for _, list := range []struct {
		pointer string
		names   []string
	}{{"/takeOver", m.Bundle.TakeOver}, {"/adopt", m.Bundle.Adopt}} {
		for i, name := range list.names {
			if !names[name] {
				faults.add(fmt.Sprintf("%s/%d", list.pointer, i), placements.CodeInvalid,
					fmt.Sprintf("%s is no asset of the bundle: name one that it has, or leave this out", name))
			}
		}
	}
}

// stray refuses charts that name a report by its id, but for those of reports that are gone, which stay as the server has them.
func (m *maker) stray(faults *faultList, at string, a *Asset, d *WorkbookDeclaration) {
	var gone []int64
	if held := m.workbook(a.Ref); held != nil {
		gone = slices.DeleteFunc(ChartReports(held.DashboardDraft), func(id int64) bool { return m.Held.PublicIDs[id] != "" })
	}
	draft, _ := record.Generic(d.Dashboard.OrZero())
	record.EachChart(draft, func(widget int, config record.Tree) {
		if config["reportId"] != nil && !slices.Contains(gone, record.ReportID(config)) {
			faults.add(fmt.Sprintf("%s/dashboard/widgets/%d/config/reportId", at, widget), placements.CodeInvalid,
				"names a report by its id, which only a chart that the server has of a report that is gone may: send reportPublicId, or take the chart out")
		}
	})
}

// schedule refuses a new schedule without what each needs.
func (f *faultList) schedule(at string, d *ScheduleDeclaration, created bool) {
	if d.Target.Value == nil && (created || d.Target.Sent) {
		f.add(at+"/target", placements.CodeInvalid, "is required: a schedule names its report")
	}
	if len(d.Cron.OrZero()) == 0 && (created || d.Cron.Sent) {
		f.add(at+"/cron", placements.CodeCron, "is required: say when the schedule fires")
	}
}

// knows reports whether the bundle has a report, or the server has it for this caller.
func (m *maker) knows(publicID string) bool {
	if m.declared[keyOf(KindReport, publicID)] != nil {
		return true
	}
	held := m.Held.Reports[publicID]
	return held != nil && m.Who.Level(&held.Definition) >= record.MayRead
}

// drawn reports whether the caller sees the report in the workbook's draft already: a draft can be sent back.
func (m *maker) drawn(a *Asset, publicID string) bool {
	held := m.workbook(a.Ref)
	if a.Kind() != KindWorkbook || held == nil {
		return false
	}
	for _, id := range ChartReports(held.DashboardDraft) {
		if m.Held.PublicIDs[id] == publicID {
			return true
		}
	}
	return false
}

// twice reports whether the bundle places a report there already, under another id of the document. What a link left apart is not one placement.
func (m *maker) twice(a *Asset, d *PlacementDeclaration) bool {
	first := m.places[m.Held.spot(d.Address())]
	from := m.Held.Reports[d.Report]
	if first == a || from == nil {
		return first != a
	}
	other := m.Held.find(from, first.Definition.(*PlacementDeclaration).Address())
	return other == nil || other == m.Held.find(from, d.Address())
}

// stands reports whether the placement that a target names is in the bundle or on the server; a target that names none needs none.
func (m *maker) stands(t ScheduleTarget) bool {
	place, one := t.place()
	if !one {
		return true
	}
	if a := m.places[m.Held.spot(place)]; a != nil && a.Definition.(*PlacementDeclaration).Report == t.PublicID {
		return true
	}
	held := m.Held.Reports[t.PublicID]
	if held == nil {
		return false
	}
	p := m.Held.find(held, place)
	return p != nil && p.ID != ""
}

// number is the name by its id of an asset that the server has for this caller; empty for one that it has not, and for kinds without one.
func (m *maker) number(a *Asset) string {
	switch a.Kind() {
	case KindReport:
		if held := m.Held.Reports[a.Ref]; held != nil && m.onReport(a.Ref) >= record.MayRead {
			return numbered(KindReport, held.ID)
		}
	case KindSchedule:
		if held, _ := m.schedule(a.Ref); held != nil {
			return numbered(KindSchedule, held.ID)
		}
	}
	return ""
}

// takenOver reports whether the bundle takes an asset over from another project.
func (m *maker) takenOver(a *Asset) bool {
	number := m.number(a)
	return slices.Contains(m.Bundle.TakeOver, a.Name()) || number != "" && slices.Contains(m.Bundle.TakeOver, number)
}
