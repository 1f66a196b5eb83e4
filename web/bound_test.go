package web

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mooring/storage/record"
	"mooring/web/auth"
)

// boundedTokens are tokens of the editor with the role 7: bounded to reading reports, to editing them, to nothing, and not at all.
func (a *api) boundedTokens(t *testing.T) []string {
	names := []string{"reading", "editing", "nothing", "without"}
	for i, c := range []record.Actor{
		{Actions: []string{"ReportRead"}, Bound: []string{"ReportRead"}},
		{Bound: []string{"ReportEdit"}},
		{Bound: []string{}},
		{Actions: []string{"ReportRead"}},
	} {
		c.ID, c.Roles = 1, []int64{7}
		a.tokens[names[i]] = a.token(t, auth.Caller{Tenant: "acme", Actor: c})
	}
	return names
}

// Each row is what a token of the editor may do with assets that the editor made, or that another made and a role of the editor's may do
// everything with: bounded to ReportRead, to ReportEdit, to nothing, and not at all.
func TestWhatBoundedTokensMayDo(t *testing.T) {
	t.Parallel()
	const report, schedule, book = "/reports/{{report}}", "/refresh-schedules/{{schedule}}", "/workbooks/{{book}}"
	rows := []struct {
		method, path, body string
		want               [4]int
	}{
		{"GET", report, "", [4]int{200, 200, 404, 200}},
		{"GET", report + "/versions", "", [4]int{200, 200, 404, 200}},
		{"PUT", report, `{"name":"Other"}`, [4]int{403, 200, 404, 200}},
		{"PUT", "/reports/by-public-id/{{public}}", `{"name":"Other"}`, [4]int{403, 200, 404, 200}},
		{"PUT", report + "/access", `{"rolesWithAccess":[]}`, [4]int{403, 403, 404, 200}},
		{"DELETE", report + "?force=true", "", [4]int{403, 403, 404, 200}},
		{"POST", "/reports", `{"name":"New"}`, [4]int{403, 403, 403, 403}},
		{"PUT", report + "/connect-workbook", `{"externalWorkbookId":"other","resultLocation":"S!A1"}`, [4]int{200, 200, 404, 200}},
		{"PUT", report + "/refresh", `{"externalWorkbookId":"one{{report}}","resultLocation":"S!A1"}`, [4]int{200, 200, 404, 200}},
		{"POST", report + "/refreshes", `{"externalWorkbookId":"one{{report}}"}`, [4]int{202, 202, 404, 202}},
		{"GET", schedule, "", [4]int{200, 200, 404, 200}},
		{"PUT", schedule, `{"name":"Other"}`, [4]int{403, 200, 404, 200}},
		{"POST", schedule + "/pause", "", [4]int{403, 200, 404, 200}},
		{"POST", schedule + "/resume", "", [4]int{403, 200, 404, 200}},
		{"DELETE", schedule, "", [4]int{403, 200, 404, 200}},
		{"POST", "/refresh-schedules", `{"target":{"reportId":{{report}},"placementId":"p{{report}}"},"cron":"@yearly"}`, [4]int{403, 200, 404, 200}},
		{"POST", "/plans", `{"project":"p","assets":[{"kind":"report","ref":"{{public}}","definition":{"name":"Other"}}]}`, [4]int{403, 200, 403, 200}},
		{"POST", "/plans", `{"project":"p","assets":[{"kind":"report","ref":"{{public}}","definition":{"access":[]}}]}`, [4]int{403, 403, 403, 200}},
		{"GET", book, "", [4]int{404, 404, 404, 200}},
		{"PUT", book, `{"name":"Other"}`, [4]int{404, 404, 404, 200}},
		{"PUT", book + "/dashboard", `{"dashboardDraft":{}}`, [4]int{404, 404, 404, 200}},
		{"DELETE", book, "", [4]int{404, 404, 404, 200}},
	}
	a := onRedisWithEngine(t) // rights do not depend on storage
	names := a.boundedTokens(t)
	for n, row := range rows {
		for whose, maker := range map[string]string{"own": "editor", "a role's": "editor2"} {
			if strings.HasPrefix(row.path, book) && maker != "editor" {
				continue // roles have nothing to do with workbooks
			}
			for i, as := range names {
				t.Run(fmt.Sprintf("%s %s %s %d as %s", row.method, row.path, whose, n, as), func(t *testing.T) {
					a.ownedAssets(t, maker)
					w := a.send(step{method: row.method, path: row.path, as: as, body: row.body})
					if w.Code != row.want[i] {
						t.Errorf("%d, want %d: %s", w.Code, row.want[i], w.Body)
					}
				})
			}
		}
	}
}

// ownedReport makes a report with which the role 7 may do everything, as far as roles are asked.
func (a *api) ownedReport(t *testing.T, maker string) {
	t.Helper()
	a.does(t, maker,
		step{method: "PUT", path: "/reports/by-public-id/" + rand.Text()[:12], body: `{"name":"R","sqlQuery":"SELECT 1"}`, keep: map[string]string{"report": "id", "public": "publicId"}},
		step{method: "PUT", path: "/reports/{{report}}/access", body: `{"rolesWithAccess":[{"id":7,"name":"All","actions":["All"]}]}`},
	)
}

// ownedAssets makes assets of a report of ownedReport, and a workbook.
func (a *api) ownedAssets(t *testing.T, maker string) {
	t.Helper()
	a.ownedReport(t, maker)
	a.does(t, maker,
		step{method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"placementId":"p{{report}}","externalWorkbookId":"one{{report}}","resultLocation":"S!A1"}`},
		step{method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@yearly"}`, keep: map[string]string{"schedule": "id"}},
		step{method: "POST", path: "/workbooks", body: `{"name":"W"}`, keep: map[string]string{"book": "id"}},
	)
}

// does sends steps that succeed.
func (a *api) does(t *testing.T, as string, steps ...step) {
	t.Helper()
	for _, s := range steps {
		s.as, s.status = as, http.StatusOK
		a.check(t, s, a.send(s))
	}
}

// What belongs to the whole account is changed with All for every deployment, and read as each resource says.
func TestWhatNarrowTokensMayDoWithTheAccount(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for name, c := range map[string]auth.Caller{
			"in one":  {Deployments: []int64{1}, Actor: record.Actor{ID: 20, Actions: []string{"All"}}},
			"bounded": {Actor: record.Actor{ID: 20, Actions: []string{"All"}, Bound: []string{"ReportManage", "WorkbookManage"}}},
			"whole":   {Actor: record.Actor{ID: 20, Actions: []string{"All"}, Bound: []string{"All"}}},
		} {
			c.Tenant = "acme"
			a.tokens[name] = a.token(t, c)
		}
		const token = `{"jti":"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}`
		for _, row := range []struct {
			method, path, body string
			want               map[string]int
		}{
			{"PUT", "/api/v1/tenant/settings", `{"oidcEnabled":true}`, map[string]int{"in one": 403, "bounded": 403, "whole": 200, "manager": 403}},
			{"GET", "/api/v1/tenant/settings", "", map[string]int{"in one": 200, "bounded": 200, "whole": 200, "manager": 200}},
			{"POST", "/api/v1/revocations", token, map[string]int{"in one": 403, "bounded": 403, "whole": 200, "manager": 403}},
			{"GET", "/api/v1/revocations", "", map[string]int{"in one": 403, "bounded": 403, "whole": 200, "manager": 403}},
			{"GET", "/api/v1/audit", "", map[string]int{"in one": 403, "bounded": 403, "whole": 200, "manager": 403}},
			{"GET", "/audit", "", map[string]int{"in one": 200, "bounded": 403, "whole": 200, "manager": 403}},
			{"GET", "/api/v1/agents", "", map[string]int{"in one": 200, "bounded": 403, "whole": 200, "manager": 403}},
		} {
			for as, want := range row.want {
				if w := a.send(step{method: row.method, path: row.path, as: as, body: row.body}); w.Code != want {
					t.Errorf("%s %s as %s: %d, want %d: %s", row.method, row.path, as, w.Code, want, w.Body)
				}
			}
		}
	})
}

// A run is stopped by who asked for it, or owns its schedule, and by who may edit its report, alone and in bulk.
func TestWhoMayStopARun(t *testing.T) {
	t.Parallel()
	withEngine(t, func(t *testing.T, a *api) {
		a.boundedTokens(t)
		placed := append(someReport[:2:2], []step{
			{method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"placementId":"one{{report}}","externalWorkbookId":"one{{report}}","resultLocation":"S!A1"}`, status: 200},
			{method: "PUT", path: "/reports/{{report}}/connect-workbook", as: "role7", body: `{"placementId":"two{{report}}","externalWorkbookId":"two{{report}}","resultLocation":"S!A1"}`, status: 200},
			{method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}},"placementId":"one{{report}}"},"cron":"@yearly"}`, status: 200, keep: map[string]string{"schedule": "id"}},
		}...)
		begin := map[string]step{
			"a reader's":   {method: "POST", path: "/reports/{{report}}/refreshes", as: "role7", body: `{"placementId":"two{{report}}"}`},
			"an editor's":  {method: "POST", path: "/reports/{{report}}/refreshes", body: `{"placementId":"one{{report}}"}`},
			"a schedule's": {method: "POST", path: "/refresh-schedules/{{schedule}}/run"},
		}
		for _, row := range []struct {
			as   string
			want map[string]int // 202 and 1 done in bulk, or 403 and 1 refused; 404 where it is not read
		}{
			{"role7", map[string]int{"a reader's": 202, "an editor's": 403, "a schedule's": 403}},
			{"viewer", map[string]int{"a reader's": 403, "an editor's": 403, "a schedule's": 403}},
			{"editor", map[string]int{"a reader's": 202, "an editor's": 202, "a schedule's": 202}},
			{"editor2", map[string]int{"a reader's": 202, "an editor's": 202, "a schedule's": 202}},
			{"reading", map[string]int{"a reader's": 403, "an editor's": 202, "a schedule's": 202}},
			{"nothing", map[string]int{"a reader's": 404, "an editor's": 404, "a schedule's": 404}},
			{"stranger", map[string]int{"a reader's": 404, "an editor's": 404, "a schedule's": 404}},
		} {
			for whose, want := range row.want {
				for _, path := range []string{"/refreshes/{{run}}", "/reports/{{report}}/refreshes/{{run}}", "bulk"} {
					t.Run(row.as+" stops "+whose+" by "+path, func(t *testing.T) {
						for _, s := range placed { // a run that is stopped ends once an agent sees it
							a.check(t, s, a.send(s))
						}
						a.check(t, step{status: 202, keep: map[string]string{"run": "runId"}}, a.send(begin[whose]))
						if path != "bulk" {
							a.check(t, step{status: want}, a.send(step{method: "DELETE", path: path, as: row.as}))
							return
						}
						holds := map[int]step{
							202: {status: 200, holds: `{"count":1,"done":1,"refused":[]}`}, 404: {status: 403},
							403: {status: 200, holds: `{"count":1,"done":0,"refused":[{"id":"{{run}}","code":"forbidden"}]}`},
						}[want]
						if row.as == "role7" {
							holds = step{status: 403} // bulk is for who may read every report
						}
						a.check(t, holds, a.send(step{method: "POST", path: "/bulk/refreshes", as: row.as, body: `{"action":"stop","filter":{"report":{{report}}},"expectedCount":1}`}))
					})
				}
			}
		}
	})
}

// What was chosen for a device bounds it, whoever approved it, from its first token on and in a session that was begun with it.
func TestDevicesAreBounded(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		r.ownedReport(t, "editor")
		r.tokens["editor with role"] = r.token(t, auth.Caller{
			Tenant: "acme", Actor: record.Actor{ID: 1, Roles: []int64{7}, Actions: []string{"ReportEdit"}},
		})
		for _, row := range []struct {
			as, grant string
			bound     string
			get, put  int // the report
		}{
			{"editor with role", `{"deployments":[1],"actions":["ReportRead"]}`, "[ReportRead]", 200, 403},
			{"editor with role", `{"deployments":[1],"actions":["ReportEdit"]}`, "[ReportEdit]", 200, 200},
			{"editor with role", `{"deployments":[1],"actions":[]}`, "[]", 404, 404},
			{"role7", `{"deployments":[1],"actions":[]}`, "[]", 404, 404},
			{"role7", `{"deployments":[1],"actions":[],"bound":["ReportRead"]}`, "[ReportRead]", 200, 403},
			{"role7", `{"deployments":[1],"actions":[],"bound":["ReportEdit"]}`, "[ReportEdit]", 200, 200},
			{"stranger", `{"deployments":[1],"actions":[],"bound":["All"]}`, "[All]", 404, 404},
		} {
			tokens := r.paired(row.as, row.grant)
			renewed := r.renew(tokens.RefreshToken)
			for which, token := range map[string]string{"first": tokens.AccessToken, "renewed": renewed.AccessToken} {
				caller, err := r.keys.Verify(token, r.server.now())
				if err != nil || caller.Bound == nil || fmt.Sprint(caller.Bound) != row.bound {
					t.Errorf("%s token of %s: %+v, %v", which, row.grant, caller, err)
				}
				if got := r.asks(token, "GET", "/reports/{{report}}").Code; got != row.get {
					t.Errorf("%s token of %s as %s reads: %d, want %d", which, row.grant, row.as, got, row.get)
				}
				if got := r.send(step{method: "PUT", path: "/reports/{{report}}", as: "device", body: `{"name":"Other"}`}).Code; got != row.put {
					t.Errorf("%s token of %s as %s writes: %d, want %d", which, row.grant, row.as, got, row.put)
				}
			}
		}
	})
}

// A device that was approved before there were bounds has none until it is approved again.
func TestADeviceFromBeforeThereWereBounds(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		r.ownedReport(t, "editor")
		tokens := r.paired("editor", `{"deployments":[1],"actions":["ReportRead"]}`)
		caller, err := r.keys.Verify(tokens.AccessToken, r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		d, found, err := r.store.Tenants().Device(t.Context(), "acme", caller.Device)
		if err != nil || !found {
			t.Fatal(found, err)
		}
		d.Bound = nil
		if saved, err := r.store.Tenants().SaveDevice(t.Context(), d); err != nil || !saved {
			t.Fatal(saved, err)
		}
		r.tokens["device"] = r.renew(tokens.RefreshToken).AccessToken
		r.run(t, []step{
			{name: "it is told of none", method: "GET", path: "/api/v1/me", as: "device", status: 200, lacks: []string{"bound"}},
			{name: "it may do what its approver's assets allow", method: "PUT", path: "/reports/{{report}}", as: "device", body: `{"name":"Other"}`, status: 200},
		})
	})
}

// A device, and a bounded token, sees and signs out no other device of its user.
func TestADeviceSeesItselfAlone(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		ids := map[string]string{}
		for name, grant := range map[string]string{"wide": edits, "narrow": `{"deployments":[1],"actions":[]}`} {
			r.tokens[name] = r.paired("editor", grant).AccessToken
			caller, err := r.keys.Verify(r.tokens[name], r.server.now())
			if err != nil {
				t.Fatal(err)
			}
			ids[name], r.vars[name] = caller.Device, caller.Device
		}
		person, err := r.keys.Verify(r.tokens["editor"], r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		person.Bound = []string{"All"}
		r.tokens["bounded"] = r.token(t, *person)
		for _, name := range []string{"wide", "narrow"} {
			other := map[string]string{"wide": "narrow", "narrow": "wide"}[name]
			r.run(t, []step{
				{name: name + " sees itself", method: "GET", path: "/api/v1/devices", as: name, status: 200, holds: `{"items":[{"id":"` + ids[name] + `"}],"pageInfo":{"hasNextPage":false}}`},
				{name: "and signs out no other", method: "DELETE", path: "/api/v1/devices/" + ids[other], as: name, status: 404},
			})
		}
		r.run(t, []step{
			{name: "a bounded key sees none", method: "GET", path: "/api/v1/devices", as: "bounded", status: 200, holds: `{"items":[]}`},
			{name: "and signs none out", method: "DELETE", path: "/api/v1/devices/{{wide}}", as: "bounded", status: 404},
			{name: "the person sees both, with their bounds", method: "GET", path: "/api/v1/devices", status: 200, holds: `{"items":[{},{}]}`, says: []string{`"bound":[]`, `"bound":["ReportEdit"]`}},
			{name: "a bounded key finds no code", method: "GET", path: "/api/v1/device/BCDF-GHJK", as: "bounded", status: 403},
		})
		for _, name := range []string{"wide", "bounded"} {
			t.Run(name+" signs in 51 times", func(t *testing.T) { r.signsInOften(t, name) })
		}
		r.run(t, []step{
			{name: "a device signs itself out", method: "DELETE", path: "/api/v1/devices/{{narrow}}", as: "narrow", status: 200},
		})
	})
}

// signsInOften begins more sessions with a narrow token of the editor than a person may have, and as often as it may: the editor's own
// stay, and the editor signs in still.
func (r *pairingRig) signsInOften(t *testing.T, name string) {
	t.Helper()
	ctx, now, sessions := t.Context(), r.server.now(), r.server.gate.Sessions()
	begin := func(as string) string {
		t.Helper()
		caller, err := r.keys.Verify(r.tokens[as], now)
		if err != nil {
			t.Fatal(err)
		}
		cookie, err := sessions.Begin(ctx, caller)
		if err != nil {
			t.Fatal(err)
		}
		return cookie
	}
	own := begin("editor")
	for range 51 {
		begin(name)
	}
	if caller, err := sessions.Caller(ctx, own, now); err != nil || caller == nil {
		t.Errorf("the editor's session: %v, %v", caller, err)
	}
	signIn := func(as string) *httptest.ResponseRecorder {
		return r.send(step{method: "POST", path: "/api/v1/session", as: "nobody", body: `{"token":"` + r.tokens[as] + `"}`})
	}
	last := signIn(name)
	for i := 1; i < 51 && last.Code == http.StatusOK; i++ {
		last = signIn(name)
	}
	if last.Code != http.StatusTooManyRequests || !strings.Contains(last.Body.String(), "device or bounded key of theirs, signs in too often") {
		t.Errorf("the 51st sign-in of %s: %d %s", name, last.Code, last.Body)
	}
	if got := signIn("editor"); got.Code != http.StatusOK {
		t.Errorf("the editor signs in: %d", got.Code)
	}
}

// A bounded key decides on no device that waits, nor spends what its person may ask for.
func TestABoundedKeyDecidesOnNoDevices(t *testing.T) {
	eachPaired(t, func(t *testing.T, r *pairingRig) {
		person, err := r.keys.Verify(r.tokens["editor"], r.server.now())
		if err != nil {
			t.Fatal(err)
		}
		person.Bound = []string{"ReportEdit"}
		r.tokens["bounded"] = r.token(t, *person)
		codes := r.codes()
		for range 20 { // twice what a person may ask for in a minute
			if w := r.send(step{method: "GET", path: "/api/v1/device/" + codes.UserCode, as: "bounded"}); w.Code != http.StatusForbidden {
				t.Fatalf("it sees the device: %d %s", w.Code, w.Body)
			}
		}
		for _, how := range []string{"approve", "deny"} {
			if status := r.decide(how, codes.UserCode, "bounded", edits); status != http.StatusForbidden {
				t.Errorf("%s: %d", how, status)
			}
		}
		w := r.send(step{
			method: "POST", path: "/api/v1/device/" + codes.UserCode + "/approve", as: "bounded", body: `{"deployments":[1],"actions":["All"]}`,
		})
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "decides on no devices") {
			t.Errorf("it approves what it has not: %d %s", w.Code, w.Body)
		}
		if status := r.decide("approve", codes.UserCode, "editor", edits); status != http.StatusOK {
			t.Errorf("the person approves: %d", status)
		}
	})
}

// A session is bounded as the key is with which it was begun, also to nothing.
func TestASessionHasTheBoundOfItsKey(t *testing.T) {
	eachSession(t, func(t *testing.T, r *sessionRig) {
		r.boundedTokens(t)
		r.ownedReport(t, "editor")
		report := reportsPath + "/" + r.vars["report"]
		for as, want := range map[string][2]int{"reading": {200, 403}, "nothing": {404, 404}, "without": {200, 200}} {
			r.signsIn(as)
			r.wants(as+" reads", want[0], "GET", report, "")
			r.wants(as+" writes", want[1], "PUT", report, `{"name":"Other"}`)
			if who := r.me(); (who.Bound == nil) != (as == "without") {
				t.Errorf("%s: %+v", as, who)
			}
		}
	})
}
