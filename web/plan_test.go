package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage/record/portable"
)

// bundleOf is a bundle of the project with those assets.
func bundleOf(project string, assets ...string) string {
	return `{"project":"` + project + `","assets":[` + strings.Join(assets, ",") + `]}`
}

func planOf(name, as, body string, status int, holds string) step {
	return step{name: name, method: "POST", path: "/plans", as: as, body: body, status: status, holds: holds}
}

const (
	bundleReport    = `{"kind":"report","ref":"Bundle000001","definition":{"name":"Revenue","sqlQuery":"SELECT name FROM cities"}}`
	bundleWorkbook  = `{"kind":"workbook","ref":"board","definition":{"name":"Board","dashboard":{"widgets":[{"type":"CHART","config":{"reportPublicId":"Bundle000001"}}]}}}`
	bundlePlacement = `{"kind":"placement","ref":"book/Data!B2","definition":{"report":"Bundle000001","document":"book","sheet":"Data","anchor":"B2","onEdit":"stop"}}`
	bundleSchedule  = `{"kind":"schedule","ref":"daily","definition":{"cron":"@daily","target":{"publicId":"Bundle000001","document":"book","address":"Data!B2"}}}`
)

func TestPlanAndApply(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		whole := bundleOf("finance", bundleReport, bundleWorkbook, bundlePlacement, bundleSchedule)
		plan := planOf("a bundle", "admin", whole, 200, `{"project":"finance","deployment":1,"summary":{"create":4},"assets":[{"kind":"report","action":"create"},{},{},{"nextFires":{}}]}`)
		plan.keep = map[string]string{"plan": "id"}
		a.run(t, []step{
			plan,
			{name: "has written nothing", method: "GET", path: "/reports/by-public-id/Bundle000001", as: "admin", status: 404},
			{name: "is read again", method: "GET", path: "/plans/{{plan}}", as: "admin", status: 200, holds: `{"id":"{{plan}}","summary":{"create":4}}`},
			{name: "not by who may read nothing of it", method: "GET", path: "/plans/{{plan}}", as: "stranger", status: 404, holds: `{"code":"plan_expired"}`},
			{name: "nor applied", method: "POST", path: "/plans/{{plan}}/apply", as: "stranger", status: 404, holds: `{"code":"plan_expired"}`},
			{name: "another deployment has no such plan", method: "GET", path: "/api/v1/deployments/2/plans/{{plan}}", as: "admin", status: 404, holds: `{"code":"plan_expired"}`},
			{name: "it is applied", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200, holds: `{"id":"{{plan}}","assets":[{"action":"create","version":1},{},{},{}]}`, keep: map[string]string{"applied": "appliedAt"}},
			{name: "once", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200, holds: `{"appliedAt":"{{applied}}"}`},
			{name: "which its reading tells", method: "GET", path: "/plans/{{plan}}", as: "admin", status: 200, holds: `{"appliedAt":"{{applied}}"}`},

			{name: "the report says who manages it", method: "GET", path: "/reports/by-public-id/Bundle000001", as: "admin", status: 200, holds: `{"version":1,"managedBy":{"project":"finance","appliedAt":"{{applied}}","revision":1},"externalWorkbookPlacements":[{"onEdit":"stop","managedBy":{"project":"finance"}}]}`, keep: map[string]string{"id": "id"}},
			{name: "so does a list", method: "GET", path: "/reports?publicId=Bundle000001", as: "admin", status: 200, holds: `{"items":[{"managedBy":{"project":"finance"}}]}`},
			{name: "and a workbook", method: "GET", path: "/workbooks/by-slug/board?include=reportPublicId", as: "admin", status: 200, holds: `{"managedBy":{"project":"finance"},"dashboardDraft":{"widgets":[{"config":{"reportId":{{id}},"reportPublicId":"Bundle000001"}}]}}`},
			{name: "and a schedule", method: "GET", path: "/refresh-schedules/by-key/daily", as: "admin", status: 200, holds: `{"key":"daily","managedBy":{"project":"finance"},"target":{"reportId":{{id}},"publicId":"Bundle000001","document":"book","address":"Data!B2"}}`},

			planOf("the same again changes nothing", "admin", whole, 200, `{"summary":{"create":0,"unchanged":4}}`),
			{name: "an edit by hand", method: "PUT", path: "/reports/{{id}}", as: "manager", body: `{"name":"Mine"}`, status: 200, holds: `{"managedBy":{"project":"finance"}}`},
			planOf("is drift", "admin", whole, 200, `{"summary":{"update":1,"unchanged":3},"assets":[{"action":"update","changes":[{"pointer":"/name","before":"Mine","after":"Revenue"}],"drift":{"pointers":["/name"]}},{},{},{}]}`),
			planOf("another project is told whose it is", "admin", bundleOf("sales", bundleReport), 200, `{"summary":{"conflict":1},"assets":[{"action":"conflict","managedBy":{"project":"finance"}}]}`),
			planOf("who may not create is told so", "viewer", bundleOf("v", strings.ReplaceAll(bundleReport, "Bundle000001", "Viewer000001")), 403, `{"code":"forbidden","details":[{"pointer":"/assets/0"}]}`),
		})
	})
}

func TestAStalePlanIsNotApplied(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		first := planOf("a bundle", "admin", bundleOf("finance", bundleReport), 200, `{}`)
		first.keep = map[string]string{"plan": "id"}
		conflict := planOf("a conflict", "admin", bundleOf("sales", bundleReport), 200, `{"summary":{"conflict":1}}`)
		conflict.keep = map[string]string{"conflict": "id"}
		a.run(t, []step{
			first,
			{name: "the report comes in between", method: "PUT", path: "/reports/by-public-id/Bundle000001", as: "admin", body: `{"name":"X"}`, status: 200},
			{name: "so the plan is stale", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 409, holds: `{"code":"plan_stale","retryable":false,"details":[{"pointer":"/assets/0","code":"plan_stale"}]}`},
			{name: "and nothing was applied", method: "GET", path: "/reports/by-public-id/Bundle000001", as: "admin", status: 200, holds: `{"name":"X"}`},
		})
		again := planOf("a new plan", "admin", bundleOf("finance", bundleReport), 200, `{"summary":{"update":1}}`)
		again.keep = map[string]string{"plan": "id"}
		a.run(t, []step{
			again,
			{name: "is applied", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200, holds: `{"summary":{"update":1}}`},
			conflict,
			{name: "cannot be applied", method: "POST", path: "/plans/{{conflict}}/apply", as: "admin", status: 409, holds: `{"code":"plan_has_conflicts"}`},
			{name: "there is no such plan", method: "POST", path: "/plans/none/apply", as: "admin", status: 404, holds: `{"code":"plan_expired"}`},
		})
	})
}

// All faults of a bundle are told at once, each where it is.
func TestFaultsOfABundle(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		asset := func(kind, ref, definition string) string {
			return fmt.Sprintf(`{"kind":%q,"ref":%q,"definition":%s}`, kind, ref, definition)
		}
		for fact, tt := range map[string]struct {
			body   string
			strict bool
			want   []string // pointer and code
		}{
			"nothing": {body: `{}`, want: []string{"/assets invalid_request", "/project invalid_request"}},
			"assets of no kind": {body: bundleOf("p", `{}`, `{"kind":"dashboard","ref":"x","definition":{}}`, `7`), want: []string{
				"/assets/0/definition invalid_request", "/assets/0/kind invalid_request", "/assets/0/ref invalid_request", "/assets/1/kind invalid_request", "/assets/2 invalid_request",
			}},
			"wrong types": {body: bundleOf("p", asset("report", "Faults000001", `{"name":7,"pivotItems":{"rows":[]},"access":[{"id":"x"}]}`)), want: []string{
				"/assets/0/definition/access/0/actions invalid_request", "/assets/0/definition/access/0/id invalid_request", "/assets/0/definition/name invalid_request",
				"/assets/0/definition/pivotItems/columns invalid_request", "/assets/0/definition/pivotItems/filters invalid_request", "/assets/0/definition/pivotItems/measures invalid_request",
			}},
			"of every kind": {body: bundleOf("Not A Project",
				asset("report", "short", `{}`),
				asset("workbook", "Board", `{"dashboard":{"widgets":[{"id":"a","position":{"w":0}},{"id":"a","type":"CHART","config":{"reportId":7}}]}}`),
				asset("placement", "x", `{"report":"Faults000001","document":"d","sheet":"S"}`),
				asset("schedule", "No Key", `{"cron":"often","timezone":"Nowhere/Land","catchUp":"never","target":{"publicId":"Faults000001","address":"A1"}}`)), want: []string{
				"/assets/0/ref invalid_public_id", "/assets/1/definition/dashboard/widgets/0/position/w invalid_request", "/assets/1/definition/dashboard/widgets/1/config/reportId invalid_request",
				"/assets/1/definition/dashboard/widgets/1/id duplicate_widget_id", "/assets/1/ref invalid_slug", "/assets/2/definition/anchor invalid_request",
				"/assets/3/definition/catchUp invalid_request", "/assets/3/definition/cron invalid_cron", "/assets/3/definition/target/address invalid_address",
				"/assets/3/definition/timezone invalid_timezone", "/assets/3/ref invalid_request", "/project invalid_request",
			}},
			"two of one name": {body: bundleOf("p", bundleReport, bundleReport), want: []string{"/assets/1/ref duplicate_asset"}},
			"a report that is nowhere": {body: bundleOf("p", bundleWorkbook, bundleSchedule), want: []string{
				"/assets/0/definition/dashboard/widgets/0/config/reportPublicId unknown_report", "/assets/1/definition/target/publicId unknown_report",
			}},
			"of what was sent and of what is nowhere": {body: bundleOf("p", asset("report", "Faults000001", `{"name":7}`),
				asset("workbook", "board", `{"dashboard":{"widgets":[{"position":{"w":0}},{"type":"CHART","config":{"reportPublicId":"Nowhere00001"}}]}}`),
				asset("placement", "d/S!A1", `{"report":"Nowhere00002","document":"d","sheet":"S","anchor":"A1"}`),
				asset("schedule", "daily", `{"timezone":"Nowhere/Land","target":{"publicId":"Faults000001","document":"d","address":"S!A2"}}`)), want: []string{
				"/assets/0/definition/name invalid_request", "/assets/1/definition/dashboard/widgets/0/position/w invalid_request",
				"/assets/1/definition/dashboard/widgets/1/config/reportPublicId unknown_report", "/assets/2/definition/report unknown_report",
				"/assets/3/definition/cron invalid_cron", "/assets/3/definition/target/address invalid_address", "/assets/3/definition/timezone invalid_timezone",
			}},
			"what is named may be what could not be read": {body: bundleOf("p", `{"kind":"dashboard","ref":"Faults000001","definition":{}}`, bundleWorkbook, bundleSchedule), want: []string{
				"/assets/0/kind invalid_request",
			}},
			"a limit that is none":        {body: `{"project":"p","assets":[],"prune":{"limit":"ten"}}`, want: []string{"/prune/limit invalid_request"}},
			"a key that nothing has":      {body: `{"project":"p","assets":[],"asets":1}`, strict: true, want: []string{"/asets unknown_key"}},
			"a key of another kind":       {body: bundleOf("p", asset("report", "Faults000001", `{"cron":"@daily","nmae":1}`)), strict: true, want: []string{"/assets/0/definition/cron unknown_key", "/assets/0/definition/nmae unknown_key"}},
			"an address that is not so":   {body: bundleOf("p", bundleReport, strings.Replace(bundlePlacement, "book/Data!B2", "book/Data!B3", 1)), want: []string{"/assets/1/ref invalid_address"}},
			"a status cell that is none":  {body: bundleOf("p", bundleReport, strings.Replace(bundlePlacement, `"onEdit"`, `"statusCell":"Data!B1","onEdit"`, 1)), want: []string{"/assets/1/definition/statusCell invalid_address"}},
			"columns that are none":       {body: bundleOf("p", bundleReport, strings.Replace(bundlePlacement, `"onEdit"`, `"fillRight":"F1","onEdit"`, 1)), want: []string{"/assets/1/definition/fillRight invalid_address"}},
			"a placement that is nowhere": {body: bundleOf("p", bundleReport, bundleSchedule), want: []string{"/assets/1/definition/target/address invalid_address"}},
		} {
			t.Run(fact, func(t *testing.T) {
				s := step{method: "POST", path: "/plans", as: "admin", body: tt.body}
				if tt.strict {
					s.header = map[string]string{"Prefer": "handling=strict"}
				}
				var got []string
				for _, d := range a.refusal(t, s) {
					got = append(got, d.Pointer+" "+string(d.Code))
				}
				slices.Sort(got)
				if fmt.Sprint(got) != fmt.Sprint(tt.want) {
					t.Errorf("got  %q\nwant %q", got, tt.want)
				}
			})
		}
	})
}

// refusal are the details of a refused request.
func (a *api) refusal(t *testing.T, s step) []placements.Detail {
	t.Helper()
	w := a.send(s)
	var body struct{ Details []placements.Detail }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusBadRequest {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	return body.Details
}

func TestBundlesAreBounded(t *testing.T) {
	a := onEmbedded(t)
	report := func(i int) string {
		return fmt.Sprintf(`{"kind":"report","ref":"Bounded%05d","definition":{}}`, i)
	}
	var many []string
	for i := range portable.MaxBundleAssets + 1 {
		many = append(many, report(i))
	}
	large := bundleOf("p", `{"kind":"report","ref":"Bounded00001","definition":{"description":"`+strings.Repeat("x", portable.MaxBundleBytes)+`"}}`)
	for fact, body := range map[string]string{
		"too many assets": bundleOf("p", many...), "empty ones": bundleOf("p", strings.Repeat("{},", 100_000)+"{}"),
		"too many bytes": large, "more than any body has": bundleOf("p", strings.Repeat(" ", 17<<20)),
	} {
		w := a.send(step{method: "POST", path: "/plans", as: "admin", body: body})
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), string(placements.CodePlanTooLarge)) {
			t.Errorf("%s: %d %.300s", fact, w.Code, w.Body)
		}
	}
}

func TestManaged(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		plan := planOf("a bundle", "admin", bundleOf("finance", bundleReport, bundleWorkbook, bundlePlacement, bundleSchedule), 200, `{}`)
		plan.keep = map[string]string{"plan": "id"}
		a.run(t, []step{
			plan,
			{name: "applied", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200},
			{name: "a report of nobody", method: "PUT", path: "/reports/by-public-id/Nobodys00001", as: "admin", body: `{"name":"Free"}`, status: 200, keep: map[string]string{"free": "id"}},
			{name: "a project is needed", method: "GET", path: "/managed", as: "admin", status: 400, holds: `{"code":"invalid_parameter"}`},
			{
				name: "what it manages", method: "GET", path: "/managed?project=finance", as: "admin", status: 200,
				holds: `{"items":[{"kind":"report","ref":"Bundle000001","version":1,"managedBy":{"project":"finance"},"definition":{"name":"Revenue","title":""},"applied":{"name":"Revenue"},"unsaid":{"title":"","folderId":null}},
					{"kind":"workbook","ref":"board"},{"kind":"placement","ref":"book/Data!B2"},{"kind":"schedule","ref":"daily","definition":{"target":{"publicId":"Bundle000001","address":"Data!B2"}}}],"pageInfo":{"hasNextPage":false}}`,
			},
			{name: "by pages", method: "GET", path: "/managed?project=finance&first=3", as: "admin", status: 200, holds: `{"items":[{},{},{}],"pageInfo":{"hasNextPage":true}}`},
			{name: "a cursor of none", method: "GET", path: "/managed?project=finance&after=!", as: "admin", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "others have nothing", method: "GET", path: "/managed?project=sales", as: "admin", status: 200, holds: `{"items":[]}`},
			{name: "but may adopt", method: "GET", path: "/managed?project=sales&adopt=all", as: "admin", status: 200, holds: `{"items":[{"ref":"Nobodys00001"}]}`},
			{name: "by id", method: "GET", path: "/managed?project=sales&adopt=report:%23{{free}}", as: "admin", status: 200, holds: `{"items":[{"id":{{free}}}]}`},
			{name: "by name", method: "GET", path: "/managed?project=sales&adopt=report:Nobodys00001", as: "admin", status: 200, holds: `{"items":[{"id":{{free}}}]}`},
			{name: "what it has already", method: "GET", path: "/managed?project=finance&adopt=report:Bundle000001&first=1", as: "admin", status: 200, holds: `{"items":[{"ref":"Bundle000001"}]}`},
			{
				name: "not what there is not, or is another's", method: "GET", as: "admin", status: 400,
				path:  "/managed?project=sales&adopt=workbook:none&adopt=report:Nobodys00001&adopt=report:Bundle000001",
				holds: `{"code":"invalid_parameter","message":"adopt names workbook:none, report:Bundle000001, and this deployment has no such asset that this token may read and that no other project manages: name another one."}`,
			},
			{name: "who may read none is shown none", method: "GET", path: "/managed?project=finance&adopt=all", as: "stranger", status: 200, holds: `{"items":[]}`},
			{name: "its workbook", method: "GET", path: "/workbooks/by-slug/board?include=reportPublicId", as: "admin", status: 200, keep: map[string]string{"book": "id"}},
			{name: "is deleted by hand", method: "DELETE", path: "/workbooks/{{book}}", as: "admin", status: 200},
			{name: "which is told", method: "GET", path: "/managed?project=finance", as: "admin", status: 200, holds: `{"items":[{},{"ref":"board","deleted":{"by":"user 9"}},{},{}]}`},
		})
		var refs []string
		for path := "/managed?project=finance&first=3"; path != ""; {
			page := a.object(t, step{method: "GET", path: path, as: "admin"})
			for _, item := range page["items"].([]any) {
				refs = append(refs, item.(map[string]any)["ref"].(string))
			}
			info := page["pageInfo"].(map[string]any)
			if path = ""; info["hasNextPage"] == true {
				path = "/managed?project=finance&first=3&after=" + info["endCursor"].(string)
			}
		}
		if want := "[Bundle000001 board book/Data!B2 daily]"; fmt.Sprint(refs) != want {
			t.Errorf("pages have %s, want %s", refs, want)
		}
	})
}
