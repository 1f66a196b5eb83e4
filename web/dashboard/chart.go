package dashboard

import (
	"encoding/json"
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/storage/record"
)

// chartType is the widget type that names a report; the other types mean nothing to the service (decisions.md §5).
const chartType = "CHART"

// Chart is a chart of a draft and what names its report there.
type Chart struct {
	PublicID string // empty: not sent
	ReportID *int64 // nil: not sent

	widget int
	id     string // of the widget
	config map[string]any
}

// Reports are the reports that charts may name.
type Reports struct {
	ByPublicID map[string]int64 // ids of those that charts name by publicId
	Readable   map[int64]bool   // whether the caller may show one that a chart names; those that do not exist are missing
	Drawn      map[string]int64 // the reports of the stored draft's charts, by the id of the widget
}

// Charts returns the charts of d, whose widgets have ids. A chart that names no report, or not by a string or an integer, is a fault;
// pointers begin at the draft.
func (d Draft) Charts() (charts []Chart, faults []placements.Detail) {
	for i, w := range d.widgets() {
		if w["type"] != chartType {
			continue
		}
		c := Chart{widget: i}
		c.id, _ = w["id"].(string)
		c.config, _ = w["config"].(map[string]any)
		if key, message := c.read(); message != "" {
			faults = append(faults, c.fault(placements.CodeInvalid, key, message))
			continue
		}
		charts = append(charts, c)
	}
	return charts, faults
}

// read takes the names from the chart's config, or returns the key at fault and what is wrong with it.
func (c *Chart) read() (key, message string) {
	if publicID := c.config["reportPublicId"]; publicID != nil {
		c.PublicID, _ = publicID.(string)
		if !record.IsPublicID(c.PublicID) {
			return "reportPublicId", "must be the publicId of a report"
		}
	}
	if sent := c.config["reportId"]; sent != nil {
		id, ok := whole(sent)
		if !ok {
			return "reportId", "must be an integer"
		}
		c.ReportID = &id
	}
	if c.PublicID == "" && c.ReportID == nil {
		return "reportId", "is required: a chart names its report"
	}
	return "", ""
}

// Drawn are the reports that d's charts name by id, by the id of the widget.
func (d Draft) Drawn() map[string]int64 {
	drawn := map[string]int64{}
	charts, _ := d.Charts()
	for _, c := range charts {
		if c.ReportID != nil {
			drawn[c.id] = *c.ReportID
		}
	}
	return drawn
}

// Unclear reports whether it takes r.Drawn to say which report the chart means, or that it may be shown.
func (r *Reports) Unclear(c Chart) bool {
	id, agreed := r.named(c)
	return !agreed || !r.Readable[id]
}

// named returns the report that the chart names; agreed is false for one that names two, or is not known to name one.
func (r *Reports) named(c Chart) (id int64, agreed bool) {
	switch id = r.ByPublicID[c.PublicID]; {
	case c.ReportID == nil:
		return id, true
	case c.PublicID == "":
		return *c.ReportID, true
	}
	return *c.ReportID, *c.ReportID == id && r.Readable[id]
}

// Resolve makes the chart name its report by id alone. Of two names the id counts where it was changed: it is another one than the stored
// chart's. Else both must name the same report (decisions.md §5). A chart of a report that may not be shown is a fault.
func (c Chart) Resolve(r *Reports) (faults []placements.Detail) {
	id, agreed := r.named(c)
	if drawn, ok := r.Drawn[c.id]; !agreed && !(ok && drawn != id) {
		return []placements.Detail{c.fault(placements.CodeReportsDiffer, "reportId", fmt.Sprintf("is %d, and reportPublicId is %s, "+
			"which do not name the same report, or none that this token may read here: send only the one that you mean", id, c.PublicID))}
	}
	if !r.Readable[id] {
		key := "reportId"
		if c.ReportID == nil {
			key = "reportPublicId"
		}
		return []placements.Detail{c.fault(placements.CodeNoReport, key,
			"names no report of this deployment that this token may read: create that report first, or name another one")}
	}
	c.config["reportId"] = json.Number(strconv.FormatInt(id, 10))
	delete(c.config, "reportPublicId")
	return nil
}

// fault says what is wrong with a key of the chart's config.
func (c Chart) fault(code placements.Code, key, message string) placements.Detail {
	return placements.Detail{Pointer: fmt.Sprintf("/widgets/%d/config/%s", c.widget, key), Code: code, Message: message}
}

// whole reads an integer; 3.0 and 3e0 are none.
func whole(v any) (int64, bool) {
	number, ok := v.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	return n, ok && err == nil
}
