package web

import (
	"net/http"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
)

func TestAgents(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "there is none", method: "GET", path: "/api/v1/agents", as: "admin", status: 200, holds: `{"items":[],"waiting":0}`},
			report("Sales"),
		})
		if err := a.store.Work().Queue.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.enqueueRun(t)
		a.run(t, []step{
			{name: "a run waits", method: "GET", path: "/api/v1/agents", as: "admin", status: 200, holds: `{"waiting":1}`},
			{name: "in its deployment", method: "GET", path: "/api/v1/agents", as: "only2", status: 200, holds: `{"waiting":0}`},
			{name: "and tenant", method: "GET", path: "/api/v1/agents", as: "foreign", status: 200, holds: `{"waiting":0}`},
			{name: "agents are shown to who may do everything", method: "GET", path: "/api/v1/agents", as: "manager", status: 403, holds: `{"code":"forbidden"}`},
		})
		began := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
		run := func(tenant string, deployment int64, id string) record.AgentRun {
			return record.AgentRun{Tenant: tenant, Deployment: deployment, RunID: id, ReportID: 7, StartedAt: "2026-03-02T08:00:01.000Z"}
		}
		for _, agent := range []record.Agent{
			{ID: "c", Host: "one", Version: "1.2", StartedAt: began, Capacity: 32, Left: true, Runs: []record.AgentRun{run("acme", 1, "r0")}},
			{ID: "b", Host: "one", Version: "1.2", StartedAt: began, Capacity: 32, Draining: true},
			{
				ID: "a", Host: "two", Version: "1.2", StartedAt: began, Capacity: 8,
				Runs: []record.AgentRun{run("other", 1, "secret"), run("acme", 1, "r1"), run("acme", 2, "r2")},
			},
		} {
			if err := a.store.Queue().Agents.Beat(t.Context(), &agent); err != nil {
				t.Fatal(err)
			}
		}
		const r1 = `{"deploymentId":1,"runId":"r1","reportId":7,"startedAt":"2026-03-02T08:00:01.000Z"}`
		const r2 = `{"deploymentId":2,"runId":"r2","reportId":7,"startedAt":"2026-03-02T08:00:01.000Z"}`
		rest := `{"id":"b","state":"draining","working":0,"runs":[]},{"id":"c","state":"gone","working":0,"runs":[]}`
		a.run(t, []step{
			{
				name: "each with what it does for the tenant", method: "GET", path: "/api/v1/agents", as: "admin", status: 200,
				holds: `{"items":[{"id":"a","host":"two","version":"1.2","startedAt":"2026-03-02T08:00:00.000Z","state":"alive","capacity":8,
					"working":2,"runs":[` + r1 + `,` + r2 + `]},` + rest + `],"waiting":1}`,
			},
			{
				name: "and in the deployments of the token", method: "GET", path: "/api/v1/agents", as: "only2", status: 200,
				holds: `{"items":[{"id":"a","working":1,"runs":[` + r2 + `]},` + rest + `]}`,
			},
			{
				name: "another tenant sees its own", method: "GET", path: "/api/v1/agents", as: "foreign", status: 200,
				holds: `{"items":[{"id":"a","working":1,"runs":[{"runId":"secret"}]},` + rest + `]}`,
			},
		})
		work := a.store.Work()
		entries, err := work.Queue.Take(t.Context(), "a", 16*storage.DefaultPartitions, -1)
		if err != nil || len(entries) != 1 {
			t.Fatalf("entries %v, %v", entries, err)
		}
		if _, err := work.Queue.Begin(t.Context(), "a", entries[0]); err != nil {
			t.Fatal(err)
		}
		a.run(t, []step{{name: "a run that began waits no more", method: "GET", path: "/api/v1/agents", as: "admin", status: 200, holds: `{"waiting":0}`}})
	})
}

func TestQuotaOfAServiceWithoutLimits(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{{
		name: "nothing is limited", method: "GET", path: "/api/v1/quota", as: "stranger", status: 200,
		holds: `{"items":[],"schedules":{"ofUser":{"used":0,"limit":null},"ofTenant":{"used":0,"limit":null}},"requests":{"limit":null,"per":"minute"}}`,
	}})
}

func TestRevocations(t *testing.T) {
	const path = "/api/v1/revocations"
	each(t, func(t *testing.T, a *api) {
		_, id, err := a.keys.Sign(callerNamed("gone"), time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		mine, mineID, err := a.keys.Sign(callerNamed("viewer"), time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		a.vars["id"], a.vars["mine"], a.vars["mineId"], a.vars["foreign"] = id, mine, mineID, a.tokens["foreign"]
		by := `"by":{"id":9}`
		a.run(t, []step{
			{name: "none", method: "GET", path: path, as: "admin", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`},
			{name: "a token is revoked by its id", method: "POST", path: path, as: "admin", body: `{"jti":"{{id}}"}`, status: 200, holds: `{"jti":"{{id}}",` + by + `}`},
			{name: "and again", method: "POST", path: path, as: "admin", body: `{"jti":"{{id}}"}`, status: 200, holds: `{"jti":"{{id}}",` + by + `}`},
			{name: "it is listed", method: "GET", path: path, as: "admin", status: 200, holds: `{"items":[{"jti":"{{id}}",` + by + `}],"pageInfo":{"hasNextPage":false}}`},
			{name: "another tenant has its own", method: "GET", path: path, as: "foreign", status: 200, holds: `{"items":[]}`},
			{name: "a token of one deployment does not see it", method: "GET", path: path, as: "only2", status: 403, holds: `{"code":"forbidden"}`},
			{name: "nor does a manager", method: "GET", path: path, as: "manager", status: 403},
			{name: "who may not revoke another's", method: "POST", path: path, as: "manager", body: `{"token":"{{mine}}"}`, status: 403, holds: `{"code":"forbidden"}`},
			{name: "nor may a token of one deployment", method: "POST", path: path, as: "only2", body: `{"jti":"{{mineId}}"}`, status: 403},
			{name: "one's own is always revoked", method: "POST", path: path, as: "viewer", body: `{"token":"{{mine}}"}`, status: 200, holds: `{"jti":"{{mineId}}","by":{"id":3}}`},
			{name: "the latest is the first", method: "GET", path: path + "?first=1", as: "admin", status: 200, holds: `{"items":[{"jti":"{{mineId}}"}],"pageInfo":{"hasNextPage":true}}`},
			{name: "a token of another tenant is none here", method: "POST", path: path, as: "admin", body: `{"token":"{{foreign}}"}`, status: 400, holds: `{"details":[{"pointer":"/token"}]}`},
			{name: "nor is a text", method: "POST", path: path, as: "admin", body: `{"token":"x"}`, status: 400, holds: `{"details":[{"pointer":"/token"}]}`},
			{name: "nor an id that is none", method: "POST", path: path, as: "admin", body: `{"jti":"x"}`, status: 400, holds: `{"details":[{"pointer":"/jti"}]}`},
			{name: "one of both is needed", method: "POST", path: path, as: "admin", body: `{}`, status: 400, holds: `{"code":"invalid_request"}`},
			{name: "and not both", method: "POST", path: path, as: "admin", body: `{"jti":"{{id}}","token":"{{mine}}"}`, status: 400},
		})
		if err := a.store.Tenants().Revoke(t.Context(), "acme", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", time.Now().Add(time.Hour), record.Actor{}); err != nil {
			t.Fatal(err)
		}
		a.tokens["mine"] = mine
		now := time.Now().Add(5 * time.Second)
		a.server.now = func() time.Time { return now }
		a.run(t, []step{
			{name: "what the command line revoked is by no user", method: "GET", path: path + "?first=1", as: "admin", status: 200, holds: `{"items":[{"jti":"ZZZZZZZZZZZZZZZZZZZZZZZZZZ","by":null}]}`},
			{name: "a revoked token is refused", method: "GET", path: path, as: "mine", status: http.StatusUnauthorized},
		})
	})
}

// callerNamed is a person of the tenant with that name; the viewer is that of the tests.
func callerNamed(name string) auth.Caller {
	c := auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 77, Name: name}}
	if name == "viewer" {
		c.Actor = record.Actor{ID: 3, Actions: []string{"ReportRead"}}
	}
	return c
}
