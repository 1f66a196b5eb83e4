package record

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// A chart names its report by reportId, which every stored one has. An answer shows the reportPublicId as well, so that what was read can
// be written to another deployment (decisions.md §5).

// UnnamedReports returns the ids of the reports that w's charts name by reportId alone.
func (w *Workbook) UnnamedReports() (ids []int64) {
	for _, dashboard := range []json.RawMessage{w.DashboardDraft, w.DashboardPublished} {
		value, _ := Generic(dashboard) // one that cannot be read names none
		EachChart(value, func(_ int, config Tree) {
			if id := ReportID(config); id != 0 && config["reportPublicId"] == nil {
				ids = append(ids, id)
			}
		})
	}
	return ids
}

// NameReports makes w's charts name by publicId too the reports that have one among publicIDs.
func (w *Workbook) NameReports(publicIDs map[int64]string) (err error) {
	if len(w.DashboardPublished) > 0 {
		if w.DashboardPublished, err = named(w.DashboardPublished, publicIDs); err != nil {
			return err
		}
	}
	if len(w.DashboardDraft) == 0 {
		return nil
	}
	draft, err := named(w.DashboardDraft, publicIDs)
	if err != nil {
		return err
	}
	members, _, err := object(w.Meta)
	if err != nil {
		return err
	}
	members[FieldDraft] = draft
	meta, err := Encode(members)
	if err != nil {
		return err
	}
	return w.SetMeta(json.RawMessage(meta))
}

func named(dashboard json.RawMessage, publicIDs map[int64]string) (json.RawMessage, error) {
	value, err := Generic(dashboard)
	if err != nil {
		return nil, err
	}
	EachChart(value, func(_ int, config Tree) {
		if publicID := publicIDs[ReportID(config)]; publicID != "" && config["reportPublicId"] == nil {
			config["reportPublicId"] = publicID
		}
	})
	text, err := Encode(value)
	return json.RawMessage(text), err
}

// SameMeta reports whether two metas of a workbook mean the same. Whether a chart that has a reportId names its report by publicId too
// makes no difference: that is how a stored one is read.
func SameMeta(a, b json.RawMessage) bool {
	if SameJSON(a, b) {
		return true
	}
	x, errX := byID(a)
	y, errY := byID(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// byID is a meta whose charts name their reports by reportId alone, where they have one.
func byID(meta json.RawMessage) (any, error) {
	value, err := Generic(meta)
	members, _ := value.(Tree)
	EachChart(members[FieldDraft], func(_ int, config Tree) {
		if ReportID(config) != 0 {
			delete(config, "reportPublicId")
		}
	})
	return value, err
}

// EachChart calls each for the charts of a dashboard, with their configs.
func EachChart(dashboard any, each func(widget int, config Tree)) {
	d, _ := dashboard.(Tree)
	widgets, _ := d["widgets"].([]any)
	for i, w := range widgets {
		if widget, _ := w.(Tree); widget["type"] == chartType {
			config, _ := widget["config"].(Tree)
			each(i, config)
		}
	}
}

// ReportID is the id of the report that a chart names, 0 for none.
func ReportID(config Tree) int64 {
	number, _ := config["reportId"].(json.Number)
	id, _ := strconv.ParseInt(string(number), 10, 64)
	return id
}

// chartType is the type of the widgets that show a report; the other types mean nothing to the service (decisions.md §5).
const chartType = "CHART"
