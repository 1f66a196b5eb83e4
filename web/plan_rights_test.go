package web

import (
	"strings"
	"testing"
)

// costsSchedule and costsPlacement mean by key and by address what the bundles of the tests place and schedule of another report.
const (
	costsReport    = `{"kind":"report","ref":"Costs0000001","definition":{}}`
	costsSchedule  = `{"kind":"schedule","ref":"daily","definition":{"cron":["@yearly"],"paused":true,"target":{"publicId":"Costs0000001"}}}`
	costsPlacement = `{"kind":"placement","ref":"book/Data!B2","definition":{"report":"Costs0000001","document":"book","sheet":"Data","anchor":"B2"}}`
)

// roleOn lets the role 7 do that with a report.
func roleOn(report, action string) step {
	return step{
		name: "role 7 may " + action + " of " + report, method: "PUT", path: "/reports/" + report + "/access", as: "admin", status: 200,
		body: `{"rolesWithAccess":[{"id":7,"name":"Some","actions":["` + action + `"]}]}`,
	}
}

// A person who may edit one report plans with the name of a project that has assets of another one.
func TestPlansLeaveWhatIsNotTheirsAlone(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		hidden := bundleOf("finance", bundleReport, bundlePlacement, strings.Replace(bundleSchedule, `"ref"`, `"protect":true,"ref"`, 1))
		plan := planOf("a project", "admin", hidden, 200, `{"summary":{"create":3}}`)
		plan.keep = map[string]string{"plan": "id"}
		elsewhere := bundleOf("finance", costsSchedule, costsPlacement)
		planned := func(name, as string, holds string) step {
			s := planOf(name, as, elsewhere, 200, holds)
			s.keep = map[string]string{"plan": "id"}
			return s
		}
		apply := func(name, as string, status int, holds string) step {
			return step{name: name, method: "POST", path: "/plans/{{plan}}/apply", as: as, status: status, holds: holds}
		}
		a.run(t, []step{
			plan, apply("is applied", "admin", 200, `{}`),
			{name: "its report", method: "GET", path: "/reports/by-public-id/Bundle000001", as: "admin", status: 200, keep: map[string]string{"hidden": "id"}},
			{name: "another report", method: "PUT", path: "/reports/by-public-id/Costs0000001", as: "admin", body: `{"name":"Costs","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"costs": "id"}},
			roleOn("{{costs}}", "ReportEdit"),
			{name: "the first one is hidden", method: "GET", path: "/reports/{{hidden}}", as: "role7", status: 404},
			{name: "and its schedule", method: "GET", path: "/refresh-schedules/by-key/daily", as: "role7", status: 404},

			planned("what it has is in the way", "role7", `{"summary":{"conflict":2,"update":0},"assets":[{"action":"conflict","report":"Costs0000001"},{"action":"conflict"}]}`),
			apply("and is not touched", "role7", 409, `{"code":"plan_has_conflicts"}`),
			planOf("it is not pruned either", "role7", `{"project":"finance","prune":{},"assets":[`+costsReport+`]}`, 200, `{"summary":{"delete":0,"kept":0},"assets":[{}]}`),
			planOf("nor listed", "role7", bundleOf("finance", costsReport), 200, `{"summary":{"kept":0},"assets":[{}]}`),
			{name: "nor pulled", method: "GET", path: "/managed?project=finance&adopt=all", as: "role7", status: 200, holds: `{"items":[{"ref":"Costs0000001"}]}`},
			planOf("a project may not be bound to what its name has", "role7", bundleOf("finance", strings.Replace(bundleSchedule, "}}}", `},"paused":false}}`, 1)), 400, `{"details":[{"code":"unknown_report"}]}`),

			planned("an admin moves it", "admin", `{"summary":{"update":2}}`),
			{name: "in a plan that shows where it was", method: "GET", path: "/plans/{{plan}}", as: "admin", status: 200, says: []string{`"before":"Bundle000001"`}},
			{name: "to nobody else", method: "GET", path: "/plans/{{plan}}", as: "role7", status: 404, holds: `{"code":"plan_expired"}`},
			apply("nor may another apply it", "role7", 404, `{"code":"plan_expired"}`),

			roleOn("{{hidden}}", "ReportEdit"),
			planned("who may edit both moves it", "role7", `{"summary":{"update":2}}`),
			roleOn("{{hidden}}", "ReportRead"),
			apply("not when they may only read the one", "role7", 403, `{"code":"forbidden","details":[{"pointer":"/assets/0"},{"pointer":"/assets/1"}]}`),
			planOf("nor plan it", "role7", elsewhere, 403, `{"code":"forbidden","details":[{"pointer":"/assets/0"},{"pointer":"/assets/1"}]}`),
			planOf("nor take its protection off", "role7", bundleOf("finance", bundleSchedule), 403, `{"details":[{"pointer":"/assets/0"}]}`),
			planOf("though see that nothing changes", "role7", bundleOf("finance", bundlePlacement), 200, `{"summary":{"unchanged":1,"kept":2}}`),
			{name: "nobody's", method: "PUT", path: "/reports/{{hidden}}/access", as: "admin", body: `{"rolesWithAccess":[]}`, status: 200},
			apply("nor when they may not read it", "role7", 404, `{"code":"plan_expired"}`),
			{name: "all is as it was", method: "GET", path: "/refresh-schedules/by-key/daily", as: "admin", status: 200, holds: `{"version":1,"paused":false,"target":{"publicId":"Bundle000001","address":"Data!B2"},"managedBy":{"revision":1}}`},
			planOf("protected too", "admin", bundleOf("finance", bundleSchedule), 200, `{"assets":[{"changes":[{"pointer":"/protect","before":true}]},{},{}]}`),

			{name: "it is deleted by hand", method: "DELETE", path: "/refresh-schedules/by-key/daily", as: "admin", status: 405},
			{name: "by its id", method: "GET", path: "/refresh-schedules/by-key/daily", as: "admin", status: 200, keep: map[string]string{"schedule": "id"}},
			{name: "which it is", method: "DELETE", path: "/refresh-schedules/{{schedule}}", as: "admin", status: 200},
			{name: "nobody else is told", method: "GET", path: "/managed?project=finance", as: "role7", status: 200, holds: `{"items":[]}`},
			planned("nor of what was applied of it", "role7", `{"summary":{"conflict":2},"assets":[{"action":"conflict"},{}]}`),
			{name: "who may read it is", method: "GET", path: "/managed?project=finance", as: "viewer", status: 200, holds: `{"items":[{},{},{"ref":"daily","deleted":{"by":"user 9"}}]}`},
		})
	})
}

// What a conflict tells of what the planner may not read: that something is there, to who might have created it.
func TestConflictsTellNothing(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		plan := planOf("a project", "admin", bundleOf("finance", bundleReport, bundlePlacement, bundleSchedule), 200, `{}`)
		plan.keep = map[string]string{"plan": "id"}
		a.run(t, []step{
			plan,
			{name: "is applied", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200},
			{name: "another report", method: "PUT", path: "/reports/by-public-id/Costs0000001", as: "admin", body: `{"name":"Costs","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"costs": "id"}},
			roleOn("{{costs}}", "ReportEdit"),
		})
		for _, project := range []string{"finance", "another"} {
			w := a.send(planOf("", "role7", bundleOf(project, costsSchedule), 200, ""))
			for _, secret := range []string{"Bundle000001", "Revenue", "Data!B2", "managedBy", "before", "version", `"finance"`, "user 9", "@daily"} {
				if text := strings.Replace(w.Body.String(), `"project":"finance"`, "", 1); strings.Contains(text, secret) {
					t.Errorf("a conflict tells %s: %s", secret, w.Body)
				}
			}
		}
		a.run(t, []step{roleOn("{{costs}}", "ReportRead")})
		taken := a.send(planOf("", "role7", bundleOf("finance", costsSchedule), 403, ""))
		free := a.send(planOf("", "role7", bundleOf("finance", strings.Replace(costsSchedule, "daily", "yearly", 1)), 403, ""))
		if got, want := strings.Replace(taken.Body.String(), "daily", "yearly", 1), free.Body.String(); got != want || taken.Code != 403 {
			t.Errorf("who may create nothing is told of a key that is taken\n%s, and of one that is free\n%s", got, want)
		}
	})
}
