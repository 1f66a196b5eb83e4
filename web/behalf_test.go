package web

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/auth"
)

// placedByTwo are the steps that make a report, readable for role 7, and place it as the viewer (p1) and as role7 (p2).
func placedByTwo() []step {
	return append(placedByTheViewer(), step{
		name: "another reader places it too", method: "PUT", path: connectPath, as: "role7", status: 200,
		body: `{"externalWorkbookId":"book2","resultLocation":"Data!A1","placementId":"p2","addressOnly":true}`,
	})
}

func TestRunAsIsShownAndIgnoredWhenSent(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, append(placedByTwo(), []step{
			{
				name: "the placements show on whose behalf they are queried", method: "GET", path: "/reports/{{id}}", status: 200,
				holds: placed(`{"id":"p2","runAs":{"uid":6,"roles":[7]}}`, `{"id":"p1","runAs":{"uid":3}}`),
				keep:  map[string]string{"placements": "externalWorkbookPlacements"},
			},
			{
				name: "sent back they change nothing", method: "PUT", path: "/reports/{{id}}", status: 200,
				body:   `{"externalWorkbookPlacements":[{"id":"p1","runAs":{"uid":9}}],"title":"T"}`,
				header: map[string]string{"Prefer": "handling=strict"},
				holds:  `{"externalWorkbookPlacements":{{placements}}}`,
			},
			{
				name: "another person's placement cannot be moved with read access", method: "PUT", path: connectPath, as: "role7", status: 403,
				body:  `{"externalWorkbookId":"mine","resultLocation":"Data!A1","placementId":"p1"}`,
				holds: `{"code":"forbidden","retryable":false}`,
			},
			{
				name: "one's own can", method: "PUT", path: connectPath, as: "role7", status: 200,
				body: `{"externalWorkbookId":"mine","resultLocation":"Data!A1","placementId":"p2","addressOnly":true}`,
			},
		}...))
	})
}

func TestASchedulesTargetNeedsEditAccessOrIsOnesOwn(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		const one, forbidden = "/refresh-schedules/{{schedule}}", `{"code":"forbidden"}`
		schedule := func(target string) string { return `{"target":{"reportId":{{id}}` + target + `},"cron":"@daily"}` }
		a.run(t, append(placedByTwo(), []step{
			{
				name: "a reader schedules their own placement", method: "POST", path: "/refresh-schedules", as: "viewer", status: 200,
				body: schedule(`,"placementId":"p1"`), keep: map[string]string{"schedule": "id"},
			},
			{name: "and the document that only they placed it in", method: "POST", path: "/refresh-schedules", as: "viewer", status: 200, body: schedule(`,"externalWorkbookId":"book"`)},
			{name: "not another's", method: "POST", path: "/refresh-schedules", as: "viewer", status: 403, body: schedule(`,"placementId":"p2"`), holds: forbidden},
			{name: "nor all of them", method: "POST", path: "/refresh-schedules", as: "viewer", status: 403, body: schedule(""), holds: forbidden},
			{name: "an editor schedules all", method: "POST", path: "/refresh-schedules", as: "editor2", status: 200, body: schedule("")},
			{name: "its maker changes and runs it", method: "PUT", path: one, as: "viewer", status: 200, body: `{"name":"mine"}`},
			{name: "…", method: "POST", path: one + "/run", as: "viewer", status: 202},
			{name: "not for another's placement", method: "PUT", path: one, as: "viewer", status: 403, body: schedule(`,"placementId":"p2"`), holds: forbidden},
			{name: "another reader does not run it", method: "POST", path: one + "/run", as: "role7", status: 403, holds: forbidden},
			{
				name: "the placement is taken over", method: "PUT", path: connectPath, as: "role7", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"'My data'!B2"}`,
			},
			{name: "then its maker may pause it", method: "POST", path: one + "/pause", as: "viewer", status: 200},
			{name: "but neither resume", method: "POST", path: one + "/resume", as: "viewer", status: 403, holds: forbidden},
			{name: "nor change", method: "PUT", path: one, as: "viewer", status: 403, body: `{"name":"theirs"}`, holds: forbidden},
			{name: "nor run it", method: "POST", path: one + "/run", as: "viewer", status: 403, holds: forbidden},
			{name: "and deletes it", method: "DELETE", path: one, as: "viewer", status: 200},
		}...))
	})
}

func TestAScheduleBelongsToWhoResumesIt(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		owner := func(want int64, version int64) {
			t.Helper()
			id, _ := strconv.ParseInt(a.vars["schedule"], 10, 64)
			c, err := a.store.Schedules().Get(t.Context(), record.Deployment{Tenant: "acme", ID: 1}, id)
			if err != nil || c.Owner.ID != want || c.Version != version {
				t.Errorf("owner %d, version %d, %v, want %d and %d", c.Owner.ID, c.Version, err, want, version)
			}
		}
		const one = "/refresh-schedules/{{schedule}}"
		a.run(t, append(placedByTheViewer(), []step{
			{
				name: "a schedule", method: "POST", path: "/refresh-schedules", status: 200, body: `{"target":{"reportId":{{id}}},"cron":"@daily"}`,
				keep: map[string]string{"schedule": "id"},
			},
			{name: "another name from an editor", method: "PUT", path: one, as: "editor2", body: `{"name":"daily"}`, status: 200},
		}...))
		owner(1, 2)
		a.run(t, []step{
			{name: "pausing", method: "POST", path: one + "/pause", as: "editor2", status: 200},
			{name: "resuming", method: "POST", path: one + "/resume", as: "editor2", status: 200},
		})
		owner(2, 4)
		a.tokens["editor2 with a role"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 2, Roles: []int64{5}, Actions: []string{record.ActionReportEdit}}})
		a.run(t, []step{{name: "the same again with other rights", method: "PUT", path: one, as: "editor2 with a role", body: `{"name":"daily"}`, status: 200}})
		owner(2, 4)
	})
}

func TestOverwritingAnothersPlacementNeedsEditAccess(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		const path = "/reports/{{id}}/refreshes"
		a.run(t, append(placedByTwo(), []step{
			{name: "all of them", method: "POST", path: path, as: "viewer", body: `{"onEdit":"overwrite"}`, status: 403, holds: `{"code":"forbidden"}`},
			{name: "one of another", method: "POST", path: path, as: "viewer", body: `{"onEdit":"overwrite","placementId":"p2"}`, status: 403},
			{
				name: "a document of another", method: "POST", path: "/api/v1/external-documents/book2/refreshes", as: "viewer",
				body: `{"onEdit":"overwrite"}`, status: 403, holds: `{"code":"forbidden"}`,
			},
			{name: "one's own", method: "POST", path: path, as: "viewer", body: `{"onEdit":"overwrite","placementId":"p1"}`, status: 202},
			{name: "all without overwriting", method: "POST", path: path, as: "viewer", body: `{"onEdit":"keep"}`, status: 202},
			{name: "an editor all of a document", method: "POST", path: path, as: "editor2", body: `{"onEdit":"overwrite","externalWorkbookId":"book2"}`, status: 202},
		}...))
	})
}

// seesSecret checks who is told the value of an overwritten cell at a path.
func (a *api) seesSecret(t *testing.T, path string, who map[string]bool) {
	t.Helper()
	for as, want := range who {
		answer := a.send(step{method: "GET", path: path, as: as}).Body.String()
		if strings.Contains(answer, "secret") != want || !strings.Contains(answer, `"row":3`) {
			t.Errorf("GET %s as %s answers %s", path, as, answer)
		}
	}
}

// secretRun is what a run on behalf of the viewer did to the placement p1.
func secretRun() record.RunPlacement {
	return record.RunPlacement{
		PlacementID: "p1", RunAsUserID: 3, State: placements.RunSucceeded, Overwritten: []record.OverwrittenRow{{Row: 3, Values: []any{"secret"}}},
	}
}

// Whoever takes a placement over sees nothing of what was overwritten before.
func TestValuesStayWithWhomTheRunWroteFor(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, placedByTheViewer())
		run := a.completeRun(t, secretRun())
		a.run(t, []step{{
			name: "another takes it over", method: "PUT", path: connectPath, as: "role7", status: 200,
			body:  `{"externalWorkbookId":"book","resultLocation":"'My data'!B2"}`,
			holds: placed(`{"id":"p1","runAs":{"uid":6}}`),
		}})
		a.seesSecret(t, "/reports/{{id}}/refreshes/"+run, map[string]bool{"viewer": true, "manager": true, "role7": false, "editor2": false})
	})
}

func TestALastRunOfAScheduleHidesValues(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, append(placedByTheViewer(), step{
			name: "a schedule", method: "POST", path: "/refresh-schedules", status: 200,
			body: `{"target":{"reportId":{{id}},"placementId":"p1"},"cron":"@daily"}`, keep: map[string]string{"schedule": "id"},
		}))
		ctx, d := t.Context(), record.Deployment{Tenant: "acme", ID: 1}
		id, err := strconv.ParseInt(a.vars["schedule"], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		c, err := a.store.Schedules().Get(ctx, d, id)
		if err != nil {
			t.Fatal(err)
		}
		fired := record.Firing{Deployment: d, Schedule: c, Next: record.Tick{At: c.Next.Add(time.Hour), Due: c.Next.Add(time.Hour)}, Run: &record.Run{
			ID: record.RunID(c.ID, c.Next), ScheduleID: c.ID, ReportID: c.Target.ReportID, State: placements.RunQueued, FireTime: placements.Time(c.Next),
			Trigger: record.TriggerSchedule,
		}}
		if err := a.store.Work().Queue.Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		if made, err := a.store.Work().Queue.Ticks.Fire(ctx, []record.Firing{fired}); err != nil || !made[0] {
			t.Fatalf("fired %v, %v", made, err)
		}
		a.completeNext(t, secretRun())
		who := map[string]bool{"viewer": true, "manager": true, "role7": false, "editor2": false}
		a.seesSecret(t, "/refresh-schedules/{{schedule}}", who)
		a.seesSecret(t, "/refresh-schedules", who)
	})
}

func TestADocumentThatTheConfigurationDoesNotAllowIsRefused(t *testing.T) {
	s, err := storage.Open(t.Context(), storage.Config{Address: storagetest.Redis(t), Documents: map[record.Deployment]placements.Documents{
		{Tenant: "acme", ID: 1}: {{Kind: placements.SheetsA, Documents: []string{"sales-*"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	const refused = `{"code":"document_not_allowed","details":[{"pointer":"/externalWorkbookId"}]}`
	newAPI(t, s).run(t, []step{
		report("Sales"),
		{name: "by a connect", method: "PUT", path: connectPath, status: 403, body: `{"externalWorkbookId":"pay","resultLocation":"Data!A1"}`, holds: refused},
		{name: "by an update", method: "PUT", path: "/reports/{{id}}", status: 403, body: `{"externalWorkbookId":"pay","resultLocation":"Data!A1"}`, holds: refused},
		{
			name: "by a creation", method: "POST", path: "/reports", status: 403,
			body: `{"name":"R","externalWorkbookId":"pay","resultLocation":"Data!A1"}`, holds: refused,
		},
		{
			name: "by an upsert", method: "PUT", path: "/reports/by-public-id/Bounds000001", status: 403,
			body: `{"name":"R","externalWorkbookId":"pay","resultLocation":"Data!A1"}`, holds: refused,
		},
		{name: "one that it allows is not", method: "PUT", path: connectPath, status: 200, body: `{"externalWorkbookId":"sales-1","resultLocation":"Data!A1"}`},
	})
}
