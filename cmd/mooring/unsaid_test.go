package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
)

// What files leave out means what the last apply left: an edit of it by hand is drift, a plan takes it back, and a pull writes it.
func TestEditsByHandOfWhatFilesLeaveOut(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, "embedded", 2), writeProject(t, sampleProject())}
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
	p.send("PUT", "1/reports/1", `{"title": "By Bob", "description": "Also"}`)
	p.send("PUT", "1/reports/1/access", `{"rolesWithAccess": [{"id": 12, "name": "viewers", "actions": ["ReportRead"]}]}`)
	p.send("PUT", "1/refresh-schedules/1", `{"paused": true}`)
	p.shows(process.ExitChanges, "/access, /description, /title", "drift", "{}", "--detailed-exitcode")
	p.shows(process.ExitChanges, `/title: "By Bob" → ""`, "plan", "{}", "--detailed-exitcode")
	p.run(process.ExitDone, "pull", "{}")
	for file, line := range map[string]string{
		"reports/orders.yaml": "title: By Bob", "schedules/daily.yaml": "paused: true",
	} {
		if !strings.Contains(p.file(file), line) {
			t.Errorf("%s has no %q:\n%s", file, line, p.file(file))
		}
	}
	if text := p.file("reports/orders.yaml"); !strings.Contains(text, "viewers: [ReportRead]") || !strings.Contains(text, "description: Also") {
		t.Errorf("pulled:\n%s", text)
	}
	p.applied("dev")

	p.edit("reports/orders.yaml", "title: By Bob\n", "")
	p.shows(process.ExitChanges, `/title: "By Bob" → ""`, "plan", "{}", "--detailed-exitcode")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
	p.edit("reports/orders.yaml", "description: Also\n", "")
	p.shows(process.ExitChanges, `/description: "Also" → ""`, "plan", "{}", "--detailed-exitcode")

	if err := os.Remove(filepath.Join(p.dir, "reports", "orders.sql")); err != nil {
		t.Fatal(err)
	}
	p.shows(process.ExitFailed, "there is no reports/orders.sql", "validate", "{}")
	p.shows(process.ExitDone, "the report has no query: it is not refreshed", "plan", "{}")
	p.edit("reports/orders.yaml", "name: Orders\n", "name: Orders\nsql: null\n")
	p.run(process.ExitDone, "validate", "{}")
	p.shows(process.ExitDone, "/sqlQuery:", "apply", "{}", "--approve")
	p.shows(process.ExitDone, "4 unchanged.", "plan", "{}")
}

// A change of protect is applied, and decides what a prune does; what no file has any more is told, by its name.
func TestProtectAndWhatNoFileHas(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, "embedded", 2), writeProject(t, sampleProject())}
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.edit("reports/orders.yaml", "name: Orders", "name: Orders\nprotect: true")
	p.shows(process.ExitChanges, "/protect: nothing → true", "plan", "{}", "--detailed-exitcode")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")

	p.edit("placements/sales.yaml", "at: B2", "at: F2")
	p.shows(process.ExitDone, `kept placement:orders.xlsx/Sheet1!B2 "Orders"`, "plan", "{}")
	p.shows(process.ExitDone, "+ create placement:orders.xlsx/Sheet1!F2", "plan", "{}")
	p.edit("placements/sales.yaml", "at: F2", "at: B2")

	for _, dir := range []string{"reports", "placements", "schedules", "workbooks"} {
		if err := os.RemoveAll(filepath.Join(p.dir, dir)); err != nil {
			t.Fatal(err)
		}
	}
	p.shows(process.ExitDone, "no file: --prune deletes it", "plan", "{}")
	p.shows(process.ExitDone, "no file, and it is protected: --prune keeps it", "plan", "{}")
	other := filepath.Join(p.dir, "workbooks", "other.yaml")
	if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, other, "slug: other\n")
	p.shows(process.ExitDone, `- delete workbook:board "Board"`, "plan", "{}", "--prune", "--detach")
	p.shows(process.ExitDone, "it is protected: remove protect and apply that first", "plan", "{}", "--prune", "--detach")

	p.shows(process.ExitFailed, "report:Nowhere00000 is no asset of the bundle", "plan", "{}", "--take-over", "report:Nowhere00000")
	p.shows(process.ExitFailed, "adopt names workbook:none", "pull", "{}", "--adopt", "workbook:none")
}

// A dashboard that shows a report deleted by force is pulled into a folder that is valid and plans nothing.
func TestPullOfAChartWhoseReportIsGone(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, "embedded", 2), writeProject(t, sampleProject())}
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.send("DELETE", "1/reports/1?force=true", "")
	p.shows(process.ExitDone, "shows report #1, which is gone", "pull", "{}")
	p.shows(process.ExitDone, "warning: ", "validate", "{}")
	p.applied("dev")
	p.edit("workbooks/board.yaml", "name: Board", "name: The board")
	p.run(process.ExitDone, "apply", "{}", "--approve")
	p.applied("dev")
}
