//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// asked sends requests and checks their statuses.
func (s *site) asked(who string, want int, method, path, body string) string {
	s.t.Helper()
	status, answer := s.send(method, path, body)
	if status != want {
		s.t.Errorf("%s: %s %s: %d, want %d: %s", who, method, path, status, want, answer)
	}
	return answer
}

// member is a member of the JSON object that an answer is.
func (s *site) member(answer, name string) string {
	s.t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(answer), &object); err != nil || object[name] == nil {
		s.t.Fatalf("%s in %s: %v", name, answer, err)
	}
	return strings.Trim(string(object[name]), `"`)
}

// device is the site as a device sees it that owner approved with a grant.
func (s *site) device(owner *site, grant string) *site {
	s.t.Helper()
	codes := s.asked("a device", http.StatusOK, "POST", "/api/v1/device/code", `{"client_name":"Pane"}`)
	owner.asked("the person", http.StatusOK, "POST", "/api/v1/device/"+s.member(codes, "user_code")+"/approve", grant)
	tokens := s.asked("a device", http.StatusOK, "POST", "/api/v1/device/token",
		`{"grant_type":"urn:ietf:params:oauth:grant-type:device_code","device_code":"`+s.member(codes, "device_code")+`"}`)
	paired := *s
	paired.client.token = s.member(tokens, "access_token")
	return &paired
}

// Of what a person made, a key with --only and a device do what was chosen for them and no more.
func TestNarrowTokensOfWhoMadeEverything(t *testing.T) {
	t.Parallel()
	const d = "/api/v1/deployments/1"
	s := newSite(t)
	ana := s.as("--user", "3", "--action", "ReportEdit", "--action", "WorkbookEdit")
	made := ana.asked("ana", 200, "POST", d+"/reports", `{"name":"Shop","sqlQuery":"SELECT name FROM t","source":"SHEETS_B"}`)
	report := d + "/reports/" + s.member(made, "id")
	ana.asked("ana", 200, "PUT", report+"/connect-workbook", `{"externalWorkbookId":"book.xlsx","resultLocation":"Sheet1!H1"}`)
	schedule := d + "/refresh-schedules/" + s.member(
		ana.asked("ana", 200, "POST", d+"/refresh-schedules", `{"target":{"reportId":`+s.member(made, "id")+`},"cron":"@yearly"}`), "id")
	book := d + "/workbooks/" + s.member(ana.asked("ana", 200, "POST", d+"/workbooks", `{"name":"Board"}`), "id")

	for who, narrow := range map[string]*site{
		"a key with --only":            s.as("--user", "3", "--role", "7", "--action", "ReportRead", "--action", "WorkbookRead", "--only", "ReportRead", "--only", "WorkbookRead"),
		"a device":                     s.device(ana, `{"deployments":[1],"actions":["ReportRead","WorkbookRead"]}`),
		"a device of who has no rules": s.device(s.as("--user", "3"), `{"deployments":[1],"actions":[],"bound":["ReportRead","WorkbookRead"]}`),
	} {
		if me := narrow.asked(who, 200, "GET", "/api/v1/me", ""); !strings.Contains(me, `"bound":["ReportRead","WorkbookRead"]`) {
			t.Errorf("%s: %s", who, me)
		}
		for _, path := range []string{report, schedule, book} {
			narrow.asked(who, 200, "GET", path, "")
		}
		if seen := narrow.asked(who, 200, "GET", report, ""); !strings.Contains(seen, `"canEdit":false,"canManage":false`) {
			t.Errorf("%s is told that they may edit: %s", who, seen)
		}
		for _, write := range []struct{ method, path, body string }{
			{"PUT", report, `{"name":"Other"}`},
			{"PUT", report + "/access", `{"rolesWithAccess":[{"id":9,"name":"All","actions":["All"]}]}`},
			{"DELETE", report + "?force=true", ""},
			{"PUT", schedule, `{"cron":"@daily"}`},
			{"POST", schedule + "/pause", ""},
			{"DELETE", schedule, ""},
			{"PUT", book, `{"name":"Other"}`},
			{"PUT", book + "/dashboard", `{"dashboardDraft":{}}`},
			{"POST", book + "/publish", ""},
			{"DELETE", book, ""},
			{"POST", d + "/reports", `{"name":"New"}`},
		} {
			narrow.asked(who, 403, write.method, write.path, write.body)
		}
	}
	first, second := s.device(ana, `{"deployments":[1],"actions":[]}`), s.device(ana, `{"deployments":[1],"actions":["ReportEdit"]}`)
	other := s.member(second.asked("a device", 200, "GET", "/api/v1/me", ""), "deviceId")
	if seen := first.asked("a device without actions", 200, "GET", "/api/v1/devices", ""); strings.Contains(seen, other) {
		t.Errorf("a device sees another: %s", seen)
	}
	first.asked("a device without actions", 404, "DELETE", "/api/v1/devices/"+other, "")
	first.asked("a device without actions", 404, "GET", report, "")
	second.asked("a device for editing", 200, "PUT", report, `{"name":"Other"}`)
	second.asked("a device for editing", 403, "DELETE", report+"?force=true", "")
	s.as("--user", "3").asked("a key without a bound", 200, "DELETE", report+"?force=true", "")
}

// Stopping the runs of others and the settings of the account take more than a reader's token or one for a deployment.
func TestNarrowTokensAndWhatIsOfAll(t *testing.T) {
	t.Parallel()
	const d = "/api/v1/deployments/1"
	s := newSite(t)
	made := s.asked("the admin", 200, "POST", d+"/reports", `{"name":"Shop","sqlQuery":"SELECT name FROM t","source":"SHEETS_B"}`)
	report := d + "/reports/" + s.member(made, "id")
	s.asked("the admin", 200, "PUT", report+"/connect-workbook", `{"externalWorkbookId":"gone.xlsx","resultLocation":"Sheet1!H1"}`)
	run := s.member(s.asked("the admin", 202, "POST", report+"/refreshes", ""), "runId")
	reader := s.as("--user", "3", "--action", "ReportRead")
	reader.asked("a reader", 403, "DELETE", d+"/refreshes/"+run, "")
	if out := reader.asked("a reader", 200, "POST", d+"/bulk/refreshes", `{"action":"stop","filter":{},"expectedCount":1}`); !strings.Contains(out, `"done":0`) || !strings.Contains(out, run) {
		t.Errorf("a reader stops all runs: %s", out)
	}
	one := s.as("--user", "4", "--action", "All", "--deployment", "1")
	one.asked("All for one deployment", 403, "PUT", "/api/v1/tenant/settings", `{"oidcEnabled":true}`)
	one.asked("All for one deployment", 200, "GET", "/api/v1/tenant/settings", "")
	if status, _ := s.send("DELETE", d+"/refreshes/"+run, ""); status >= http.StatusBadRequest {
		t.Errorf("who asked for the run does not stop it: %d", status)
	}
}

// Who may not read a report plans nothing with its schedule and placement by taking the name of their project.
func TestPlansOfWhoTakesAProjectsName(t *testing.T) {
	t.Parallel()
	const d = "/api/v1/deployments/1"
	s := newSite(t)
	apply := func(who *site, bundle string) {
		t.Helper()
		plan := s.member(who.asked("a plan", 200, "POST", d+"/plans", bundle), "id")
		who.asked("an apply", 200, "POST", d+"/plans/"+plan+"/apply", "")
	}
	const secret, own = "Secret000001", "Readable0001"
	bundle := func(report string, more string) string {
		return fmt.Sprintf(`{"project":"finance","assets":[
			{"kind":"placement","ref":"book.xlsx/Sheet1!H1","definition":{"report":%q,"document":"book.xlsx","sheet":"Sheet1","anchor":"H1"}},
			{"kind":"schedule","ref":"daily","protect":%t,"definition":{"cron":"@yearly","name":"Board meeting","target":{"publicId":%q}}}%s]}`,
			report, more != "", report, more)
	}
	apply(s, bundle(secret, `,{"kind":"report","ref":"`+secret+`","definition":{"name":"Salaries","source":"SHEETS_B","sqlQuery":"SELECT name FROM t"}}`))
	s.asked("the admin", 200, "PUT", d+"/reports/by-public-id/"+own, `{"name":"Shop","source":"SHEETS_B","sqlQuery":"SELECT name FROM t"}`)
	id := s.member(s.asked("the admin", 200, "GET", d+"/reports/by-public-id/"+own, ""), "id")
	s.asked("the admin", 200, "PUT", d+"/reports/"+id+"/access", `{"rolesWithAccess":[{"id":7,"name":"Some","actions":["ReportEdit"]}]}`)

	other := s.as("--user", "3", "--role", "7")
	other.asked("a person without actions", 404, "GET", d+"/reports/by-public-id/"+secret, "")
	answer := other.asked("a plan of what is hidden", 200, "POST", d+"/plans", bundle(own, ""))
	if !strings.Contains(answer, `"conflict":2`) || strings.Contains(answer, secret) || strings.Contains(answer, "Board meeting") {
		t.Errorf("%s", answer)
	}
	other.asked("its apply", 409, "POST", d+"/plans/"+s.member(answer, "id")+"/apply", "")
	if pulled := other.asked("a pull", 200, "GET", d+"/managed?project=finance", ""); !strings.Contains(pulled, `"items":[]`) {
		t.Errorf("%s", pulled)
	}
	pruning := `{"project":"finance","prune":{},"assets":[{"kind":"report","ref":"` + own + `","definition":{}}]}`
	apply(other, pruning)
	if stands := s.asked("the admin", 200, "GET", d+"/refresh-schedules/by-key/daily", ""); !strings.Contains(stands, secret) {
		t.Errorf("%s", stands)
	}
	if stands := s.asked("the admin", 200, "GET", d+"/reports/by-public-id/"+secret, ""); !strings.Contains(stands, "book.xlsx") {
		t.Errorf("it was disconnected: %s", stands)
	}
}
