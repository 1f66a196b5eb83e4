//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/storagetest"
)

// addIn is a user's add-in at the height of HTTP.
type addIn struct {
	*site
	report, placement string
	run               string // path
}

// addIn returns the add-in of s' user, about a block of a report that they place.
func (s *site) addIn(path, document, at, id string) *addIn {
	s.t.Helper()
	body := `{"externalWorkbookId":"` + document + `","resultLocation":"` + at + `","placementId":"` + id + `","host":"SHEETS_B","addressOnly":true}`
	if status, answer := s.send(http.MethodPut, path+"/connect-workbook", body); status != http.StatusOK {
		s.t.Fatalf("connect: %d %s", status, answer)
	}
	return &addIn{site: s, report: path, placement: id}
}

// start begins a run, as soon as the service lets it.
func (c *addIn) start() {
	c.t.Helper()
	for {
		status, answer := c.send(http.MethodPost, c.report+"/refreshes", `{"executor":"client","placementId":"`+c.placement+`"}`)
		switch status {
		case http.StatusAccepted:
			_, id, _ := strings.Cut(answer, `"runId":"`)
			id, _, _ = strings.Cut(id, `"`)
			c.run = "/api/v1/deployments/1/refreshes/" + id
			return
		case http.StatusServiceUnavailable: // an agent has the spreadsheet
		default:
			c.t.Fatalf("start: %d %s", status, answer)
		}
	}
}

// step sends a step of the run, under its first fence.
func (c *addIn) step(method, step, more string) (status int, answer string) {
	c.t.Helper()
	return c.send(method, c.run+"/"+step, `{"fence":1`+more+`}`)
}

const emptyBlock = `,"anchor":"Sheet1!A1","extent":{"rows":40,"columns":4},"cells":[]`

// sharedReport is a report of the chief's that sellers may read, and each of whom sees their own rows of.
func sharedReport(chief *site) (path string) {
	chief.t.Helper()
	path, _ = chief.report("1", "SELECT item FROM sales ORDER BY item")
	readers := `{"rolesWithAccess":[{"id":7,"name":"Sellers","actions":["ReportRead"]}]}`
	if status, answer := chief.send(http.MethodPut, path+"/access", readers); status != http.StatusOK {
		chief.t.Fatal(answer)
	}
	return path
}

// waitsBehindAddIn waits until an agent waits for a spreadsheet that an add-in has.
func (s *site) waitsBehindAddIn() {
	s.t.Helper()
	redis := storagetest.Binary(s.t, "redis-cli")
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		out, err := exec.CommandContext(s.t.Context(), redis, "-u", s.redis, "--scan", "--pattern", "*:lock:turn:*").CombinedOutput()
		if err != nil {
			s.t.Fatalf("redis-cli: %v\n%s", err, out)
		}
		if len(out) > 0 {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("no agent waits\n%s", s.server.out)
		}
	}
}

// A reader whose add-in holds a shared file and takes it again at once has it after the agent that waits for it.
func TestAnAddInHasASharedFileInTurns(t *testing.T) {
	t.Parallel()
	s := newSecuredSite(t)
	chief := s.as("--user", "1", "--role", "9", "--action", "ReportEdit")
	path := sharedReport(chief)
	chief.connect(path, "chief.xlsx", "Sheet1!A1")
	viewer := s.as("--user", "3", "--role", "7").addIn(path, "chief.xlsx", "Sheet1!H1", "theirs")
	viewer.start()
	id := chief.placed(path)[0].ID
	var started struct{ RunID string }
	if err := chief.client.do(t.Context(), http.MethodPost, path+"/refreshes", map[string]any{"placementId": id}, &started); err != nil {
		t.Fatal(err)
	}
	chief.waitsBehindAddIn()
	if status, answer := viewer.step(http.MethodPut, "lease", ""); status != http.StatusOK {
		t.Errorf("lease: %d %s", status, answer)
	}
	if status, answer := viewer.send(http.MethodDelete, viewer.run, ""); status != http.StatusAccepted {
		t.Errorf("stop: %d %s", status, answer)
	}
	viewer.start()
	if run := chief.shown(path+"/refreshes/"+started.RunID, "ended", hasEnded); run.State != placements.RunSucceeded {
		t.Errorf("the add-in has the file again, and the chief's run is %s (%s)", run.State, run.Error)
	}
	if status, answer := viewer.step(http.MethodPut, "lease", ""); status != http.StatusOK {
		t.Errorf("the chief's run had the file, or waited for it, while the add-in had it again: lease: %d %s", status, answer)
	}
}

// A placement that is taken over while its user's add-in refreshes it shows that user nothing of what its new user may see.
func TestAClientRunShowsNobodyElsesRows(t *testing.T) {
	t.Parallel()
	s := newSecuredSite(t)
	chief := s.as("--user", "1", "--role", "9", "--action", "ReportEdit")
	rope, buoy := s.as("--user", "3", "--role", "7"), s.as("--user", "4", "--role", "7")
	path := sharedReport(chief)
	taken(rope, buoy, path, false)
	taken(rope, buoy, path, true)
}

// taken lets buoy take over the placement that rope's add-in refreshes, before or after it has a plan.
func taken(rope, buoy *site, path string, planned bool) {
	t := rope.t
	t.Helper()
	at := `{"externalWorkbookId":"viewer.xlsx","resultLocation":"Sheet1!A1","placementId":"shared","host":"SHEETS_B"}`
	if status, answer := rope.send(http.MethodPut, path+"/connect-workbook", at); status != http.StatusOK {
		t.Fatalf("connect: %d %s", status, answer)
	}
	one := rope.addIn(path, "viewer.xlsx", "Sheet1!A1", "shared")
	one.start()
	sum := `{"v":2,"chunks":[]}`
	if planned {
		status, answer := one.step(http.MethodPost, "plan", emptyBlock)
		if status != http.StatusOK || !strings.Contains(answer, "rope") || strings.Contains(answer, "buoy") {
			t.Fatalf("plan: %d %s", status, answer)
		}
		var plan struct{ ResultChecksum json.RawMessage }
		if err := json.Unmarshal([]byte(answer), &plan); err != nil {
			t.Fatal(err)
		}
		sum = string(plan.ResultChecksum)
	}
	if status, answer := buoy.send(http.MethodPut, path+"/connect-workbook", at); status != http.StatusOK {
		t.Fatalf("take over: %d %s", status, answer)
	}
	for step, send := range map[string]func() (int, string){
		"lease":    func() (int, string) { return one.step(http.MethodPut, "lease", "") },
		"plan":     func() (int, string) { return one.step(http.MethodPost, "plan", emptyBlock) },
		"complete": func() (int, string) { return one.step(http.MethodPost, "complete", `,"resultChecksum":`+sum) },
	} {
		status, answer := send()
		if status != http.StatusForbidden || !strings.Contains(answer, `"code":"not_placer"`) || strings.Contains(answer, "buoy") {
			t.Errorf("%s: %d %s", step, status, answer)
		}
	}
	if run := one.shown(one.run, "ended", hasEnded); run.State != placements.RunStopped || run.RowsWritten != 0 {
		t.Errorf("the run is %s, %d rows written", run.State, run.RowsWritten)
	}
	other := &addIn{site: buoy, report: path, placement: "shared"}
	other.start()
	status, answer := other.step(http.MethodPost, "plan", emptyBlock)
	if status != http.StatusOK || !strings.Contains(answer, "buoy") || strings.Contains(answer, "rope") {
		t.Errorf("the plan of who took it over: %d %s", status, answer)
	}
	if status, answer := other.send(http.MethodDelete, other.run, ""); status != http.StatusAccepted {
		t.Errorf("stop: %d %s", status, answer)
	}
}
