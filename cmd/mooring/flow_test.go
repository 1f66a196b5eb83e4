package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// A project goes to two deployments, is changed in files and on the server, and is pulled, pruned and published.
func TestProjectInTwoDeployments(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	saved := filepath.Join(t.TempDir(), "plan.json")

	p.shows(process.ExitChanges, "4 to create.", "plan", "{}", "--detailed-exitcode", "-o", saved)
	p.shows(process.ExitDone, "+ create schedule:daily", "show", saved, "{}")
	p.shows(process.ExitDone, "Applied to deployment 1", "apply", saved, "--approve")
	p.shows(process.ExitDone, "Applied to deployment 1", "apply", saved, "--approve") // the same, once
	p.applied("dev")
	p.writesNothing()
	p.shows(process.ExitDone, "workbook:board published", "publish", "board", "--dir", "{}")
	p.shows(process.ExitDone, "is published as it is", "publish", "--all", "--dir", "{}")

	p.fitsSchema("prod")
	p.shows(process.ExitChanges, "4 to create.", "plan", "{}", "--env", "prod", "--detailed-exitcode")
	p.shows(process.ExitDone, "Applied to deployment 2", "apply", "{}", "--env", "prod", "--approve")
	p.applied("prod")
	p.applied("dev")

	p.edit("placements/sales.yaml", "at: B2", "at: B2, statusCell: $b$1, shiftRows: true, fillRight: $h:j")
	p.shows(process.ExitChanges, `/statusCell: nothing → "B1"`, "plan", "{}", "--detailed-exitcode")
	p.shows(process.ExitChanges, `/fillRight: nothing → "H:J"`, "plan", "{}", "--detailed-exitcode")
	p.shows(process.ExitChanges, `/shiftRows: nothing → true`, "plan", "{}", "--detailed-exitcode")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
	p.changesInFiles(saved)
	p.changesOnTheServer()
	p.shows(process.ExitChanges, "2 to update, 2 unchanged.", "plan", "{}", "--env", "prod", "--detailed-exitcode")
}

// changesInFiles plans a change, and applies another one before it.
func (p *project) changesInFiles(saved string) {
	p.t.Helper()
	p.edit("reports/orders.yaml", "name: Orders", "name: All orders # of all time")
	p.shows(process.ExitChanges, `/name: "Orders" → "All orders"`, "plan", "{}", "--detailed-exitcode", "-o", saved)
	p.edit("reports/orders.yaml", "All orders", "Every order")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.shows(process.ExitConflict, "report:OrdersReport", "apply", saved, "--approve") // it moved
	p.applied("dev")
}

// changesOnTheServer makes changes by hand, which are shown as drift and pulled.
func (p *project) changesOnTheServer() {
	p.t.Helper()
	p.send("PUT", "1/reports/1", `{"title": "By Bob"}`)
	p.shows(process.ExitChanges, "/title", "drift", "{}", "--detailed-exitcode") // although the files do not say its title
	p.send("PUT", "1/reports/1", `{"name": "Bob's"}`)
	p.shows(process.ExitChanges, "changed on the server by bob@example.com", "drift", "{}", "--detailed-exitcode")
	p.fitsSchema("dev")
	p.shows(process.ExitDone, "~ reports/orders.yaml", "pull", "{}")
	if got := p.file("reports/orders.yaml"); !strings.Contains(got, `name: "Bob's" # of all time`) {
		p.t.Errorf("pulled:\n%s", got)
	}
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")

	p.edit("reports/orders.yaml", `name: "Bob's"`, "name: Mine")
	p.send("PUT", "1/reports/1", `{"name": "Bob's own"}`)
	p.shows(process.ExitConflict, `"Mine" → "Bob's own"`, "pull", "{}")
	p.run(process.ExitDone, "pull", "{}", "--theirs")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
}

// What is wrong with a plan is told with its place.
func TestProjectFaultsOnTheServer(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	p.edit("reports/orders.sql", "amount", "amout")
	p.shows(process.ExitFailed, "reports/orders.sql:1:22: report:OrdersReport: ", "plan", "{}")
	p.shows(process.ExitFailed, "no such column: amout", "apply", "{}", "--approve")
	p.edit("reports/orders.sql", "amout", "amount")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.run(process.ExitDone, "refresh", "--config", p.config, "--tenant", "acme", "--deployment", "1", "--report", "1")
	p.edit("reports/orders.sql", "customer, ", "")
	p.fitsSchema("dev")
	p.shows(process.ExitDone, "column that vanishes: customer; shown at orders.xlsx/Sheet1!B2", "plan", "{}")

	elsewhere := &project{p.codeSite, writeProject(t, map[string]string{
		"project.yaml":         "project: sales\nenvironments: {dev: {deployment: 2}}\nexternal: [OrdersReport]\n",
		"workbooks/board.yaml": "slug: board\nname: Board\ndashboard:\n  widgets:\n    - {type: CHART, config: {report: OrdersReport}}\n",
	})}
	elsewhere.shows(process.ExitFailed, "workbooks/board.yaml:5:38: ", "plan", "{}") // a report of another deployment
	writeFile(t, filepath.Join(elsewhere.dir, "workbooks", "board.yaml"), "slug: board\nname: Board\n")
	if err := os.Mkdir(filepath.Join(elsewhere.dir, "reports"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(elsewhere.dir, "reports", "orders.yaml"), "name: Orders\npublicId: OrdersReport\n")
	elsewhere.edit("project.yaml", "external: [OrdersReport]\n", "")
	elsewhere.shows(process.ExitConflict, "reports/orders.yaml:2:11: ", "plan", "{}") // and its publicId

	p.token = p.key("3", "--action", "All", "--deployment", "2")
	p.run(process.ExitDenied, "plan", "{}")
	p.token = p.key("3", "--action", "ReportRead")
	p.shows(process.ExitDenied, "reports/orders.yaml:1:11: ", "plan", "{}")
	p.token = "x"
	p.run(process.ExitDenied, "plan", "{}")
}

// Two projects keep to their own, unless one is told to take over; what is deleted is what was asked for.
func TestTwoProjects(t *testing.T) {
	t.Parallel()
	s := newCodeSite(t, storagetest.Redis(t), 2)
	first := &project{s, writeProject(t, sampleProject())}
	second := &project{s, writeProject(t, sampleProject(), map[string]string{
		"project.yaml":         "project: sales\nenvironments: {dev: {deployment: 1}}\n",
		"workbooks/board.yaml": "", "placements/sales.yaml": "", "schedules/daily.yaml": "",
	})}
	first.run(process.ExitDone, "apply", "{}", "--approve")
	second.shows(process.ExitConflict, "finance", "plan", "{}")
	second.shows(process.ExitConflict, "reports/orders.yaml:1:11: ", "apply", "{}", "--approve")
	plan := filepath.Join(t.TempDir(), "plan.json")
	second.run(process.ExitConflict, "plan", "{}", "-o", plan)
	second.run(process.ExitConflict, "apply", plan, "--approve")
	second.run(process.ExitDone, "apply", "{}", "--approve", "--take-over", "report:OrdersReport")
	second.run(process.ExitDone, "plan", "{}", "--detailed-exitcode")
	first.shows(process.ExitConflict, "sales", "plan", "{}")
	first.run(process.ExitDone, "apply", "{}", "--approve", "--take-over", "report:OrdersReport")
	first.applied("dev")

	if err := os.Remove(filepath.Join(first.dir, "schedules", "daily.yaml")); err != nil {
		t.Fatal(err)
	}
	first.run(process.ExitDone, "plan", "{}", "--detailed-exitcode")
	first.shows(process.ExitChanges, "- delete schedule:daily", "plan", "{}", "--prune", "--detailed-exitcode")
	first.run(process.ExitDone, "apply", "{}", "--prune", "--approve")
	first.applied("dev")

	first.run(process.ExitDone, "pull", "{}") // after which mooring.lock still knows that the files are as they were applied
	first.send("DELETE", "1/workbooks/1", "")
	first.shows(process.ExitDone, "deleted on the server by bob@example.com", "plan", "{}")
	first.shows(process.ExitDone, "- workbooks/board.yaml", "pull", "{}")
	first.applied("dev")
}

// Of reports that show one publicId each gets one of its own, whether they are of one deployment or of two.
func TestAdoptReportsThatShowOnePublicID(t *testing.T) {
	t.Parallel()
	site := newCodeSite(t, storagetest.Redis(t), 2)
	first := &project{site, writeProject(t, map[string]string{
		"project.yaml": "project: finance\nenvironments: {dev: {deployment: 1}}\n",
	})}
	second := &project{site, writeProject(t, map[string]string{
		"project.yaml": "project: sales\nenvironments: {dev: {deployment: 2}}\n",
	})}
	for _, deployment := range []string{"1", "1", "2"} {
		first.send("POST", deployment+"/reports", `{"name": "a", "sqlQuery": "SELECT 1 AS n"}`)
	}
	first.send("PUT", "1/reports/2/connect-workbook",
		`{"externalWorkbookId": "orders.xlsx", "resultLocation": "A!B2", "host": "SHEETS_B", "addressOnly": true}`)
	first.send("PUT", "1/refresh-schedules/by-key/k", `{"cron": ["@daily"], "target": {"reportId": 2}}`)
	first.send("POST", "1/workbooks", `{"name": "w", "slug": "w"}`)
	first.send("PUT", "1/workbooks/1/dashboard", `{"dashboardDraft": {"widgets": [{"type": "CHART", "config": {"reportId": 2}}]}}`)
	if got := first.publicIDs(1); got["1"] != got["2"] || second.publicIDs(2)["1"] != got["1"] {
		t.Fatalf("they show %v", got)
	}

	first.run(process.ExitDone, "pull", "{}", "--adopt", "report:#2")
	first.shows(process.ExitDone, "report #2 has no publicId of its own yet", "plan", "{}")
	first.adopts("1 to adopt.")
	first.run(process.ExitDone, "pull", "{}", "--adopt", "all")
	first.adopts("4 to adopt, 1 unchanged.") // by now the other one's publicId is its own
	second.run(process.ExitDone, "pull", "{}", "--adopt", "all")
	second.adopts("1 to adopt.") // which belongs to a report of the first deployment
	got, other := first.publicIDs(1), second.publicIDs(2)["1"]
	if got["1"] == got["2"] || other == got["1"] || other == got["2"] {
		t.Errorf("they show %v and %s", got, other)
	}
	first.applied("dev")
}

// adopts fails unless the next plan changes nothing but who manages assets, and once it is applied there is nothing left to do.
func (p *project) adopts(summary string) {
	p.t.Helper()
	p.shows(process.ExitChanges, summary, "plan", "{}", "--detailed-exitcode")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
	if out := p.run(process.ExitDone, "pull", "{}"); strings.Contains(out, ".yaml") {
		p.t.Errorf("a second pull says\n%s", out)
	}
}

// publicIDs are the publicIds that the reports of a deployment show, by their ids.
func (p *project) publicIDs(deployment int) map[string]string {
	p.t.Helper()
	var page struct{ Items []savedReport }
	if err := json.Unmarshal(p.send("GET", fmt.Sprintf("%d/reports", deployment), ""), &page); err != nil {
		p.t.Fatal(err)
	}
	shown := map[string]string{}
	for _, r := range page.Items {
		shown[fmt.Sprint(r.ID)] = r.PublicID
	}
	return shown
}

// A publicId that several reports show means the one that --adopt names.
func TestPlanAsksWhichReportIsMeant(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, "embedded", 1), writeProject(t, map[string]string{
		"project.yaml": "project: finance\nenvironments: {dev: {deployment: 1}}\n",
	})}
	for range 2 {
		p.send("POST", "1/reports", `{"name": "a", "sqlQuery": "SELECT 1"}`)
	}
	if err := os.Mkdir(filepath.Join(p.dir, "reports"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(p.dir, "reports", "a.yaml"), "name: a\npublicId: "+p.publicIDs(1)["1"]+"\n")
	p.shows(process.ExitConflict, "Several reports show the id", "plan", "{}")
	p.shows(process.ExitDone, "1 to adopt.", "plan", "{}", "--adopt", "report:#1")
}

// A plan's file is shown and applied wherever it is; in its project's folder, or with it, that is recorded as it was planned.
func TestSavedPlanAndItsFolder(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	other := writeProject(t, map[string]string{"project.yaml": "project: sales\nenvironments: {dev: {deployment: 1}}\n"})
	elsewhere, saved := t.TempDir(), filepath.Join(t.TempDir(), "plan.json")
	show := func(current, want string, args ...string) {
		t.Helper()
		if out := p.runIn(current, process.ExitDone, append([]string{"show", saved}, args...)...); !strings.Contains(out, want) {
			t.Errorf("in %s, %q shows no %q:\n%s", current, args, want, out)
		}
	}
	p.run(process.ExitDone, "plan", "{}", "-o", saved)
	p.edit("reports/orders.yaml", "name: Orders", "name: Not planned")
	show(elsewhere, "+ create schedule:daily\n")
	show(elsewhere, "+ create schedule:daily\n", filepath.Join(elsewhere, "none"))
	show(elsewhere, "::notice ", "--format", "github")
	show(other, "+ create schedule:daily\n")
	show(p.dir, "+ create schedule:daily in schedules/daily.yaml\n")
	p.edit("workbooks/board.yaml", "slug", "slag")
	show(p.dir, "+ create schedule:daily in schedules/daily.yaml\n")
	p.edit("workbooks/board.yaml", "slag", "slug")

	p.runIn(elsewhere, process.ExitDone, "apply", saved, "--approve")
	if out := p.run(process.ExitDone, "apply", saved, other, "--approve"); !strings.Contains(out, "mooring.lock is left as it is") {
		t.Errorf("with another project's folder:\n%s", out)
	}
	for _, dir := range []string{elsewhere, other, p.dir} {
		if _, err := os.Stat(filepath.Join(dir, "mooring.lock")); err == nil {
			t.Errorf("%s has a mooring.lock", dir)
		}
	}
	p.runIn(p.dir, process.ExitDone, "apply", saved, "--approve")
	lock := p.file("mooring.lock")
	if n := strings.Count(lock, "\n"); n != 4 {
		t.Errorf("mooring.lock has %d assets:\n%s", n, lock)
	}
	p.run(process.ExitDone, "pull", "{}")
	if got := p.file("mooring.lock"); got != lock {
		t.Errorf("a pull makes of mooring.lock\n%swas\n%s", got, lock)
	}
	p.run(process.ExitDone, "plan", "{}", "--env", "prod", "-o", saved)
	p.run(process.ExitDone, "apply", saved, "{}", "--approve")
	if n := strings.Count(p.file("mooring.lock"), "prod"); n != 4 {
		t.Errorf("of prod it has %d assets:\n%s", n, p.file("mooring.lock"))
	}
	p.run(process.ExitUsage, "apply", "{}", "{}", "--approve")
}

// What only the server finds is told together with what it finds in the files alone, each at its place, and nothing is written.
func TestFaultsThatNeedTheServerAreToldTogether(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	p.send("PUT", "2/reports/by-public-id/OfAnother001", `{"name": "of another deployment"}`)
	p.edit("project.yaml", "environments:", "external: [Nowhere00001, OfAnother001]\nenvironments:")
	p.edit("workbooks/board.yaml", "    - {id: a,", "    - {id: b, type: TEXT, position: {w: 0}}\n"+
		"    - {id: c, type: CHART, config: {report: OfAnother001}}\n    - {id: a,")
	p.edit("placements/sales.yaml", "items:\n", "items:\n  - {report: Nowhere00001, sheet: Sheet1, at: H2}\n")
	p.edit("schedules/daily.yaml", "{report: OrdersReport}", "{report: OrdersReport, document: orders.xlsx, at: Sheet1!B3}")
	before := p.assets()
	for _, command := range []string{"plan", "apply"} {
		args := []string{command, "{}"}
		if command == "apply" {
			args = append(args, "--approve")
		}
		out := p.run(process.ExitFailed, args...)
		for _, place := range []string{
			"workbooks/board.yaml:5:41: ", "workbooks/board.yaml:6:45: ", "placements/sales.yaml:4:14: ", "schedules/daily.yaml:3:59: ",
		} {
			if !strings.Contains(out, place) {
				t.Errorf("%s has no fault at %s\n%s", command, place, out)
			}
		}
	}
	if d := cmp.Diff(before, p.assets()); d != "" {
		t.Errorf("written (-before +after):\n%s", d)
	}
}
