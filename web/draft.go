package web

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/web/bind"
)

// The bounds of a dashboard draft that no contract names: far above what a person draws, far below what hurts.
const (
	maxWidgets  = 2_000
	maxWidgetID = 128
	maxText     = 1 << 20 // characters of a text without a limit of its own
)

// chart is the widget type that names a report; the other types mean nothing to the service (decisions.md §5).
const chart = "CHART"

// draftMembers names what a dashboard has as a request carries it (interface.md, Dashboard). kind is the server's to say.
func draftMembers(o *bind.Object) {
	o.Texts(maxText, "title", "description")
	o.Ignored("kind")
	o.Object("settings", (*bind.Object).Open)
	o.Object("theme", themeMembers)
	o.Object("layout", layoutMembers)
	bind.Objects(o, "widgets", nil, maxWidgets, func(o *bind.Object, _ *struct{}) { widgetMembers(o) })
	o.Object("app", appMembers)
}

func widgetMembers(o *bind.Object) {
	o.Texts(maxWidgetID, "id", "type")
	o.Object("position", boxMembers)
	o.Object("responsiveLayouts", perSize(func(o *bind.Object, size string) { o.Object(size, boxMembers) }))
	o.Object("config", (*bind.Object).Open)
	o.Object("style", (*bind.Object).Open)
}

// boxMembers names where a widget stands in the grid of columns and rows.
func boxMembers(o *bind.Object) {
	bind.Whole[int](o, "x", nil, 0)
	bind.Whole[int](o, "y", nil, 0)
	bind.Whole[int](o, "w", nil, 1)
	bind.Whole[int](o, "h", nil, 1)
}

func layoutMembers(o *bind.Object) {
	number := perSize(func(o *bind.Object, size string) { bind.Whole[int](o, size, nil, bind.AnyNumber) })
	o.Object("breakpoints", number)
	o.Object("cols", number)
	o.Wholes("containerPadding", 2, 2)
	o.Wholes("margin", 2, 2)
	bind.Whole[int](o, "rowHeight", nil, bind.AnyNumber)
}

func themeMembers(o *bind.Object) {
	o.Texts(maxText, "backgroundColor", "fontFamily", "primaryColor", "themeId")
	o.Object("dashboard", func(o *bind.Object) { o.Texts(maxText, "backgroundColor", "padding") })
	o.Object("controls", func(o *bind.Object) {
		o.Texts(maxText, "backgroundColor", "padding")
		borderAndTitle(o)
	})
	o.Object("widgets", func(o *bind.Object) {
		o.Texts(maxText, "backgroundColor", "margin", "padding")
		borderAndTitle(o)
		o.Object("text", func(o *bind.Object) { o.Texts(maxText, "codeFontFamily", "color", "fontFamily", "secondaryColor") })
	})
}

func borderAndTitle(o *bind.Object) {
	o.Object("border", func(o *bind.Object) { o.Texts(maxText, "color", "radius", "style", "width") })
	o.Object("title", func(o *bind.Object) { o.Texts(maxText, "color", "fontFamily", "fontSize", "fontWeight") })
}

func appMembers(o *bind.Object) {
	o.Texts(maxText, "entry")
	o.Texts(bind.AnyLength, "html")
	o.Object("files", (*bind.Object).Open)
	o.Object("manifest", func(o *bind.Object) {
		bind.Whole[int](o, "version", nil, bind.AnyNumber)
		o.Object("dependencies", (*bind.Object).Open)
	})
}

// perSize names an object with one member for each width of screen.
func perSize(member func(o *bind.Object, size string)) func(*bind.Object) {
	return func(o *bind.Object) {
		for _, size := range []string{"lg", "md", "sm", "xs", "xxs"} {
			member(o, size)
		}
	}
}

// draft is the JSON object of a dashboard draft. Its values have the types of draftMembers unless that found a fault; numbers are
// json.Number.
type draft map[string]any

// parseDraft reads a JSON object.
func parseDraft(text []byte) (d draft, err error) {
	from := json.NewDecoder(bytes.NewReader(text))
	from.UseNumber()
	err = from.Decode(&d)
	return d, err
}

// completeDraft returns a draft, which stands at that pointer of the body, with what the server says and its charts resolved. What is wrong
// with it joins f.
func (s *Server) completeDraft(c *gin.Context, text []byte, at string, f *bind.Faults) (json.RawMessage, error) {
	d, err := parseDraft(text)
	if err != nil {
		return nil, err
	}
	wrong := d.repeatedIDs()
	d.complete()
	if err := s.resolveCharts(c, d, &wrong); err != nil {
		return nil, err
	}
	for _, one := range wrong {
		f.Join(placements.Detail{Pointer: at + one.Pointer, Code: one.Code, Message: one.Message})
	}
	return encode(d)
}

// setMember returns a JSON object with that value of a member.
func setMember(object json.RawMessage, name string, value json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	members[name] = value
	return encode(members)
}

// repeatedIDs are the faults of widgets with the id of another one.
func (d draft) repeatedIDs() (faults bind.Faults) {
	first := map[string]int{}
	for i, w := range d.widgets() {
		id, _ := w["id"].(string)
		if id == "" {
			continue
		}
		if at, twice := first[id]; twice {
			message := fmt.Sprintf("is the id of widget %d too: give each its own, or none", at)
			faults.Add(placements.Detail{Pointer: fmt.Sprintf("/widgets/%d/id", i), Code: placements.CodeWidgetTwice, Message: message})
			continue
		}
		first[id] = i
	}
	return faults
}

// widgets are the draft's widgets; one that is no object is nil.
func (d draft) widgets() []map[string]any {
	elements, _ := d["widgets"].([]any)
	widgets := make([]map[string]any, len(elements))
	for i, e := range elements {
		widgets[i], _ = e.(map[string]any)
	}
	return widgets
}

// complete fills in what the server says: the kind, the ids that are missing, the type of a widget that names a report.
// Ids follow from the position, so that the same draft sent again is the same draft.
func (d draft) complete() {
	for name, v := range d {
		if v == nil {
			delete(d, name)
		}
	}
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
			w["type"] = chart
		}
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
