package portable

import (
	"encoding/json"
	"maps"
	"strconv"

	"mooring/placements"
	"mooring/storage/record"
)

// A definition is portable when every name in it means the same in another deployment: a publicId instead of a report's id, an address
// instead of a placement's. Definitions are compared, shown and kept in this form.

// OfReport is what a project can manage of a report.
func OfReport(d *record.Definition) (map[string]any, error) {
	managed := record.Managed(record.ReportMembers, d)
	managed["pivotItems"] = d.PivotItems.Plain()
	if d.RowKey == nil {
		managed["rowKey"] = []string{}
	}
	return treeOf(managed)
}

// OfWorkbook is what a project can manage of a workbook. publicIDs are the shown ids of the reports that its charts name; a chart of one that
// is not among them keeps its reportId.
func OfWorkbook(w *record.Workbook, publicIDs map[int64]string) (map[string]any, error) {
	t, err := treeOf(record.Managed(record.WorkbookMembers, w))
	if err != nil {
		return nil, err
	}
	meta, _ := t["meta"].(record.Tree)
	t["dashboard"] = meta[record.FieldDraft]
	delete(meta, record.FieldDraft)
	record.EachChart(t["dashboard"], func(_ int, config record.Tree) {
		id := record.ReportID(config)
		switch publicID := publicIDs[id]; {
		case publicID != "":
			config["reportPublicId"] = publicID
			delete(config, "reportId")
		case id != 0: // the report is gone, and its publicId may be another's by now
			delete(config, "reportPublicId")
		}
	})
	return t, nil
}

// ChartReports returns the ids of the reports that the charts of a stored dashboard name. One that cannot be read names none.
func ChartReports(dashboard json.RawMessage) (ids []int64) {
	value, _ := record.Generic(dashboard)
	record.EachChart(value, func(_ int, config record.Tree) {
		if id := record.ReportID(config); id != 0 {
			ids = append(ids, id)
		}
	})
	return ids
}

// ChartPublicIDs returns the publicIds of the reports that the charts of a dashboard name.
func ChartPublicIDs(dashboard json.RawMessage) (publicIDs []string) {
	value, _ := record.Generic(dashboard)
	return drawnReports(value)
}

// drawnReports are ChartPublicIDs of a dashboard that is read.
func drawnReports(dashboard any) (publicIDs []string) {
	record.EachChart(dashboard, func(_ int, config record.Tree) {
		if publicID, ok := config["reportPublicId"].(string); ok {
			publicIDs = append(publicIDs, publicID)
		}
	})
	return publicIDs
}

// WithReportIDs is a dashboard whose charts name reports by publicId as it is stored: they name them by id instead.
func WithReportIDs(dashboard json.RawMessage, ids map[string]int64) (json.RawMessage, error) {
	value, err := record.Generic(dashboard)
	if err != nil {
		return nil, err
	}
	record.EachChart(value, func(_ int, config record.Tree) {
		publicID, _ := config["reportPublicId"].(string)
		if id, ok := ids[publicID]; ok && config != nil {
			config["reportId"] = json.Number(strconv.FormatInt(id, 10))
			delete(config, "reportPublicId")
		}
	})
	text, err := record.Encode(value)
	return json.RawMessage(text), err
}

// OfPlacement is what a project can manage of a placement of the report with that publicId.
func OfPlacement(p *placements.Placement, publicID string) (map[string]any, error) {
	managed := record.Managed(record.PlacementMembers, p)
	maps.DeleteFunc(managed, func(_ string, v any) bool { return v == "" || v == placements.Host("") })
	at, _ := p.Recorded()
	managed["report"], managed["document"], managed["sheet"], managed["anchor"] = publicID, at.Document, at.Sheet, at.Anchor.String()
	return treeOf(managed)
}

// OfSchedule is what a project can manage of a schedule with that target.
func OfSchedule(s *record.ScheduleSpec, target ScheduleTarget) (map[string]any, error) {
	managed := record.Managed(record.ScheduleMembers, &record.Schedule{ScheduleSpec: *s})
	managed["target"] = target
	return treeOf(managed)
}

// place is the address of the one placement that the target names; ok is false when it names none in particular.
func (t ScheduleTarget) place() (a placements.Address, ok bool) {
	l, err := placements.ParseLocation(t.Address)
	return placements.Address{Document: t.Document, Sheet: l.Sheet, Anchor: l.Anchor}, t.Address != "" && err == nil
}

// TargetOf is a target in portable names; list are the placements of its report, which has that publicId.
func TargetOf(t record.RunTarget, publicID string, list []placements.Placement) ScheduleTarget {
	target := ScheduleTarget{PublicID: publicID, Document: t.ExternalWorkbookID}
	for i := range list {
		if t.PlacementID == "" || !list[i].Is(t.PlacementID) {
			continue
		}
		if at, ok := list[i].Recorded(); ok {
			target.Document, target.Address = at.Document, localAddress(at)
		}
	}
	return target
}

// Local is the target in the names of a deployment, where its report has that id and those placements, and its document is known by home. ok
// is false when none of them stands at the target's address.
func (t ScheduleTarget) Local(report int64, list []placements.Placement, home string) (target record.RunTarget, ok bool) {
	target.ReportID = report
	at, one := t.place()
	if !one {
		target.ExternalWorkbookID = t.Document
		return target, t.Address == ""
	}
	if p := standing(list, at, home); p != nil && p.ID != "" {
		target.PlacementID = p.ID
		return target, true
	}
	return target, false
}

// standing returns the placement of a report that stands at an address, under whichever id that names the document; home is the one by which
// the document is known, if that is known. Of two that a link left apart it is the one that was recorded under that id.
func standing(list []placements.Placement, at placements.Address, home string) (found *placements.Placement) {
	for i := range list {
		p := &list[i]
		is, stands := p.Address()
		if !stands || is.Spot() != at.Spot() {
			continue
		}
		if is.Document == at.Document || p.WorkbookID == at.Document {
			return p
		}
		if !p.Apart && (p.In(at.Document) || p.Home() == home) {
			found = p
		}
	}
	return found
}
