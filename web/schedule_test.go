package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host/xlsx"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// withEngine makes a server with an engine that has no sources, for what is decided before a run begins.
func withEngine(t *testing.T, test func(t *testing.T, a *api)) {
	t.Helper()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) { test(t, engineOn(t, s)) })
}

// onRedisWithEngine returns an API with an engine on a real Redis alone, which is faster than the embedded one where much is written.
func onRedisWithEngine(t *testing.T) *api {
	t.Helper()
	return engineOn(t, storagetest.Open(t, storagetest.Redis(t)))
}

func engineOn(t *testing.T, s *storage.Store) *api {
	t.Helper()
	return newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler)})
	})
}

// someReport creates a report that role 7 may read.
var someReport = []step{
	{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"report": "id"}},
	{
		name: "which role 7 may read", method: "PUT", path: "/reports/{{report}}/access", as: "admin",
		body: `{"rolesWithAccess":[{"id":7,"name":"Readers","actions":["ReportRead"]}]}`, status: 200,
	},
}

func TestSchedules(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, append(someReport[:2:2], []step{
			{
				name: "a schedule needs a report that may be read", method: "POST", path: "/refresh-schedules", as: "stranger",
				body: `{"target":{"reportId":{{report}}},"cron":"@daily"}`, status: 404,
			},
			{
				name: "every fault of a schedule is named", method: "POST", path: "/refresh-schedules",
				body:   `{"target":{"reportId":{{report}}},"cron":["@daily","0 0 30 2 *"],"catchUp":"","jitterSeconds":9000}`,
				status: 400, holds: `{"code":"invalid_request"}`,
			},
			{
				name: "an unknown zone is refused", method: "POST", path: "/refresh-schedules",
				body:   `{"target":{"reportId":{{report}}},"cron":"@daily","timezone":"Mars/Olympus"}`,
				status: 400, holds: `{"details":[{"pointer":"/timezone"}]}`,
			},
			{
				name: "a target placement must exist", method: "POST", path: "/refresh-schedules",
				body: `{"target":{"reportId":{{report}},"placementId":"nowhere"},"cron":"@daily"}`, status: 404,
			},
			{
				name: "a reader may schedule what they may read", method: "POST", path: "/refresh-schedules", as: "role7",
				body:   `{"name":"nightly","target":{"reportId":{{report}}},"cron":"0 3 * * *","timezone":"Europe/Berlin"}`,
				status: 200, keep: map[string]string{"schedule": "id"},
				holds: `{"name":"nightly","cron":["0 3 * * *"],"timezone":"Europe/Berlin","catchUp":"latest","overlap":"skip","paused":false,"version":1,"lastRun":null}`,
			},
			{
				name: "what was read can be sent again and changes nothing", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "role7",
				body:   `{"id":1,"name":"nightly","target":{"reportId":{{report}}},"cron":["0 3 * * *"],"timezone":"Europe/Berlin","catchUp":"latest","nextFires":[],"lastRun":null}`,
				status: 200, holds: `{"version":1}`,
			},
			{name: "another reader may see it", method: "GET", path: "/refresh-schedules/{{schedule}}", as: "viewer", status: 200, holds: `{"name":"nightly"}`},
			{name: "but not change it", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "viewer", body: `{"name":"mine"}`, status: 403},
			{name: "nor pause it", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", as: "viewer", status: 403},
			{name: "nor delete it", method: "DELETE", path: "/refresh-schedules/{{schedule}}", as: "viewer", status: 403},
			{name: "a stranger does not know it", method: "GET", path: "/refresh-schedules/{{schedule}}", as: "stranger", status: 404},
			{name: "a stranger lists nothing", method: "GET", path: "/refresh-schedules", as: "stranger", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false}}`},
			{name: "a reader lists it", method: "GET", path: "/refresh-schedules?reportId={{report}}", as: "viewer", status: 200, holds: `{"items":[{"name":"nightly"}]}`},
			{name: "of another report there is none", method: "GET", path: "/refresh-schedules?reportId=99", as: "viewer", status: 200, holds: `{"items":[]}`},
			{
				name: "pausing takes the next fires away", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", as: "role7",
				status: 200, holds: `{"paused":true,"nextFires":[],"version":2}`,
			},
			{name: "pausing again changes nothing", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", as: "role7", status: 200, holds: `{"version":2}`},
			{name: "resuming", method: "POST", path: "/refresh-schedules/{{schedule}}/resume", as: "role7", status: 200, holds: `{"paused":false,"version":3}`},
			{
				name: "a stale If-Match is refused", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "role7", header: map[string]string{"If-Match": `"v1-x"`},
				body: `{"name":"late"}`, status: 412,
			},
			{
				name: "a stale expectedVersion is refused", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "role7",
				body: `{"name":"late","expectedVersion":1}`, status: 409, holds: `{"code":"version_mismatch"}`,
			},
			{
				name: "it can be run at once", method: "POST", path: "/refresh-schedules/{{schedule}}/run", as: "viewer", status: 202,
				keep: map[string]string{"run": "runId"},
			},
			{
				name: "but not twice", method: "POST", path: "/refresh-schedules/{{schedule}}/run", as: "viewer", status: 409,
				holds: `{"code":"run_in_progress","retryable":true}`,
			},
			{
				name: "the run is in the report's history", method: "GET", path: "/reports/{{report}}/refreshes", as: "viewer", status: 200,
				holds: `{"items":[{"state":"QUEUED","trigger":"manual"}]}`,
			},
			{
				name: "an option is kept as said", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "role7",
				body: `{"onEdit":"stop","shiftRows":false,"breakSignature":true}`, status: 200,
				holds: `{"onEdit":"stop","shiftRows":false,"breakSignature":true}`,
			},
			{
				name: "also when it is read", method: "GET", path: "/refresh-schedules/{{schedule}}", as: "role7", status: 200,
				holds: `{"onEdit":"stop","shiftRows":false,"breakSignature":true}`,
			},
			{
				name: "null says nothing again", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "role7",
				body: `{"onEdit":null,"shiftRows":null,"breakSignature":null}`, status: 200,
				lacks: []string{"onEdit", "shiftRows", "breakSignature"},
			},
			{name: "deleting", method: "DELETE", path: "/refresh-schedules/{{schedule}}", as: "role7", status: 200},
			{name: "it is gone", method: "GET", path: "/refresh-schedules/{{schedule}}", as: "role7", status: 404},
			{
				name: "its runs are not", method: "GET", path: "/refresh-schedules/{{schedule}}/runs", as: "role7", status: 200,
				holds: `{"items":[{"id":"{{run}}"}]}`,
			},
			{name: "a stranger sees none of them", method: "GET", path: "/refresh-schedules/{{schedule}}/runs", as: "stranger", status: 404},
		}...))
	})
}

func TestTooManySchedulesAreRefusedWithTheirNumber(t *testing.T) {
	s, err := storage.Open(t.Context(), storage.Config{Schedules: record.ScheduleLimits{PerUser: 2}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := newAPI(t, s, func(c *Config) { c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler)}) })
	schedule := func(name, cron string, status int) step {
		return step{
			name: name, method: "POST", path: "/refresh-schedules", as: "viewer", status: status, keep: map[string]string{"schedule": "id", "message": "message", "code": "code"},
			body: `{"target":{"reportId":{{report}}},"cron":` + cron + `}`,
		}
	}
	a.run(t, []step{someReport[0], schedule("one", `"*/4 * * * *"`, 200), schedule("one that would fire too often", `"*/5 * * * *"`, 409)})
	if want := "up to 27 times an hour, and 24 are allowed"; !strings.Contains(a.vars["message"], want) || a.vars["code"] != "schedule_limit" {
		t.Errorf("%s %s", a.vars["code"], a.vars["message"])
	}
	a.run(t, []step{
		schedule("a second one", `"@daily"`, 200),
		{name: "may be changed to fire more often", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "viewer", body: `{"cron":"*/10 * * * *"}`, status: 200},
		{name: "but not too often", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "viewer", body: `{"cron":"*/5 * * * *"}`, status: 409},
		schedule("a third one", `"@daily"`, 409),
	})
	if want := "you have made 2 schedules"; !strings.Contains(a.vars["message"], want) {
		t.Errorf("%s", a.vars["message"])
	}
}

// Without a time zone a schedule has that of its deployment (decisions.md §7).
func TestAScheduleFiresInItsDeploymentsTimeZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	s := storagetest.Open(t, "embedded")
	a := newAPI(t, s, func(c *Config) {
		deployments := map[int64]refresh.DeploymentSource{1: {Location: berlin}}
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler), Tenants: map[string]refresh.Tenant{"acme": {Deployments: deployments}}})
	})
	a.run(t, append(someReport[:1:1], []step{
		{name: "none sent", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@daily"}`, status: 200, holds: `{"timezone":"Europe/Berlin"}`, keep: map[string]string{"schedule": "id"}},
		{name: "one sent", method: "PUT", path: "/refresh-schedules/{{schedule}}", body: `{"timezone":"UTC"}`, status: 200, holds: `{"timezone":"UTC"}`},
		{name: "null sent", method: "PUT", path: "/refresh-schedules/{{schedule}}", body: `{"timezone":null}`, status: 200, holds: `{"timezone":"Europe/Berlin"}`},
	}...))
}

// Who writes a schedule is told of another one that refreshes the same at the same times, if they may read it.
func TestTwinsAreToldToWhoWritesThem(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		const spec = `{"name":"Weekdays","target":{"reportId":{{id}}},"cron":["0 7 * * *","0 9 * * *"],"timezone":"Europe/Berlin"}`
		a.run(t, []step{
			report("Sales"),
			{name: "the first", method: "POST", path: "/refresh-schedules", body: spec, status: 200, keep: map[string]string{"first": "id"}},
			{name: "its twin", method: "POST", path: "/refresh-schedules", body: strings.Replace(spec, `"0 7 * * *","0 9 * * *"`, `"0 9 * * *","0 7 * * *"`, 1), status: 200, keep: map[string]string{"twin": "id"}},
		})
		for _, tt := range []struct {
			method, path, body string
			warned             bool
		}{
			{"PUT", "/refresh-schedules/{{twin}}", `{"name":"Twin"}`, true},
			{"GET", "/refresh-schedules/{{twin}}", "", false},
			{"PUT", "/refresh-schedules/{{twin}}", `{"cron":"@hourly"}`, false},
			{"PUT", "/refresh-schedules/by-key/twin", spec, true},
			{"POST", "/refresh-schedules/{{first}}/pause", "", false},
			{"POST", "/refresh-schedules/{{first}}/resume", "", true},
		} {
			w := a.send(step{method: tt.method, path: tt.path, body: tt.body})
			if said := strings.Contains(w.Body.String(), `"warnings":[{"code":"schedule_twin","message":"Schedule `); w.Code != 200 || said != tt.warned {
				t.Errorf("%s %s %s: %d %s, want a warning: %v", tt.method, tt.path, tt.body, w.Code, w.Body, tt.warned)
			}
		}
	})
}

// A schedule that no tick can serve is accepted, with a warning that names the spreadsheets.
func TestAScheduleWarnsThatNoAgentReachesItsSpreadsheets(t *testing.T) {
	files, err := (&xlsx.Config{Dir: t.TempDir()}).Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := storagetest.Open(t, "embedded")
	a := newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler), Tenants: map[string]refresh.Tenant{
			"acme": {Hosts: []refresh.Spreadsheets{{Kind: placements.SheetsB, Driver: files}}},
		}})
	})
	const pane = "0F8FAD5B-d9cb-469f-a165-70867728950e"
	place := func(id, host, document, cell string) step {
		return step{
			name: id + " is placed", method: "PUT", path: "/reports/{{id}}/connect-workbook", status: 200,
			body: `{"externalWorkbookId":"` + document + `","resultLocation":"Data!` + cell + `","placementId":"` + id + `","host":"` + host + `","addressOnly":true}`,
		}
	}
	a.run(t, []step{
		report("Sales"),
		{name: "of a report that is placed nowhere", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}}},"cron":"@daily"}`, status: 200, lacks: []string{"warnings"}},
		place("pane", "SHEETS_B", pane, "A1"), place("google", "SHEETS_A", "sheet", "A1"), place("again", "SHEETS_A", "sheet", "C3"),
	})
	warned := func(fact, method, path, body, want string) {
		t.Helper()
		w := a.send(step{method: method, path: path, body: body})
		var got struct {
			Warnings []struct{ Code, Message, ExternalWorkbookID string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %s", fact, w.Code, w.Body)
		}
		var said []string
		for _, one := range got.Warnings {
			if said = append(said, one.ExternalWorkbookID); one.Code != "document_not_reached" || !strings.HasPrefix(one.Message, "No agent reaches ") {
				t.Errorf("%s: %+v", fact, one)
			}
		}
		if strings.Join(said, " ") != want {
			t.Errorf("%s: warned of %q, want %q", fact, said, want)
		}
	}
	both := pane + " sheet"
	for placed, remedy := range map[string]string{
		"pane": "save it to a place that Mooring reaches", "google": "have a spreadsheet host of its kind configured",
	} {
		w := a.send(step{method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}},"placementId":"` + placed + `"},"cron":"0 2 * * *"}`})
		if !strings.Contains(w.Body.String(), remedy) {
			t.Errorf("%s: want %q in %s", placed, remedy, w.Body)
		}
	}
	warned("all", "POST", "/refresh-schedules", `{"target":{"reportId":{{id}}},"cron":"0 3 * * *"}`, both)
	warned("again by key", "PUT", "/refresh-schedules/by-key/nightly", `{"target":{"reportId":{{id}}},"cron":"0 4 * * *"}`, both)
	warned("one", "POST", "/refresh-schedules", `{"target":{"reportId":{{id}},"placementId":"pane"},"cron":"0 5 * * *"}`, pane)
	a.run(t, []step{place("file", "SHEETS_B", "book.xlsx", "A1")})
	warned("an agent reaches one", "PUT", "/refresh-schedules/by-key/nightly", `{"target":{"reportId":{{id}}},"cron":"0 4 * * *"}`, both)
	warned("which is the target", "POST", "/refresh-schedules", `{"target":{"reportId":{{id}},"externalWorkbookId":"book.xlsx"},"cron":"0 8 * * *"}`, "")
	warned("the one that none does", "POST", "/refresh-schedules", `{"target":{"reportId":{{id}},"externalWorkbookId":"sheet"},"cron":"0 6 * * *"}`, "sheet")
	many := []string{pane}
	for n := range 15 {
		name := fmt.Sprintf("b%02d", n)
		a.run(t, []step{place(name, "SHEETS_A", name, "A1")})
		if len(many) < 10 {
			many = append(many, name)
		}
	}
	warned("many", "POST", "/refresh-schedules", `{"target":{"reportId":{{id}}},"cron":"0 7 * * *"}`, strings.Join(many, " ")+" ")
}
