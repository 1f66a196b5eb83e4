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
	c.until(`[...document.querySelectorAll(".parameter")].find((e) => e.textContent.startsWith("At least")).querySelector(".bad").textContent.startsWith("The value is no number: write it as 1.5.")`)
	c.until(named("At least") + `.ariaInvalid === "true" && ` + named("Customer") + `.ariaInvalid !== "true"`)
	c.until(`document.getElementById(` + named("At least") + `.getAttribute("aria-describedby")).textContent.startsWith("The value is no number")`)
	c.looksRight("refused")
	c.size(1280, 800)
	c.fill("At least", "50")
	c.until(named("At least") + `.ariaInvalid !== "true"`)
	c.click("Save the values")
	c.shows("Customer Ada; last run: Ben At least 50; last run: 10")
	c.shows("Values changed, data as of")
	c.looksRight("changed")
	c.size(1280, 800)
	c.click("Refresh")
	c.shows("Up to date as of")
	c.shows("Customer Ada At least 50")
}

// holdRuns has answers about single runs wait in the page for window.release().
const holdRuns = `(() => {
	const fetch = window.fetch;
	const held = new Promise((resolve) => { window.release = resolve; });
	window.fetch = async (input, init) => {
		if (/\/refreshes\/[A-Z2-7]+$/.test(new URL(input?.url ?? input, location).pathname)) {
			window.holds = true;
			await held;
		}
		return fetch(input, init);
	};
})()`

// What a person begins to type while the screen reads a run is not drawn over.
func TestConsoleParametersAreNotDrawnOver(t *testing.T) {
	t.Parallel()
	s := newCodeSite(t, storagetest.Redis(t), 1)
	s.setUp("Ben")
	s.ordersOfOne()
	c := s.builderConsole("placements/1/p1")
	c.click("Refresh")
	c.shows("last run: Ben")
	c.click("Change the values")
	c.settled()
	c.eval(holdRuns)
	s.place(`"onEdit": "keep"`) // which the screen shows
	c.until(`window.holds === true`)
	c.fill("At least", "77")
	c.eval(`window.release()`)
	c.until(`!document.querySelector("#main[aria-busy]")`)
	c.until(named("At least") + `.value === "77"`)
}

// place says more of the placement p1.
func (s *codeSite) place(more string) {
	s.t.Helper()
	s.send("PUT", "1/reports/1/connect-workbook", `{"externalWorkbookId": "orders.xlsx", "host": "SHEETS_B", "resultLocation": "Sheet1!A5",
		"placementId": "p1", "addressOnly": true, `+more+`}`)
}

// saidOf returns what the placement p1 says of parameters.
func (s *codeSite) saidOf() string {
	s.t.Helper()
	var report struct {
		Placements []struct{ Parameters json.RawMessage } `json:"externalWorkbookPlacements"`
	}
	if err := json.Unmarshal(s.send("GET", "1/reports/1", ""), &report); err != nil {
		s.t.Fatal(err)
	}
	return string(report.Placements[0].Parameters)
}

// A report that asks for less, or allows less, than it did leaves blocks whose values do not fit: the console says what ends that, and does it.
func TestConsoleParametersThatDoNotFitAnyMore(t *testing.T) {
	t.Parallel()
	s := newCodeSite(t, storagetest.Redis(t), 1)
	s.setUp("Ben")
	s.ordersOfOne()
	s.place(`"parameters": {"who": {"value": "Ada"}, "least": {"value": 50}}`)
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT customer, amount FROM orders WHERE customer = @who",
		"parameters": [{"name": "who", "title": "Customer", "type": "text", "allowed": ["Ben"], "fromCells": true}]}`)
	c := s.builderConsole("placements/1/p1")
	c.shows("least 50; the report no longer asks for it")
	c.click("Refresh")
	c.shows("Change its values, or the cells they come from, then refresh.")
	c.goTo("runs/" + s.lastRun())
	c.shows("Change its values, or the cells they come from, then refresh.")
	c.shows("Asked for least: 50 · Customer: Ada")
	c.goTo("overview")
	c.shows("Values are missing or not allowed")

	c.goTo("placements/1/p1")
	c.click("Change the values")
	c.until(named("Customer") + `.selectedOptions[0].textContent === "Ada (not allowed)"`)
	c.allow("400") // of what is not allowed
	c.click("Save the values")
	c.until(`document.querySelector(".parameter .bad")?.textContent.startsWith("The value is not allowed")`)
	c.looksRight("refused")
	c.page.choose("Customer", "0") // Ben
	c.click("Save the values")
	c.until(`!document.querySelector("#main").innerText.includes("no longer asks")`)
	if said := s.saidOf(); said != `{"who":{"value":"Ben"}}` {
		t.Errorf("the block says %s", said)
	}
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT customer FROM orders", "parameters": null}`)
	c.shows("who Ben; the report no longer asks for it")
	c.click("Save the values")
	c.until(`!document.querySelector("#save-values")?.checkVisibility()`)
	if said := s.saidOf(); said != "" {
		t.Errorf("the block still says %s", said)
	}
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
	cube.waitsFor(`"values":["shipped"]`) // what it is tried with
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
	c.click("Edit")
	c.shows("To see rows, say what to try it with: status.")
	c.click("Save")
	want := []string{"What this changes could not be found out: To see rows, say what to try it with: status."}
	if said := c.asks("Save these changes?"); !slices.Equal(said, want) {
		t.Errorf("saving what could not be tried says %q", said)
	}
}
