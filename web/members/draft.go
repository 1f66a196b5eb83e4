package members

import (
	"mooring/web/bind"
)

// The bounds of a dashboard draft that no contract names: far above what a person draws, far below what hurts.
const (
	maxWidgets  = 2_000
	maxWidgetID = 128
	MaxText     = 1 << 20 // characters of a text without a limit of its own
)

// Draft names what a dashboard has as a request carries it (interface.md, Dashboard). kind is the server's to say.
func Draft(o *bind.Object) {
	o.Texts(MaxText, "title", "description")
	o.Ignored("kind")
	o.Object("settings", (*bind.Object).Open)
	o.Object("theme", theme)
	o.Object("layout", layout)
	bind.Objects(o, "widgets", nil, maxWidgets, func(o *bind.Object, _ *struct{}) { widget(o) })
	o.Object("app", app)
}

func widget(o *bind.Object) {
	o.Texts(maxWidgetID, "id", "type")
	o.Object("position", box)
	o.Object("responsiveLayouts", perSize(func(o *bind.Object, size string) { o.Object(size, box) }))
	o.Object("config", (*bind.Object).Open)
	o.Object("style", (*bind.Object).Open)
}

// box names where a widget stands in the grid of columns and rows.
func box(o *bind.Object) {
	bind.Whole[int](o, "x", nil, 0)
	bind.Whole[int](o, "y", nil, 0)
	bind.Whole[int](o, "w", nil, 1)
	bind.Whole[int](o, "h", nil, 1)
}

func layout(o *bind.Object) {
	number := perSize(func(o *bind.Object, size string) { bind.Whole[int](o, size, nil, bind.AnyNumber) })
	o.Object("breakpoints", number)
	o.Object("cols", number)
	o.Wholes("containerPadding", 2, 2)
	o.Wholes("margin", 2, 2)
	bind.Whole[int](o, "rowHeight", nil, bind.AnyNumber)
}

func theme(o *bind.Object) {
	o.Texts(MaxText, "backgroundColor", "fontFamily", "primaryColor", "themeId")
	o.Object("dashboard", func(o *bind.Object) { o.Texts(MaxText, "backgroundColor", "padding") })
	o.Object("controls", func(o *bind.Object) {
		o.Texts(MaxText, "backgroundColor", "padding")
		borderAndTitle(o)
	})
	o.Object("widgets", func(o *bind.Object) {
		o.Texts(MaxText, "backgroundColor", "margin", "padding")
		borderAndTitle(o)
		o.Object("text", func(o *bind.Object) { o.Texts(MaxText, "codeFontFamily", "color", "fontFamily", "secondaryColor") })
	})
}

func borderAndTitle(o *bind.Object) {
	o.Object("border", func(o *bind.Object) { o.Texts(MaxText, "color", "radius", "style", "width") })
	o.Object("title", func(o *bind.Object) { o.Texts(MaxText, "color", "fontFamily", "fontSize", "fontWeight") })
}

func app(o *bind.Object) {
	o.Texts(MaxText, "entry")
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
