package record

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// A chart names its report by reportId. By reportPublicId, which means the same in every deployment, it does so in bodies, where that is
// resolved, and in answers to who asks for it (decisions.md §5).
const fieldReportPublicID = "reportPublicId"

// ChartReports returns the ids of the reports that w's charts name, in the draft and in what is published.
func (w *Workbook) ChartReports() (ids []int64) {
	for _, dashboard := range []json.RawMessage{w.DashboardDraft, w.DashboardPublished} {
		value, _ := Generic(dashboard) // one that cannot be read names none
		EachChart(value, func(_ int, config Tree) {
			if id := ReportID(config); id != 0 {
				ids = append(ids, id)
			}
		})
	}
	return ids
}

// NameReports makes w's charts name by publicId too the reports that have one among publicIDs.
func (w *Workbook) NameReports(publicIDs map[int64]string) error {
	return w.eachChart(func(config Tree) {
		if publicID := publicIDs[ReportID(config)]; publicID != "" {
			config[fieldReportPublicID] = publicID
		}
	})
}

// DropPublicIDs makes w's charts name their reports by reportId alone, as they are stored. Earlier versions stored what was sent.
func (w *Workbook) DropPublicIDs() error {
	name := []byte(fieldReportPublicID)
	if !bytes.Contains(w.DashboardDraft, name) && !bytes.Contains(w.DashboardPublished, name) {
		return nil
	}
	return w.eachChart(dropPublicID)
}

// eachChart changes the configs of w's charts, in the draft and in what is published.
func (w *Workbook) eachChart(change func(config Tree)) (err error) {
	if len(w.DashboardPublished) > 0 {
		if w.DashboardPublished, err = withCharts(w.DashboardPublished, change); err != nil {
			return err
		}
	}
	if len(w.DashboardDraft) == 0 {
		return nil
	}
	draft, err := withCharts(w.DashboardDraft, change)
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

// SameDashboard reports whether two dashboards mean the same, whether or not their charts name by publicId too what they name by id.
func SameDashboard(a, b json.RawMessage) bool {
	if SameJSON(a, b) {
		return true
	}
	x, errX := withCharts(a, dropPublicID)
	y, errY := withCharts(b, dropPublicID)
	return errX == nil && errY == nil && SameJSON(x, y)
}

func dropPublicID(config Tree) {
	if ReportID(config) != 0 {
		delete(config, fieldReportPublicID)
	}
}

// withCharts is a dashboard with the configs of its charts changed.
func withCharts(dashboard json.RawMessage, change func(config Tree)) (json.RawMessage, error) {
	value, err := Generic(dashboard)
	if err != nil {
		return nil, err
	}
	EachChart(value, func(_ int, config Tree) {
		if config != nil {
			change(config)
		}
	})
	text, err := Encode(value)
	return json.RawMessage(text), err
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
