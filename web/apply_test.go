package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// definitions is a dashboard as code: what a pipeline keeps in source control. The reports' own numeric ids are those of the
// deployment where they were authored.
type definitions struct {
	reports  []map[string]any
	workbook map[string]any
}

// target is where definitions are applied. A publicId is unique in a tenant, so each deployment of one has its own.
type target struct {
	as         string
	deployment int
	publicIDs  []string
}

// TestTheApplyFlow is "Apply flow for dashboards as code" of interface.md, against two deployments of one tenant and one of another, run
// twice: the second time changes nothing.
func TestTheApplyFlow(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		defs := a.author(t)
		targets := []target{
			{"editor", 1, []string{"AppliedOne01", "AppliedOne02"}},
			{"editor", 2, []string{"AppliedTwo01", "AppliedTwo02"}},
			{"foreign", 1, []string{"AppliedOne01", "AppliedOne02"}},
		}
		for _, to := range targets {
			first := a.apply(t, defs, to)
			for i := range 2 {
				again := a.apply(t, defs, to)
				if diff := cmp.Diff(first, again); diff != "" {
					t.Errorf("deployment %d of %s: application %d changed (-first +again):\n%s", to.deployment, to.as, i+2, diff)
				}
			}
			w := a.send(step{method: "GET", path: fmt.Sprintf("/api/v1/deployments/%d/reports?search=Sales", to.deployment), as: to.as})
			var p struct{ Items []any }
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || len(p.Items) != len(defs.reports)+a.authored(to) {
				t.Errorf("deployment %d of %s has %d reports: %v", to.deployment, to.as, len(p.Items), err)
			}
		}
	})
}

// author makes two reports and a workbook interactively and reads them back (step 1).
func (a *api) author(t *testing.T) definitions {
	t.Helper()
	a.run(t, []step{
		{
			name: "author a report", method: "POST", path: "/reports", status: 200, keep: map[string]string{"a1": "id"},
			body: `{"publicId":"Authored0001","name":"Sales by month","sqlQuery":"SELECT month, sum(total) FROM sales GROUP BY month","meta":{"chart":"line"}}`,
		},
		{
			name: "author another", method: "POST", path: "/reports", status: 200, keep: map[string]string{"a2": "id"},
			body: `{"publicId":"Authored0002","name":"Sales by region","jsonQuery":"{\"measures\":[\"total\"]}","pivotItems":{"columns":[],"filters":[],"measures":["total"],"rows":["region"]}}`,
		},
		{
			name: "author their dashboard", method: "POST", path: "/workbooks", status: 200, keep: map[string]string{"awb": "id"},
			body: `{"name":"Sales","meta":{"owner":"ann","dashboardDraft":{"title":"Sales","layout":{"cols":{"lg":12},"rowHeight":30},"widgets":[
				{"type":"CHART","position":{"x":0,"y":0,"w":6,"h":4},"config":{"reportId":{{a1}}}},
				{"type":"CHART","position":{"x":6,"y":0,"w":6,"h":4},"config":{"reportId":{{a2}}}},
				{"type":"TEXT","position":{"x":0,"y":4,"w":12,"h":1},"config":{"text":"All figures in EUR"}}]}}}`,
		},
	})
	return definitions{
		reports:  []map[string]any{a.get(t, "/reports/{{a1}}", "editor"), a.get(t, "/reports/{{a2}}", "editor")},
		workbook: a.get(t, "/workbooks/{{awb}}", "editor"),
	}
}

// authored is how many reports a target's deployment has beside the applied ones.
func (a *api) authored(to target) int {
	if to.as == "editor" && to.deployment == 1 {
		return 2
	}
	return 0
}

// apply does steps 2 to 5 and gives what the deployment then shows.
func (a *api) apply(t *testing.T, defs definitions, to target) map[string]any {
	t.Helper()
	at := fmt.Sprintf("/api/v1/deployments/%d", to.deployment)
	shown := map[string]any{}
	ids := map[any]any{} // numeric id where it was authored -> here
	for i, def := range defs.reports {
		r := a.put(t, at+"/reports/by-public-id/"+to.publicIDs[i], to.as, with(def, "publicId", to.publicIDs[i]))
		ids[def["id"]] = r["id"]
		shown[to.publicIDs[i]] = r
	}
	wb := a.put(t, at+"/workbooks/by-slug/sales-"+fmt.Sprint(to.deployment), to.as, map[string]any{
		"name": defs.workbook["name"], "meta": rewritten(t, defs.workbook["meta"], ids),
	})
	path := fmt.Sprintf("%s/workbooks/%.0f", at, wb["id"])
	if w := a.send(step{method: "POST", path: path + "/publish", as: to.as}); w.Code != http.StatusOK {
		t.Fatalf("publish: %d %s", w.Code, w.Body)
	}
	published := a.get(t, path, to.as)
	if diff := cmp.Diff(published["dashboardDraft"], published["dashboardPublished"]); diff != "" {
		t.Errorf("published is not the draft (-draft +published):\n%s", diff)
	}
	shown["workbook"] = published
	return shown
}

// rewritten is meta with the chart references of its draft changed to the ids of another deployment (step 3).
func rewritten(t *testing.T, meta any, ids map[any]any) any {
	t.Helper()
	text, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	var copied map[string]any
	if err := json.Unmarshal(text, &copied); err != nil {
		t.Fatal(err)
	}
	for _, w := range copied["dashboardDraft"].(map[string]any)["widgets"].([]any) {
		config := w.(map[string]any)["config"].(map[string]any)
		if id, is := config["reportId"]; is {
			config["reportId"] = ids[id]
		}
	}
	return copied
}

// with is a copy of an object with one key changed.
func with(object map[string]any, key string, value any) map[string]any {
	copied := map[string]any{key: value}
	for name, v := range object {
		if name != key {
			copied[name] = v
		}
	}
	return copied
}

func (a *api) get(t *testing.T, path, as string) map[string]any {
	t.Helper()
	return a.object(t, step{method: "GET", path: path, as: as})
}

func (a *api) put(t *testing.T, path, as string, body any) map[string]any {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return a.object(t, step{method: "PUT", path: path, as: as, body: string(text)})
}

// object sends a request that must succeed and gives the object that it is answered with.
func (a *api) object(t *testing.T, s step) (o map[string]any) {
	t.Helper()
	w := a.send(s)
	if err := json.Unmarshal(w.Body.Bytes(), &o); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s %s: %d %s", s.method, s.path, w.Code, w.Body)
	}
	return o
}
