package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mooring/storage/record"
	"mooring/web/auth"
)

// hiddenAssets are one of each kind that the callers of these tests may not read, and a report that role 7 may edit.
var hiddenAssets = []step{
	{name: "a hidden report", method: "PUT", path: "/reports/by-public-id/Hidden000001", body: `{"name":"secret","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"hidden": "id"}},
	{name: "placed", method: "PUT", path: "/reports/{{hidden}}/connect-workbook", body: `{"externalWorkbookId":"hidden book","resultLocation":"S!B2","placementId":"hidden-p"}`, status: 200},
	{name: "with a run", method: "POST", path: "/reports/{{hidden}}/refreshes", status: 202, keep: map[string]string{"run": "runId"}},
	{name: "with a schedule", method: "POST", path: "/refresh-schedules", body: `{"key":"hidden","target":{"reportId":{{hidden}}},"cron":"@daily"}`, status: 200, keep: map[string]string{"schedule": "id"}},
	{name: "a hidden workbook", method: "PUT", path: "/workbooks/by-slug/hidden", body: `{"name":"secret","meta":{"dashboardDraft":{}}}`, status: 200, keep: map[string]string{"workbook": "id"}},
	{name: "a report", method: "POST", path: "/reports", body: `{"name":"own","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"own": "id"}},
	{name: "which role 7 may edit", method: "PUT", path: "/reports/{{own}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportEdit"]}]}`, status: 200},
	{name: "placed by them", method: "PUT", path: "/reports/{{own}}/connect-workbook", as: "role7", body: `{"externalWorkbookId":"own book","resultLocation":"S!B2","placementId":"own-p"}`, status: 200},
}

// pathIDs are the ids that a path may have: unknown ones, and hidden ones.
var pathIDs = map[string][]string{
	":reportId": {"999", "{{hidden}}"}, ":workbookId": {"999", "{{workbook}}"}, ":scheduleId": {"999", "{{schedule}}"}, ":runId": {"nothing", "{{run}}"},
	":placementId": {"nothing", "hidden-p"}, ":slug": {"nothing", "hidden"}, ":key": {"nothing", "hidden"}, ":planId": {"nothing", "{{plan}}"}, ":publicId": {"Nothing00001", "Hidden000001"}, ":externalWorkbookId": {"nothing", "hidden book"},
	":version": {"98", "99"}, ":userCode": {"BCDF-GHJK", "{{usedCode}}"}, ":deviceId": {"nothing", "{{device}}"}, ":keyId": {"nothing", "{{key}}"},
}

// idBodies are bodies that come far: what needs no id would be accepted.
var idBodies = map[string]string{
	"PUT " + atReport:                       `{"name":"X","publicId":"Chosen000001","expectedVersion":7}`,
	"PUT " + atReport + "/access":           `{"rolesWithAccess":[],"expectedVersion":7}`,
	"PUT " + atReport + "/connect-workbook": `{"externalWorkbookId":"hidden book","resultLocation":"S!B2","placementId":"hidden-p"}`,
	"PUT " + atReport + "/refresh":          `{"placementId":"hidden-p"}`,
	"POST " + atReport + "/refreshes":       `{"placementId":"hidden-p"}`,
	"PUT " + atWorkbook:                     `{"name":"X","slug":"other","expectedVersion":7}`,
	"PUT " + atWorkbook + "/dashboard":      `{"dashboardDraft":{}}`,
	"POST " + atPairing + "/approve":        `{"deployments":[1],"actions":[]}`,
	"PUT " + atSchedule:                     `{"name":"X","expectedVersion":7}`,
}

// listsByAddress are the routes that tell of placements whose report may not be read where they stand (decisions.md §6).
var listsByAddress = []string{"GET " + atDocument + "/placements"}

var pathID404 = regexp.MustCompile(`:[a-zA-Z]+`)

// paths fills the ids of a route's pattern in every way.
func paths(pattern string) []string {
	name := pathID404.FindString(pattern)
	if name == "" {
		return []string{pattern}
	}
	var all []string
	for _, id := range pathIDs[name] {
		all = append(all, paths(strings.Replace(pattern, name, id, 1))...)
	}
	return all
}

// Every route with an id answers to a hidden id as to an unknown one, byte for byte.
func TestAHiddenIDReadsLikeAnUnknownOne(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, append(slices.Clone(hiddenAssets),
			step{name: "a plan for the hidden report", method: "POST", path: "/plans", body: `{"project":"p","assets":[{"kind":"report","ref":"Hidden000001","definition":{"name":"n"}}]}`, status: 200, keep: map[string]string{"plan": "id"}},
			step{name: "a key of the administrator", method: "POST", path: "/api/v1/keys", as: "admin", body: readingKey, status: 201, keep: map[string]string{"key": "id"}},
		))
		a.keepDevice(t)
		a.tokens["workbooks only"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 21, Actions: []string{"WorkbookManage"}}})
		a.tokens["reports only"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 22, Actions: []string{"ReportManage"}}})
		for _, r := range routes() {
			pattern := strings.Replace(r.Path, ":deploymentId", "1", 1)
			name := r.Method + " " + r.Path
			if r.Scope == open || !pathID404.MatchString(pattern) || slices.Contains(listsByAddress, name) {
				continue
			}
			callers := []string{"stranger", "role7"}
			if strings.HasPrefix(r.Path, atDeployment+"/workbooks") {
				callers = append(callers, "reports only")
			} else {
				callers = append(callers, "workbooks only")
			}
			for _, as := range callers {
				t.Run(name+" as "+as, func(t *testing.T) {
					through := []string{pattern}
					if rest := strings.TrimPrefix(r.Path, atReport); pathID404.MatchString(rest) && rest != r.Path {
						through = append(through, strings.Replace(pattern, ":reportId", "{{own}}", 1))
					}
					for _, p := range through {
						a.alike(t, step{method: r.Method, as: as, body: idBodies[name]}, paths(p))
					}
				})
			}
		}
	})
}

// keepDevice pairs a device of the editor, and keeps its id and its code, which is used up.
func (a *api) keepDevice(t *testing.T) {
	t.Helper()
	r := newPairingRig(t, a)
	codes := r.codes()
	if status := r.decide("approve", codes.UserCode, "editor", edits); status != http.StatusOK {
		t.Fatalf("approve: %d", status)
	}
	caller, err := a.keys.Verify(r.poll(codes.DeviceCode).AccessToken, a.server.now())
	if err != nil {
		t.Fatal(err)
	}
	a.vars["usedCode"], a.vars["device"] = codes.UserCode, caller.Device
}

// alike checks that a request gets the same refusal on every path.
func (a *api) alike(t *testing.T, s step, paths []string) {
	t.Helper()
	answers := map[string][]string{}
	for _, path := range paths {
		s.path = strings.ReplaceAll(path, " ", "%20")
		if s.body == "" && s.method != http.MethodGet {
			s.body = "{}"
		}
		w := a.send(s)
		if w.Code < http.StatusBadRequest {
			t.Errorf("%s %s: %d %s", s.method, path, w.Code, w.Body)
		}
		text := strings.ReplaceAll(w.Body.String(), "hidden book", "nothing")
		answers[text] = append(answers[text], path)
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %q", answers)
	}
}

// The same holds for ids in bodies and parameters.
func TestAHiddenIDInABodyReadsLikeAnUnknownOne(t *testing.T) {
	draft := func(config string) string {
		return `{"dashboardDraft":{"widgets":[{"type":"CHART","config":` + config + `}]}}`
	}
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, append(slices.Clone(hiddenAssets),
			step{name: "a schedule of role 7", method: "POST", path: "/refresh-schedules", as: "role7", body: `{"target":{"reportId":{{own}}},"cron":"@daily"}`, status: 200, keep: map[string]string{"mine": "id"}},
		))
		a.tokens["workbooks only"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 21, Actions: []string{"WorkbookManage"}}})
		for fact, tt := range map[string]struct {
			s               step
			hidden, unknown string // bodies, or ends of the path of a GET
		}{
			"the report of a new schedule":       {step{method: "POST", path: "/refresh-schedules", as: "role7"}, `{"target":{"reportId":{{hidden}}},"cron":"@daily"}`, `{"target":{"reportId":999},"cron":"@daily"}`},
			"… with a placement":                 {step{method: "POST", path: "/refresh-schedules", as: "role7"}, `{"target":{"reportId":{{hidden}},"placementId":"hidden-p"},"cron":"@daily"}`, `{"target":{"reportId":999,"placementId":"x"},"cron":"@daily"}`},
			"the placement of another report":    {step{method: "POST", path: "/refresh-schedules", as: "role7"}, `{"target":{"reportId":{{own}},"placementId":"hidden-p"},"cron":"@daily"}`, `{"target":{"reportId":{{own}},"placementId":"x"},"cron":"@daily"}`},
			"the new report of a schedule":       {step{method: "PUT", path: "/refresh-schedules/{{mine}}", as: "role7"}, `{"target":{"reportId":{{hidden}}}}`, `{"target":{"reportId":999}}`},
			"a chart of a new workbook":          {step{method: "POST", path: "/workbooks", as: "workbooks only"}, `{"meta":` + draft(`{"reportId":{{hidden}}}`) + `}`, `{"meta":` + draft(`{"reportId":999}`) + `}`},
			"a chart of a workbook":              {step{method: "PUT", path: "/workbooks/{{workbook}}", as: "workbooks only"}, `{"meta":` + draft(`{"reportId":{{hidden}}}`) + `}`, `{"meta":` + draft(`{"reportId":999}`) + `}`},
			"a chart of a workbook by slug":      {step{method: "PUT", path: "/workbooks/by-slug/hidden", as: "workbooks only"}, `{"meta":` + draft(`{"reportId":{{hidden}}}`) + `}`, `{"meta":` + draft(`{"reportId":999}`) + `}`},
			"a chart of a draft":                 {step{method: "PUT", path: "/workbooks/{{workbook}}/dashboard", as: "workbooks only"}, draft(`{"reportId":{{hidden}}}`), draft(`{"reportId":999}`)},
			"a chart by publicId":                {step{method: "PUT", path: "/workbooks/{{workbook}}/dashboard", as: "workbooks only"}, draft(`{"reportPublicId":"Hidden000001"}`), draft(`{"reportPublicId":"Nothing00001"}`)},
			"a chart of a draft of someone else": {step{method: "PUT", path: "/workbooks/{{workbook}}/dashboard", as: "stranger"}, draft(`{"reportId":{{hidden}}}`), draft(`{"reportId":999}`)},
			"the filter of a list of schedules":  {step{method: "GET", path: "/refresh-schedules?reportId=", as: "role7"}, "{{hidden}}", "999"},
			"the filter of a list of reports":    {step{method: "GET", path: "/reports?externalWorkbookId=", as: "role7"}, "hidden%20book", "nothing"},
		} {
			t.Run(fact, func(t *testing.T) {
				answer := func(end string) string {
					s := tt.s
					if s.method == http.MethodGet {
						s.path += end
					} else {
						s.body = end
					}
					w := a.send(s)
					if w.Code < http.StatusBadRequest != (s.method == http.MethodGet) {
						t.Errorf("%s: %d %s", end, w.Code, w.Body)
					}
					return w.Body.String()
				}
				if hidden, unknown := answer(tt.hidden), answer(tt.unknown); hidden != unknown {
					t.Errorf("hidden: %s\nunknown: %s", hidden, unknown)
				}
			})
		}
	})
}

// A draft that names a report which its editor may not read can be sent back as it was read, by id and by publicId, but not be extended.
func TestADraftWithAHiddenChartCanBeSentBack(t *testing.T) {
	const chartOf = `{"id":"w","type":"CHART","config":{"reportId":{{hidden}}}}`
	a := onEmbedded(t)
	a.run(t, []step{
		hiddenAssets[0],
		hiddenAssets[4],
		{name: "its draft shows the hidden report", method: "PUT", path: "/workbooks/{{workbook}}/dashboard", body: `{"dashboardDraft":{"widgets":[` + chartOf + `]}}`, status: 200},
	})
	a.tokens["workbooks only"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 21, Actions: []string{"WorkbookManage"}}})
	back := `{"widgets":[` + chartOf + `,{"id":"v","type":"CHART","config":{"reportPublicId":"Hidden000001"}}]}`
	a.run(t, []step{
		{name: "by dashboard", method: "PUT", path: "/workbooks/{{workbook}}/dashboard", as: "workbooks only", body: `{"dashboardDraft":` + back + `}`, status: 200},
		{name: "by id", method: "PUT", path: "/workbooks/{{workbook}}", as: "workbooks only", body: `{"meta":{"dashboardDraft":` + back + `}}`, status: 200},
		{name: "by slug", method: "PUT", path: "/workbooks/by-slug/hidden", as: "workbooks only", body: `{"meta":{"dashboardDraft":` + back + `}}`, status: 200},
		{name: "not into another workbook", method: "PUT", path: "/workbooks/by-slug/new", as: "workbooks only", body: `{"meta":{"dashboardDraft":` + back + `}}`, status: 400},
	})
}

func TestOverlapsTellNoNamesOfHiddenReports(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, append(slices.Concat(hiddenAssets[:2], hiddenAssets[5:7]),
		step{
			name: "over the hidden block", method: "PUT", path: "/reports/{{own}}/connect-workbook", as: "role7", status: 200,
			body: `{"externalWorkbookId":"hidden book","resultLocation":"S!B2"}`, holds: `{"overlaps":[{"access":"DENIED","placement":{"resultLocation":"S!B2"}}]}`, keep: map[string]string{"overlaps": "overlaps"},
		},
	))
	if strings.Contains(a.vars["overlaps"], "secret") || strings.Contains(a.vars["overlaps"], "reportId") {
		t.Errorf("overlaps: %s", a.vars["overlaps"])
	}
}
