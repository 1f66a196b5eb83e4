package record

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestNameReports(t *testing.T) {
	const (
		both  = `{"config":{"reportId":7,"reportPublicId":"Sales0000001"},"type":"CHART"}`
		byID  = `{"config":{"reportId":7},"type":"CHART"}`
		other = `{"config":{"reportId":9},"type":"CHART"}`
		text  = `{"config":{"reportId":7},"type":"TEXT"}`
	)
	dashboard := func(widgets string) json.RawMessage {
		return json.RawMessage(`{"kind":"CLASSIC","widgets":[` + widgets + `]}`)
	}
	meta := func(draft json.RawMessage) json.RawMessage {
		return json.RawMessage(`{"a":1.50,"dashboardDraft":` + string(draft) + `}`)
	}
	for name, tt := range map[string]struct {
		widgets, want string
		named         []int64
	}{
		"a report with a publicId":  {byID, both, []int64{7, 7}},
		"one without":               {other, other, []int64{9, 9}},
		"a widget that is no chart": {text, text, nil},
		"a chart without a config":  {`{"type":"CHART"}`, `{"type":"CHART"}`, nil},
		"no widget":                 {"", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := Workbook{DashboardPublished: dashboard(tt.widgets)}
			if err := w.SetMeta(meta(dashboard(tt.widgets))); err != nil {
				t.Fatal(err)
			}
			if got := w.ChartReports(); !slices.Equal(got, tt.named) {
				t.Errorf("reports %v, want %v", got, tt.named)
			}
			holds := func(widgets string) {
				want := dashboard(widgets)
				if string(w.DashboardDraft) != string(want) || string(w.DashboardPublished) != string(want) || string(w.Meta) != string(meta(want)) {
					t.Errorf("got draft %s, published %s, meta %s", w.DashboardDraft, w.DashboardPublished, w.Meta)
				}
			}
			if err := w.NameReports(map[int64]string{7: "Sales0000001"}); err != nil {
				t.Fatal(err)
			}
			holds(tt.want)
			if !SameDashboard(w.DashboardDraft, dashboard(tt.widgets)) {
				t.Error("the names by publicId count as a difference")
			}
			if err := w.DropPublicIDs(); err != nil {
				t.Fatal(err)
			}
			holds(tt.widgets)
		})
	}
	var none Workbook
	if err := none.NameReports(nil); err != nil || none.Meta != nil {
		t.Errorf("a workbook without dashboards: %v, %s", err, none.Meta)
	}
}

func TestSameDashboard(t *testing.T) {
	chart := func(config string) json.RawMessage {
		return json.RawMessage(`{"widgets":[{"type":"CHART","config":` + config + `}]}`)
	}
	for name, tt := range map[string]struct {
		a, b json.RawMessage
		want bool
	}{
		"named by both ids or one":    {chart(`{"reportId":7,"reportPublicId":"a"}`), chart(`{"reportId":7}`), true},
		"another report":              {chart(`{"reportId":7}`), chart(`{"reportId":8}`), false},
		"another publicId without id": {chart(`{"reportPublicId":"a"}`), chart(`{"reportPublicId":"b"}`), false},
		"another member":              {json.RawMessage(`{"a":1}`), json.RawMessage(`{"a":2}`), false},
		"another order":               {json.RawMessage(`{"a":1,"b":2}`), json.RawMessage(`{"b":2,"a":1}`), true},
		"none":                        {chart(`{}`), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := SameDashboard(tt.a, tt.b); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
