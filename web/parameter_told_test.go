package web

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/refresh"
	"mooring/storage/storagetest"
)

// logged is a log that is written by several at a time.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// What a cell holds, and what a placement says, are in no audit, no event and no log. What a cell held is shown by its runs to the user on whose
// behalf they queried and to who may manage the report.
func TestValuesOfParametersAreNotTold(t *testing.T) {
	t.Parallel()
	const fromCell, said, refused = "Cellville", "Saidville", "Refusedville"
	log := new(logged)
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	source := filledSource(t, `CREATE TABLE sales (region TEXT, town TEXT); INSERT INTO sales VALUES ('`+fromCell+`', '`+said+`')`)
	store := storagetest.Open(t, "embedded")
	a := newAPI(t, store, func(c *Config) {
		c.Log = logger
		c.Engine = refresh.New(refresh.Config{Store: store, Log: logger, Tenants: map[string]refresh.Tenant{
			"acme": {Deployments: map[int64]refresh.DeploymentSource{1: {Source: source, Location: time.UTC}}},
		}})
	})
	with := func(value string) string {
		return strings.Replace(emptySheet, `"cells":[]`, `"cells":[],"parameters":{"region":"`+value+`"}`, 1)
	}
	as := func(s step, who string) step { s.as = who; return s }
	plan := func(run, value string, status int) step {
		s := step{name: "a plan of " + run, method: "POST", path: "/refreshes/{{" + run + "}}/plan", as: "role7", body: with(value), status: status}
		if status == 200 {
			s.keep = map[string]string{"sum": "resultChecksum"}
		}
		return s
	}
	a.run(t, []step{
		reportOf("asks", "SELECT town FROM sales WHERE region = @region AND town = @town",
			`[{"name":"region","type":"text","allowed":["`+fromCell+`"],"fromCells":true},{"name":"town","type":"text"}]`, map[string]string{"id": "id", "report": "id"}),
		{name: "role 7 may read it", method: "PUT", path: "/reports/{{id}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
		valued("places it", "role7", 200, `{"region":{"cell":"Setup!B2"},"town":{"value":"`+said+`"}}`, ""),
	})
	events := a.stream(t, "admin", "")
	a.run(t, []step{
		as(startsClient("a run", "run"), "role7"),
		plan("run", fromCell, 200),
		{name: "is complete", method: "POST", path: "/refreshes/{{run}}/complete", as: "role7", body: `{"fence":1,"resultChecksum":{{sum}}}`, status: 200},
		as(startsClient("another", "failed"), "role7"),
		plan("failed", refused, 409),
		{
			name: "its fault has no value", method: "GET", path: "/reports/{{id}}", as: "viewer", status: 200,
			holds: `{"externalWorkbookPlacements":[{"syncStatus":"CONFLICT","lastRun":{"error":"Setup!B2 holds a value that is not allowed: ` + fromCell + `"}}]}`,
		},
		valued("says other values", "role7", 200, `{"region":{"cell":"Setup!B3"},"town":{"value":"`+said+`!"}}`, ""),
	})
	told := func(where, text string, values ...string) {
		t.Helper()
		for _, one := range values {
			if strings.Contains(text, one) {
				t.Errorf("%s tells %s: %s", where, one, text)
			}
		}
	}
	for _, path := range []string{"/refreshes/{{run}}", "/refreshes/{{failed}}", "/reports/{{id}}/refreshes/{{run}}", "/reports/{{id}}/refreshes", "/refreshes"} {
		for who, sees := range map[string]bool{
			"role7": true, "manager": true, "admin": true, "editor2": false, "viewer": false,
		} {
			w := a.send(step{method: "GET", path: path, as: who})
			text := strings.ReplaceAll(w.Body.String(), "not allowed: "+fromCell, "") // which the report says
			if shown := strings.Contains(text, fromCell) || strings.Contains(text, refused); w.Code != 200 || shown != sees || strings.Contains(text, said) != sees {
				t.Errorf("%s of %s, %d: %s", path, who, w.Code, text)
			}
		}
	}
	audit := a.send(step{method: "GET", path: "/audit", as: "admin"}).Body.String()
	told("the audit", audit, fromCell, said, refused)
	for _, pointer := range []string{`"/parameters/region"`, `"/parameters/town"`} {
		if !strings.Contains(audit, pointer) {
			t.Errorf("the audit does not say %s: %s", pointer, audit)
		}
	}
	var all strings.Builder
	for id, kind, data := events.nextRun(); ; id, kind, data = events.nextRun() {
		fmt.Fprintln(&all, id, kind, data)
		if kind == "run.failed" {
			break
		}
	}
	told("an event", strings.ReplaceAll(all.String(), "not allowed: "+fromCell, ""), fromCell, said, refused)
	told("the log", strings.ReplaceAll(log.String(), "not allowed: "+fromCell, ""), fromCell, said, refused)
	if !strings.Contains(log.String(), a.vars["failed"]) {
		t.Errorf("the log says nothing of the run: %s", log)
	}
}
