package web

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mooring/storage/storagetest"
)

// stream is an open event stream, read line by line.
type stream struct {
	t     *testing.T
	lines chan string
}

func (a *api) stream(t *testing.T, as, after string) *stream {
	t.Helper()
	server := httptest.NewServer(a.sut)
	ctx, cancel := context.WithTimeout(t.Context(), storagetest.Patience)
	r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/v1/deployments/1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.tokens[as])
	r.Header.Set("Last-Event-ID", after)
	c, err := held()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Transport: c.Transport(http.DefaultTransport, func(fault error) { t.Error(fault) })}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{t, make(chan string, 100)}
	t.Cleanup(func() {
		cancel()
		answer.Body.Close()
		server.Close()
	})
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %s", answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	go func() {
		defer close(s.lines)
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			s.lines <- scanner.Text()
		}
	}()
	return s
}

// next returns the next event's id, type and data.
func (s *stream) next() (id, kind, data string) {
	s.t.Helper()
	for line := range s.lines {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			return id, kind, value
		}
	}
	s.t.Fatal("the stream ended without an event")
	return "", "", ""
}

// nextRun is the next event about a run.
func (s *stream) nextRun() (id, kind, data string) {
	s.t.Helper()
	for !strings.HasPrefix(kind, "run.") {
		id, kind, data = s.next()
	}
	return id, kind, data
}

// nextBut is the next event of another type.
func (s *stream) nextBut(left string) (id, kind, data string) {
	s.t.Helper()
	for kind == "" || kind == left {
		id, kind, data = s.next()
	}
	return id, kind, data
}

// place connects a report, so that there is something to refresh.
func place(report, as string) step {
	return step{
		name: "place " + report, method: "PUT", path: "/reports/{{" + report + "}}/connect-workbook", as: as, status: 200,
		body: `{"externalWorkbookId":"book of {{` + report + `}}","resultLocation":"S!B2","addressOnly":true}`,
	}
}

func TestEventsAreStreamedAndResumed(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, someReport)
		a.run(t, []step{place("report", "editor")})
		all := a.stream(t, "role7", "0-0")
		live := a.stream(t, "viewer", "")
		a.run(t, []step{
			{name: "a run", method: "POST", path: "/reports/{{report}}/refreshes", status: 202, keep: map[string]string{"run": "runId"}},
			{name: "of a report that others may not read", method: "POST", path: "/reports", body: `{"name":"secret","sqlQuery":"SELECT 1"}`, as: "editor2", status: 200, keep: map[string]string{"secret": "id"}},
			place("secret", "editor2"),
			{name: "and its run", method: "POST", path: "/reports/{{secret}}/refreshes", as: "editor2", status: 202, keep: map[string]string{"hidden": "runId"}},
			{name: "another report", method: "POST", path: "/reports", body: `{"name":"S","sqlQuery":"SELECT 2"}`, as: "editor", status: 200, keep: map[string]string{"other": "id"}},
			{name: "which role 7 may read", method: "PUT", path: "/reports/{{other}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
			place("other", "editor"),
			{name: "and its run too", method: "POST", path: "/reports/{{other}}/refreshes", status: 202, keep: map[string]string{"second": "runId"}},
		})
		for _, s := range []*stream{all, live} {
			id, kind, data := s.nextRun()
			if kind != "run.queued" || !strings.Contains(data, a.vars["run"]) || id == "" {
				t.Errorf("got %s %s %s, want the first run queued", id, kind, data)
			}
		}
		_, kind, data := all.nextRun()
		if kind != "run.queued" || !strings.Contains(data, a.vars["second"]) {
			t.Errorf("got %s %s, want the second run queued: the hidden one is not for role 7", kind, data)
		}
		resumed := a.stream(t, "role7", "1-0")
		if _, _, data := resumed.nextRun(); !strings.Contains(data, a.vars["run"]) {
			t.Errorf("resumed with %s, want the first run", data)
		}
		a.run(t, []step{
			{name: "an id that is none is refused", method: "GET", path: "/events", header: map[string]string{"Last-Event-ID": "yesterday"}, status: 400},
		})
	})
}

func TestPlacementsAreEventsToo(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, someReport)
		s := a.stream(t, "viewer", "0-0")
		at := `{"externalWorkbookId":"book","sheetName":"S","anchorCell":"B2","resultLocation":"S!B2"}`
		a.run(t, []step{
			{name: "connecting", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: at, status: 200},
			{name: "rewriting", method: "PUT", path: "/reports/{{report}}/refresh", body: at, status: 200},
			{name: "disconnecting", method: "DELETE", path: "/reports/{{report}}/connect-workbook", body: at, status: 200},
			{name: "disconnecting again tells nothing", method: "DELETE", path: "/reports/{{report}}/connect-workbook", body: at, status: 200},
			{name: "connecting an address", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"S!B2","addressOnly":true}`, status: 200},
			{name: "a run is the next event", method: "POST", path: "/reports/{{report}}/refreshes", status: 202},
		})
		for _, want := range []string{"placement.connected", "placement.refreshed", "placement.disconnected", "placement.connected", "run.queued"} {
			if _, kind, data := s.nextBut("report.changed"); kind != want || want != "run.queued" && !strings.Contains(data, `"resultLocation":"S!B2"`) {
				t.Errorf("got %s %s, want %s", kind, data, want)
			}
		}
	})
}

func TestReportsAndSchedulesAreEventsToo(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, someReport)
		s := a.stream(t, "viewer", "")
		schedule := `{"name":"Daily","target":{"reportId":{{report}}},"cron":["@daily"]}`
		a.run(t, []step{
			{name: "a report is updated", method: "PUT", path: "/reports/{{report}}", body: `{"title":"Another"}`, status: 200},
			{name: "again with the same", method: "PUT", path: "/reports/{{report}}", body: `{"title":"Another"}`, status: 200},
			{name: "scheduled", method: "POST", path: "/refresh-schedules", body: schedule, status: 200, keep: map[string]string{"schedule": "id"}},
			{name: "paused", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", status: 200},
			{name: "paused again", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", status: 200},
			{name: "deleted", method: "DELETE", path: "/refresh-schedules/{{schedule}}", status: 200},
		})
		for _, want := range []struct{ kind, data string }{
			{"report.changed", `"version":3`}, // access was given before
			{"schedule.changed", `"paused":false`},
			{"schedule.changed", `"paused":true`},
			{"schedule.deleted", `"scheduleId":` + a.vars["schedule"]},
		} {
			if _, kind, data := s.next(); kind != want.kind || !strings.Contains(data, want.data) {
				t.Errorf("got %s %s, want %s with %s", kind, data, want.kind, want.data)
			}
		}
	})
}

func TestAnOpenStreamEndsWithTheServer(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		s := a.stream(t, "viewer", "")
		if line := <-s.lines; line != ": connected" {
			t.Fatalf("the stream begins with %q", line)
		}
		a.server.Drain()
		for range s.lines { // ends with the stream
		}
	})
}

// What happens is read once, however many follow it.
func TestEventsAreReadOnceForAll(t *testing.T) {
	address := storagetest.Redis(t)
	a := newAPI(t, storagetest.Open(t, address))
	begun := time.Now()
	a.server.now = func() time.Time { return begun } // who may read a page stays known, however slow the machine
	a.run(t, someReport)
	streams := make([]*stream, 20)
	for i := range streams {
		streams[i] = a.stream(t, "viewer", "0-0")
	}
	retitle := func(title string) {
		a.run(t, []step{{name: title, method: "PUT", path: "/reports/{{report}}", body: `{"title":"` + title + `"}`, status: 200}})
		for _, s := range streams {
			for _, _, data := s.next(); !strings.Contains(data, a.version(t)); _, _, data = s.next() {
			}
		}
	}
	retitle("First") // all have had everything then
	calls, _ := storagetest.Asked(t, address, func() { retitle("Second") })
	if read := calls["cmdstat_xrange"]; read == 0 || read >= int64(len(streams)) {
		t.Errorf("an event was read by %d commands for %d subscribers: %v", read, len(streams), calls)
	}
}

// version is that of the report as an event has it.
func (a *api) version(t *testing.T) string {
	t.Helper()
	r := a.object(t, step{method: "GET", path: "/reports/{{report}}"})
	return fmt.Sprintf(`"version":%.0f`, r["version"])
}
