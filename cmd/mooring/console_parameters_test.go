package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/storage/storagetest"
)

// setUp writes the workbook orders.xlsx anew, with what the cell Setup!B2 holds.
func (s *codeSite) setUp(value string) {
	s.t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	if _, err := book.NewSheet("Setup"); err != nil {
		s.t.Fatal(err)
	}
	if err := book.SetCellValue("Setup", "B2", value); err != nil {
		s.t.Fatal(err)
	}
	if err := book.SaveAs(filepath.Join(filepath.Dir(s.config), "sheets", "orders.xlsx")); err != nil {
		s.t.Fatal(err)
	}
}

// ordersOfOne makes a report that asks for a customer, who may come from a cell, and for an amount, and places it for the cell Setup!B2.
func (s *codeSite) ordersOfOne() {
	s.t.Helper()
	s.send("POST", "1/reports", `{"name": "Orders of one", "sqlQuery": "SELECT customer, amount FROM orders WHERE customer = @who AND amount >= @least", "parameters": [
		{"name": "who", "title": "Customer", "type": "text", "allowed": ["Ada", "Ben"], "fromCells": true},
		{"name": "least", "title": "At least", "type": "number", "default": 10}]}`)
	s.send("PUT", "1/reports/1/connect-workbook", `{"externalWorkbookId": "orders.xlsx", "host": "SHEETS_B", "resultLocation": "Sheet1!A5",
		"placementId": "p1", "addressOnly": true, "parameters": {"who": {"cell": "Setup!B2"}}}`)
}

// lastRun is the run that the block p1 had last.
func (s *codeSite) lastRun() string {
	s.t.Helper()
	var report struct {
		Placements []struct{ LastRun struct{ RunID string } } `json:"externalWorkbookPlacements"`
	}
	if err := json.Unmarshal(s.send("GET", "1/reports/1", ""), &report); err != nil {
		s.t.Fatal(err)
	}
	return report.Placements[0].LastRun.RunID
}

// What a report asks for stands on its screen, what a block is shown for on the block's and on its runs', the values of runs only for whose they are and
// who may manage. They are changed on the block's screen, where nothing that is typed is drawn over.
func TestConsoleShowsWhatABlockIsShownFor(t *testing.T) {
	t.Parallel()
	s := newCodeSite(t, storagetest.Redis(t), 1)
	s.setUp("Ben")
	s.ordersOfOne()
	c := s.builderConsole("reports/1")
	c.shows("Customer · text · one of Ada, Ben · may come from a cell")
	c.shows("At least · number · default 10")
	c.looksRight("declared")
	c.size(1280, 800)

	c.goTo("placements/1/p1")
	c.shows("Customer from Setup!B2 At least 10 (as the report says)")
	c.click("Refresh")
	c.shows("Customer from Setup!B2; last run: Ben")
	run := s.lastRun()
	c.looksRight("block")
	c.size(1280, 800)
	c.goTo("runs/" + run)
	c.shows("Shown for At least: 10 · Customer: Ben (Setup!B2)")
	c.looksRight("run")
	c.size(1280, 800)
	viewer := s.builderConsoleOf(s.key("3", "--email", "eve@example.com", "--action", "ReportRead"), "runs/"+run)
	viewer.shows("Succeeded")
	if shown := viewer.text("#main"); strings.Contains(shown, "Ben") || strings.Contains(shown, "Shown for") {
		t.Errorf("who only reads sees values of the run:\n%s", shown)
	}
	viewer.goTo("placements/1/p1")
	viewer.shows("Customer from Setup!B2 At least")
	if shown := viewer.text("#main"); strings.Contains(shown, "Change the values") || strings.Contains(shown, "last run") {
		t.Errorf("who only reads is offered more:\n%s", shown)
	}

	c.goTo("placements/1/p1")
	c.click("Change the values")
	c.page.choose("Customer: from", "value")
	c.page.choose("Customer", "0") // Ada
	c.fill("At least", "much")
	bars := evalAs[int](c.page, `document.querySelectorAll(".strip .bars g").length`)
	s.send("POST", "1/reports/1/refreshes", "{}") // which the screen shows meanwhile
	c.until(fmt.Sprintf(`document.querySelectorAll(".strip .bars g").length > %d`, bars))
	c.until(named("At least") + `.value === "much"`)
	c.allow("400") // of what is no number
	c.click("Save the values")
	c.until(`[...document.querySelectorAll(".parameter")].find((e) => e.textContent.startsWith("At least")).querySelector(".bad").textContent.startsWith("The value is no number")`)
	c.looksRight("refused")
	c.size(1280, 800)
	c.fill("At least", "50")
	c.click("Save the values")
	c.shows("Customer Ada; last run: Ben At least 50; last run: 10")
	c.shows("Values changed, data as of")
	c.looksRight("changed")
	c.size(1280, 800)
	c.click("Refresh")
	c.shows("Up to date as of")
	c.shows("Customer Ada At least 50")
}

// builderConsoleOf is builderConsole for who has that token.
func (s *codeSite) builderConsoleOf(token, screen string) *console {
	s.t.Helper()
	return (&consoleSite{codeSite: s, api: apiClient{base: s.base, token: token}}).open(token, screen)
}

// A report of Cube's members asks for the value of a filter: which is declared where the filter names it, tried, saved and bound.
func TestConsoleBuildsAReportOfCubeThatAsks(t *testing.T) {
	t.Parallel()
	cube := newStrictCube(t, 0)
	s := newCodeSiteOf(t, storagetest.Redis(t), 1, cube.source(), "{SHEETS_B: {kind: xlsx, dir: sheets}}")
	c := s.builderConsole("reports")
	c.click("New report")
	c.settled()
	for _, member := range []string{"sales.region", "sales.total"} {
		c.fill("Search fields", member)
		c.clickField(member)
	}
	c.fill("Search fields", "sales.status")
	c.until(`document.querySelectorAll(".b-member").length === 1`)
	c.eval(`document.querySelector('.b-member bdi[title="sales.status"]').closest("button").focus()`)
	c.press("f")
	c.click("Parameters")
	c.click("Add a parameter")
	c.fill("Parameter’s name", "status")
	c.fill("Try with: status", "shipped")
	c.page.choose("Sales Status: value: by", "@status")
	c.until(`document.querySelector(".b-table")?.innerText.includes("North")`)
	if queries := cube.queries(); !slices.ContainsFunc(queries, func(q string) bool { return strings.Contains(q, `"values":["shipped"]`) }) {
		t.Errorf("no query has the value that it is tried with: %s", queries)
	}
	c.looksRight("filter")
	c.size(1280, 800)
	c.click("Remove status")
	c.click("Declare status")
	c.shows("To see rows, say what to try it with: status.")
	c.fill("Try with: status", "returned")
	c.until(`document.querySelector(".b-table")?.innerText.includes("North") && !document.querySelector("#b-faults li")`)
	c.click("Save")
	c.until(`location.hash.endsWith("/reports/1")`)
	c.shows("status text")
	if report := s.reportOf(1); !strings.Contains(report.JSONQuery, `{"parameter":"status"}`) {
		t.Errorf("saved is %s", report.JSONQuery)
	}
}
