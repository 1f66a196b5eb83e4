package webtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/recordtest"
)

// Send sends a request as one of the people or makers, by name, and returns the answer's status and text.
type Send func(as string, r Request) (status int, answer string)

// World is one set of the assets that the table is about.
type World struct {
	send   Send
	values map[string]string // by name, asset and person, as far as it depends on them
}

// Documents are the spreadsheets of the n-th world.
func Documents(n int) []string {
	return []string{document(recordtest.Owner, n), document(recordtest.Reader, n), document(recordtest.Boss, n), document(recordtest.Former, n), document(hiddenOnes, n), document(anew, n)}
}

// The documents of nobody by name: where the hidden report is placed, and where nothing is.
const (
	hiddenOnes = "hidden"
	anew       = "anew"
)

// document is the one where a person has placed the report: the last word of their name.
func document(whose string, n int) string {
	return fmt.Sprintf("%s-%d.xlsx", whose[strings.LastIndexByte(whose, ' ')+1:], n)
}

// Account are the ids of what an account has besides its assets: a device of the owner's, and a key that the administrator has made.
type Account struct{ Device, Key string }

// NewKey has the administrator make a key, and returns its id.
func NewKey(send Send) (id string, err error) {
	status, answer := send(recordtest.Admin, Request{"POST", "/api/v1/keys", `{"name":"rights","deployments":[1],"actions":["ReportRead"],"days":1}`})
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(answer), &made); err != nil || made.ID == "" {
		return "", fmt.Errorf("no key: %d %s", status, answer)
	}
	return made.ID, nil
}

// Make makes the n-th world in a deployment with that query of its source.
func Make(n int, query string, in Account, send Send) (w *World, err error) {
	w = &World{send: send, values: map[string]string{
		"deploymentId": strconv.Itoa(recordtest.Deployment), "n": strconv.Itoa(n), "version": "1", "userCode": "BCDF-GHJK", "deviceId": in.Device, "keyId": in.Key,
		"anew": document(anew, n), "hookId": "none", "page": "none", "file": "none",
	}}
	defer func() {
		if f, ok := recover().(failure); ok {
			err = f.error
		}
	}()
	w.reports(query)
	w.places()
	w.schedules()
	w.plans()
	w.withdraw()
	w.runs()
	return w, nil
}

// Remove deletes the reports with their schedules, as far as they are still there, so that no list grows with the worlds.
func (w *World) Remove() {
	for on, as := range map[recordtest.Asset]string{recordtest.Report: owner, recordtest.Hidden: boss} {
		w.send(as, Request{"DELETE", "/api/v1/deployments/" + w.values["deploymentId"] + w.at("/reports/{reportId}?force=true", on), ""})
	}
}

// failure is a panic with what went wrong in making a world.
type failure struct{ error }

const (
	owner = recordtest.Owner + " at work"
	boss  = recordtest.Boss + " at work"
)

// do sends a request below the deployment that must succeed, and returns a member of the answer as text.
func (w *World) do(as, method, path, body, member string) string {
	path = "/api/v1/deployments/" + w.values["deploymentId"] + path
	status, answer := w.send(as, Request{method, path, body})
	if status >= http.StatusMultipleChoices {
		panic(failure{fmt.Errorf("%s: %s %s: %d %s", as, method, path, status, answer)})
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(answer), &object); err != nil {
		panic(failure{fmt.Errorf("%s %s: %w", method, path, err)})
	}
	return strings.Trim(string(object[member]), `"`)
}

// value is one for a right: the most special that there is.
func (w *World) value(name string, r recordtest.Right) (string, bool) {
	if name == "runId" && r.Takes == recordtest.Asker {
		name = "clientRunId"
	}
	for _, key := range []string{name + " " + string(r.On) + " " + r.Whose, name + " " + string(r.On), name} {
		if value, ok := w.values[key]; ok {
			return value, true
		}
	}
	return "", false
}

func (w *World) keep(name string, on recordtest.Asset, whose, value string) {
	key := name + " " + string(on)
	if whose != "" {
		key += " " + whose
	}
	w.values[key] = value
}

// reports makes the report, the hidden one and the workbook.
func (w *World) reports(query string) {
	n := w.values["n"]
	body := func(name string) string {
		text, _ := json.Marshal(map[string]string{"name": name + " " + n, "sqlQuery": query, "source": string(placements.SheetsB)})
		return string(text)
	}
	for on, as := range map[recordtest.Asset]string{recordtest.Report: owner, recordtest.Hidden: boss} {
		id := fmt.Sprintf("%s%06s", string(on)[:6], n)
		w.keep("publicId", on, "", id)
		w.keep("reportId", on, "", w.do(as, "PUT", "/reports/by-public-id/"+id, body(string(on)), "id"))
	}
	w.access(append(recordtest.Grants(), record.RoleAccess{ID: recordtest.Formers, Name: "Formers", Actions: []string{record.ActionReportRead}}))
	w.keep("slug", recordtest.Board, "", "board-"+n)
	w.keep("workbookId", recordtest.Board, "", w.do(owner, "PUT", "/workbooks/by-slug/board-"+n, `{"name":"Board","meta":{"dashboardDraft":{"title":"Draft"}}}`, "id"))
}

// access sets the report's access list.
func (w *World) access(list []record.RoleAccess) {
	text, _ := json.Marshal(map[string]any{"rolesWithAccess": list})
	w.do(owner, "PUT", w.at("/reports/{reportId}/access", recordtest.Report), string(text), "id")
}

// at fills in a path with the ids of an asset.
func (w *World) at(path string, on recordtest.Asset) string {
	return parameter.ReplaceAllStringFunc(path, func(name string) string {
		value, _ := w.value(strings.Trim(name, "{}"), recordtest.Right{On: on})
		return value
	})
}

// place has one of the people place an asset in a spreadsheet.
func (w *World) place(on recordtest.Asset, whose, name string) {
	n, _ := strconv.Atoi(w.values["n"])
	id := fmt.Sprintf("%s %s %d", on, whose, n)
	body := fmt.Sprintf(`{"externalWorkbookId":%q,"resultLocation":"Sheet1!B2","host":"SHEETS_B","addressOnly":true,"sheetId":"7","placementId":%q}`,
		document(name, n), id)
	w.do(whose, "PUT", w.at("/reports/{reportId}/connect-workbook", on), body, "id")
	w.keep("placementId", on, whose, id)
	w.keep("externalWorkbookId", on, whose, document(name, n))
}

func (w *World) places() {
	for _, whose := range []string{recordtest.Owner, recordtest.Reader, recordtest.Boss, recordtest.Former} {
		w.place(recordtest.Report, whose, whose)
	}
	w.place(recordtest.Hidden, recordtest.Boss, hiddenOnes)
}

// schedules makes those of the owner and of the boss for their whole reports, and those of the others for their own placements.
func (w *World) schedules() {
	for _, of := range []struct {
		on        recordtest.Asset
		whose, as string
		target    string
	}{
		{recordtest.Report, recordtest.Owner, owner, ""},
		{recordtest.Report, recordtest.Reader, recordtest.Reader, recordtest.Reader},
		{recordtest.Report, recordtest.Former, recordtest.Former, recordtest.Former},
		{recordtest.Hidden, recordtest.Boss, boss, ""},
	} {
		key := fmt.Sprintf("%s.%s.%s", of.on, of.whose[strings.LastIndexByte(of.whose, ' ')+1:], w.values["n"])
		target := w.at(`{"reportId":{reportId}`, of.on)
		if of.target != "" {
			target += fmt.Sprintf(`,"placementId":%q`, w.values["placementId "+string(of.on)+" "+of.target])
		}
		target += "}"
		w.keep("key", of.on, of.whose, key)
		w.keep("target", of.on, of.whose, target)
		w.keep("scheduleId", of.on, of.whose, w.do(of.as, "POST", "/refresh-schedules", `{"key":"`+key+`","cron":"@yearly","target":`+target+`}`, "id"))
	}
}

// plans makes a plan of the owner that changes the report, and one of the boss that changes the hidden one.
func (w *World) plans() {
	for on, as := range map[recordtest.Asset]string{recordtest.Report: owner, recordtest.Hidden: boss} {
		body := w.at(`{"project":"plan-{n}","assets":[{"kind":"report","ref":"{publicId}","definition":{"name":"Planned {n}"}}]}`, on)
		whose := strings.TrimSuffix(as, " at work")
		w.keep("planId", on, whose, w.do(as, "POST", "/plans", body, "id"))
	}
}

// withdraw takes the report from the former one.
func (w *World) withdraw() { w.access(recordtest.Grants()) }

// runs has each of the people ask for one of their own placement.
func (w *World) runs() {
	for _, of := range []struct {
		on    recordtest.Asset
		whose string
	}{{recordtest.Report, recordtest.Owner}, {recordtest.Report, recordtest.Reader}, {recordtest.Report, recordtest.Boss}, {recordtest.Hidden, recordtest.Boss}} {
		body := fmt.Sprintf(`{"placementId":%q}`, w.values["placementId "+string(of.on)+" "+of.whose])
		id := w.do(of.whose, "POST", w.at("/reports/{reportId}/refreshes", of.on), body, "runId")
		w.keep("runId", of.on, of.whose, id)
		w.keep("clientRunId", of.on, of.whose, id)
	}
}
