package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"mooring/placements"
)

// Draft is the JSON object of a draft. Its values may have any type: what is not as the contract has it is left alone. Numbers are
// json.Number.
type Draft map[string]any

// Parse reads a JSON object.
func Parse(text []byte) (d Draft, err error) {
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	err = from.Decode(&d)
	return d, err
}

// Read returns a draft completed, and what is wrong with it whatever reports there are; its pointers begin at the draft.
func Read(text []byte) (Draft, []placements.Detail, error) {
	d, err := Parse(text)
	if err != nil {
		return nil, nil, err
	}
	wrong := d.RepeatedIDs()
	d.Complete()
	return d, wrong, nil
}

// RepeatedIDs are the faults of widgets with the id of another one; their pointers begin at the draft.
func (d Draft) RepeatedIDs() (faults []placements.Detail) {
	first := map[string]int{}
	for i, w := range d.widgets() {
		id, _ := w["id"].(string)
		if id == "" {
			continue
		}
		if at, twice := first[id]; twice {
			message := fmt.Sprintf("is the id of widget %d too: give each its own, or none", at)
			pointer := fmt.Sprintf("/widgets/%d/id", i)
			faults = append(faults, placements.Detail{Pointer: pointer, Code: placements.CodeWidgetTwice, Message: message})
			continue
		}
		first[id] = i
	}
	return faults
}

// widgets are the draft's widgets; one that is no object is nil.
func (d Draft) widgets() []map[string]any {
	elements, _ := d["widgets"].([]any)
	widgets := make([]map[string]any, len(elements))
	for i, e := range elements {
		widgets[i], _ = e.(map[string]any)
	}
	return widgets
}

// Complete fills in what the server says: the kind, the ids that are missing, the type of a widget that names a report.
// Ids follow from the position, so that the same draft sent again is the same draft.
func (d Draft) Complete() {
	d.omitNulls()
	d["kind"] = "CLASSIC"
	if d["app"] != nil {
		d["kind"] = "APP"
	}
	used := map[string]bool{}
	widgets := d.widgets()
	for _, w := range widgets {
		id, _ := w["id"].(string)
		used[id] = true
	}
	for i, w := range widgets {
		if w == nil {
			continue
		}
		if id, _ := w["id"].(string); id == "" {
			w["id"] = freeID(used, i+1)
		}
		if w["type"] == nil && namesReport(w) {
			w["type"] = chartType
		}
	}
}

// omitNulls leaves out the members that are null, which means that they are not said: of the draft, of its widgets and of what is described
// in them. What is left alone is whatever a settings, a config, a style or a file of an app has.
func (d Draft) omitNulls() {
	omitNulls(d)
	for _, name := range []string{"theme", "layout"} {
		omitNestedNulls(d[name])
	}
	if app, is := d["app"].(map[string]any); is {
		omitNulls(app)
		manifest, _ := app["manifest"].(map[string]any)
		omitNulls(manifest)
	}
	for _, w := range d.widgets() {
		omitNulls(w)
		for _, name := range []string{"position", "responsiveLayouts"} {
			omitNestedNulls(w[name])
		}
	}
}

// omitNulls leaves out the members of an object that are null.
func omitNulls(object map[string]any) {
	maps.DeleteFunc(object, func(_ string, v any) bool { return v == nil })
}

// omitNestedNulls is omitNulls for a value that may be an object, and for the objects in it.
func omitNestedNulls(value any) {
	object, _ := value.(map[string]any)
	omitNulls(object)
	for _, v := range object {
		omitNestedNulls(v)
	}
}

// freeID is the first of widget-n, widget-n-2, widget-n-3 … that is not used, and marks it used.
func freeID(used map[string]bool, n int) string {
	id := fmt.Sprintf("widget-%d", n)
	for i := 2; used[id]; i++ {
		id = fmt.Sprintf("widget-%d-%d", n, i)
	}
	used[id] = true
	return id
}

func namesReport(widget map[string]any) bool {
	config, _ := widget["config"].(map[string]any)
	return config["reportId"] != nil || config["reportPublicId"] != nil
}
