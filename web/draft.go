package web

import (
	"fmt"
	"math"
	"strconv"
)

// The bounds of a dashboard draft that no contract names: far above what a person draws, far below what hurts.
const (
	maxWidgets  = 2_000
	maxWidgetID = 128
	maxText     = 1 << 20 // characters of a text without a limit of its own
)

// chart is the widget type that names a report; the other types mean nothing to the service (decisions.md §5).
const chart = "CHART"

var (
	anyInteger = integer(math.MinInt64)

	// box is where a widget stands in the grid of columns and rows.
	box = object(
		member{name: "x", shape: integer(0)},
		member{name: "y", shape: integer(0)},
		member{name: "w", shape: integer(1)},
		member{name: "h", shape: integer(1)},
	)

	layoutShape = object(
		member{name: "breakpoints", shape: perSize(anyInteger)},
		member{name: "cols", shape: perSize(anyInteger)},
		member{name: "containerPadding", shape: sized(anyInteger, 2, 2)},
		member{name: "margin", shape: sized(anyInteger, 2, 2)},
		member{name: "rowHeight", shape: anyInteger},
	)

	widgetShape = object(
		member{name: "id", shape: text(maxWidgetID)},
		member{name: "type", shape: text(maxWidgetID)},
		member{name: "position", shape: box},
		member{name: "responsiveLayouts", shape: perSize(box)},
		member{name: "config", shape: openObject()},
		member{name: "style", shape: openObject()},
	)

	themeShape = object(append(texts("backgroundColor", "fontFamily", "primaryColor", "themeId"),
		member{name: "dashboard", shape: object(texts("backgroundColor", "padding")...)},
		member{name: "controls", shape: object(append(texts("backgroundColor", "padding"), borderAndTitle...)...)},
		member{name: "widgets", shape: object(append(append(texts("backgroundColor", "margin", "padding"), borderAndTitle...),
			member{name: "text", shape: object(texts("codeFontFamily", "color", "fontFamily", "secondaryColor")...)})...)},
	)...)

	borderAndTitle = []member{
		{name: "border", shape: object(texts("color", "radius", "style", "width")...)},
		{name: "title", shape: object(texts("color", "fontFamily", "fontSize", "fontWeight")...)},
	}

	appShape = object(
		member{name: "entry", shape: text(maxText)},
		member{name: "html", shape: text(math.MaxInt)},
		member{name: "files", shape: openObject()},
		member{name: "manifest", shape: object(
			member{name: "version", shape: anyInteger},
			member{name: "dependencies", shape: openObject()},
		)},
	)

	// draftShape is a dashboard as a request carries it (interface.md, Dashboard). kind is the server's to say.
	draftShape = object(
		member{name: "title", shape: text(maxText)},
		member{name: "description", shape: text(maxText)},
		member{name: "kind"},
		member{name: "settings", shape: openObject()},
		member{name: "theme", shape: themeShape},
		member{name: "layout", shape: layoutShape},
		member{name: "widgets", shape: list(widgetShape, maxWidgets)},
		member{name: "app", shape: appShape},
	)
)

// perSize takes an object with one value of that shape for each width of screen.
func perSize(of shape) shape {
	var members []member
	for _, size := range []string{"lg", "md", "sm", "xs", "xxs"} {
		members = append(members, member{name: size, shape: of})
	}
	return object(members...)
}

// texts are members that are strings.
func texts(names ...string) []member {
	members := make([]member, len(names))
	for i, name := range names {
		members[i] = member{name: name, shape: text(maxText)}
	}
	return members
}

// draft is a dashboard draft that has passed its shape.
type draft map[string]any

// dashboardDraft takes a draft: its shape, and what that cannot say: widget ids differ.
func dashboardDraft(k *check, v any) {
	draftShape(k, v)
	object, _ := v.(map[string]any)
	first := map[string]int{}
	for i, w := range draft(object).widgets() {
		id, _ := w["id"].(string)
		if id == "" {
			continue
		}
		if at, twice := first[id]; twice {
			k.at([]string{"widgets", strconv.Itoa(i), "id"}, codeWidgetTwice, "is the id of widget %d too: give each its own, or none", at)
			continue
		}
		first[id] = i
	}
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
