//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/record/recordtest"
)

// report is one under attack: of the owner, who lets the reader and the boss read it.
type report struct {
	*attacker
	deployment int
	path, id   string
	host       placements.Host
}

// newReport makes a report of the owner in a deployment.
func (a *attacker) newReport(deployment int, query string) report {
	a.t.Helper()
	path := fmt.Sprintf("/api/v1/deployments/%d/reports", deployment)
	host := placements.SheetsA
	if deployment == recordtest.Deployment {
		host = placements.SheetsB
	}
	body, _ := json.Marshal(map[string]string{"name": "Under attack", "sqlQuery": query, "source": string(host)})
	id := a.must(recordtest.Owner+" at work", "POST", path, string(body)).get("id")
	r := report{a, deployment, path + "/" + id, id, host}
	list, _ := json.Marshal(map[string][]record.RoleAccess{"rolesWithAccess": recordtest.Grants()})
	a.must(recordtest.Owner+" at work", "PUT", r.path+"/access", string(list))
	return r
}

// place connects the report without data, and returns the placement's id.
func (r report) place(as, document, cell string, options ...string) string {
	r.t.Helper()
	id := fmt.Sprintf("p%s-%s-%s", r.id, document, cell)
	body := fmt.Sprintf(`{"externalWorkbookId":%q,"resultLocation":"Sheet1!%s","host":%q,"addressOnly":true,"placementId":%q%s}`,
		document, cell, r.host, id, strings.Join(append([]string{""}, options...), ","))
	r.must(as, "PUT", r.path+"/connect-workbook", body)
	return id
}

// run asks for a refresh of a placement, waits until it has ended or waits for something itself, and returns it as who asked sees it. One that
// is refused is an empty text.
func (r report) run(as, placement, options string) string {
	r.t.Helper()
	started := r.send(as, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q%s}`, placement, options))
	if !started.ok() {
		return ""
	}
	return r.awaitEnd(as, started.get("runId"))
}

// awaitEnd waits for the end of a run, or until all that is left of it waits.
func (r report) awaitEnd(as, id string) (run string) {
	r.t.Helper()
	until(r.t, "run "+id+" ends", func() bool {
		got := r.send(as, "GET", r.path+"/refreshes/"+id, "")
		run = got.text
		return !got.ok() || got.get("endedAt") != "" || strings.Contains(run, `"reason"`) || strings.Contains(run, `"nextAttemptAt"`)
	})
	return run
}

// look asks for everything that a person can ask of a placement; send finds what it shows.
func (r report) look(as, placement, document string) {
	r.t.Helper()
	at := r.path + "/placements/" + placement
	deployment := fmt.Sprintf("/api/v1/deployments/%d", r.deployment)
	paths := []string{
		r.path + "?include=resultChecksum,meta", r.path + "/refreshes", at + "/edits", at + "/changes", deployment + "/placements?include=resultChecksum",
		deployment + "/refreshes", "/api/v1/external-documents/" + document + "/placements?include=resultChecksum",
		deployment + "/refresh-schedules", deployment + "/documents", deployment + "/stats", r.path + "/versions",
	}
	var runs struct{ Items []struct{ RunID, ID string } }
	for _, path := range paths {
		got := r.send(as, "GET", path, "")
		if err := json.Unmarshal([]byte(got.text), &runs); err != nil {
			continue
		}
		for _, one := range runs.Items {
			if one.RunID != "" {
				r.send(as, "GET", at+"/changes/"+one.RunID, "")
			}
		}
	}
}
