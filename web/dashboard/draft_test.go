package dashboard

import (
	"encoding/json"
	"testing"
)

func TestDraftCompletion(t *testing.T) {
	for name, tt := range map[string]struct{ draft, want string }{
		"kind is CLASSIC without an app": {`{"kind":"APP"}`, `{"kind":"CLASSIC"}`},
		"kind is APP with one":           {`{"app":{}}`, `{"app":{},"kind":"APP"}`},
		"a null member is left out":      {`{"app":null,"title":null}`, `{"kind":"CLASSIC"}`},
		"a null member of a widget too": {
			`{"widgets":[{"id":"a","type":null,"position":null,"responsiveLayouts":{"lg":{"x":0,"w":null},"sm":null},"style":null}]}`,
			`{"kind":"CLASSIC","widgets":[{"id":"a","responsiveLayouts":{"lg":{"x":0}}}]}`,
		},
		"and of a theme, a layout and an app": {
			`{"app":{"entry":null,"manifest":{"version":null}},"layout":{"cols":{"lg":null},"margin":null},"theme":{"controls":{"title":{"color":null}}}}`,
			`{"app":{"manifest":{}},"kind":"APP","layout":{"cols":{}},"theme":{"controls":{"title":{}}}}`,
		},
		"one of what is anybody's stays": {
			`{"settings":{"a":null},"widgets":[{"id":"a","config":{"a":null},"style":{"a":null}}]}`,
			`{"kind":"CLASSIC","settings":{"a":null},"widgets":[{"config":{"a":null},"id":"a","style":{"a":null}}]}`,
		},
		"a missing id follows from the position":  {`{"widgets":[{},{"id":""},{"id":"x"}]}`, `{"kind":"CLASSIC","widgets":[{"id":"widget-1"},{"id":"widget-2"},{"id":"x"}]}`},
		"a made id never collides":                {`{"widgets":[{},{"id":"widget-1"}]}`, `{"kind":"CLASSIC","widgets":[{"id":"widget-1-2"},{"id":"widget-1"}]}`},
		"a widget that names a report is a chart": {`{"widgets":[{"id":"a","config":{"reportId":1}}]}`, `{"kind":"CLASSIC","widgets":[{"config":{"reportId":1},"id":"a","type":"CHART"}]}`},
		"… by publicId too":                       {`{"widgets":[{"id":"a","config":{"reportPublicId":"x"}}]}`, `{"kind":"CLASSIC","widgets":[{"config":{"reportPublicId":"x"},"id":"a","type":"CHART"}]}`},
		"a type that was sent stays":              {`{"widgets":[{"id":"a","type":"AI","config":{"reportId":1}}]}`, `{"kind":"CLASSIC","widgets":[{"config":{"reportId":1},"id":"a","type":"AI"}]}`},
		"completing again changes nothing":        {`{"kind":"CLASSIC","widgets":[{"id":"widget-1"}]}`, `{"kind":"CLASSIC","widgets":[{"id":"widget-1"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse([]byte(tt.draft))
			if err != nil {
				t.Fatal(err)
			}
			d.Complete()
			if got, err := json.Marshal(d); string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}
