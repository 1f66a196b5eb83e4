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

// Chart is a chart of a draft and the report that it names: by portable id, which wins, or by numeric id.
type Chart struct {
	PublicID string
	ReportID int64 // where PublicID is empty

	widget int
	config map[string]any
}

// Charts returns the charts of d. A chart that names no report, or not by a string or an integer, is a fault; pointers begin at the draft.
func (d Draft) Charts() (charts []Chart, faults []placements.Detail) {
	for i, w := range d.widgets() {
		if w["type"] != chartType {
			continue
		}
		config, _ := w["config"].(map[string]any)
		c := Chart{widget: i, config: config}
		if key, message := c.read(); message != "" {
			faults = append(faults, c.fault(placements.CodeInvalid, key, message))
			continue
		}
		charts = append(charts, c)
	}
	return charts, faults
}

// read takes the reference from the chart's config, or returns the key at fault and what is wrong with it.
func (c *Chart) read() (key, message string) {
	switch publicID, id := c.config["reportPublicId"], c.config["reportId"]; {
	case publicID != nil:
		c.PublicID, _ = publicID.(string)
		if !record.IsPublicID(c.PublicID) {
			return "reportPublicId", "must be the publicId of a report"
		}
	case id == nil:
		return "reportId", "is required: a chart names its report"
	default:
		var ok bool
		if c.ReportID, ok = whole(id); !ok {
			return "reportId", "must be an integer"
		}
	}
	return "", ""
}

// ReportIDs are the numeric ids in the configs of d's charts.
func (d Draft) ReportIDs() (ids []int64) {
	charts, _ := d.Charts()
	for _, c := range charts {
		if id, ok := whole(c.config["reportId"]); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// Resolve writes the numeric id of the report that the chart names into its config. byPublicID has the ids of the reports that charts name
// by publicId, readable those that may be shown. A chart of another report is a fault.
func (c Chart) Resolve(byPublicID map[string]int64, readable map[int64]bool) (faults []placements.Detail) {
	const unknown = "names no report of this deployment that this token may read: create that report first, or name another one"
	switch {
	case c.PublicID == "" && !readable[c.ReportID]:
		return []placements.Detail{c.fault(placements.CodeNoReport, "reportId", unknown)}
	case c.PublicID == "":
	case !readable[byPublicID[c.PublicID]]:
		return []placements.Detail{c.fault(placements.CodeNoReport, "reportPublicId", unknown)}
	default:
		c.config["reportId"] = json.Number(strconv.FormatInt(byPublicID[c.PublicID], 10))
	}
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
