package main

import (
	"fmt"
	"strings"
	"testing"

	"mooring/storage/storagetest"
)

// sees waits until the document of the pane's port holds a value at a place.
func (p *page) sees(location string, want any) {
	p.t.Helper()
	p.until(fmt.Sprintf("JSON.stringify(window.book.cell(%q)) === JSON.stringify(%s)", location, jsonOf(p.t, want)))
}

// types types a value into a cell, as a person does who is not watched by the pane.
func (p *page) types(location string, value any) {
	p.t.Helper()
	p.eval(fmt.Sprintf("window.book.set(%q, %s)", location, jsonOf(p.t, value)))
}

// A person finds a report, is warned about filled cells, and places it elsewhere.
func TestPanePlacesAReport(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.report("Orders of this week", "SELECT id, customer, amount FROM orders")
	s.report("Stock", "SELECT 'pen' AS item, 5 AS n")
	p := s.open(s.bobs, "")
	p.shows("No report stands in this document yet")
	p.looksRight("empty")
	p.click("Place a report")
	p.until(`document.querySelector(".reports .name").textContent === "Stock"`) // made last
	p.fill("Find a report", "week")
	p.until(`document.querySelectorAll(".reports button").length === 1`)
	p.shows("Bob · changed")
	p.looksRight("found")
	p.click("Orders of this week")
	p.shows("These cells are empty.")
	p.types("Data!C4", "typed")
	p.eval(`window.book.select("Data!B3")`)
	p.shows("1 cell there is filled (C4)")
	p.until(`document.querySelector(".drawing td.cell-way").textContent === "typed in the way"`)
	p.looksRight("filled")
	p.click("Place elsewhere")
	p.shows("It fills Data!E3:G6.")
	p.until(`document.querySelectorAll(".drawing td.cell-new").length === 12`)
	p.eval(`window.book.select("Data!F2")`)
	p.shows("It fills Data!F2:H5.")
	p.click("Show on the sheet")
	p.until(`window.book.revealed === "Data!F2:H5"`)
	p.click("Place it here")
	p.shows("“Orders of this week” is placed.")
	p.sees("Data!F2", "id")
	p.sees("Data!H4", 250.5)
	p.shows("by you · 4 rows changed")
	p.looksRight("placed")
	p.click("Refresh")
	p.click("All blocks")
	p.shows("1 block refreshed, nothing changed.")
	// Over filled cells, knowingly.
	p.click("Place a report")
	p.click("Stock")
	p.eval(`window.book.select("Data!C3")`)
	p.click("What stands there: 1 cell")
	p.shows("C4 typed")
	p.click("Write over 1 cell")
	p.shows("“Stock” is placed.")
	p.sees("Data!C4", "pen")
	p.looksRight("over")
	p.click("Undo: put back what stood there")
	p.shows("1 cell put back")
	p.sees("Data!C4", "typed")
	// A row that is told by nothing but what was written is put back, too.
	s.report("One", "SELECT 1")
	p.types("Data!K3", "mine")
	p.click("Place a report")
	p.click("One")
	p.eval(`window.book.select("Data!K2")`)
	p.click("Write over 1 cell")
	p.sees("Data!K3", 1)
	p.click("Undo: put back what stood there")
	p.sees("Data!K3", "mine")
}

// paneBlock is a site whose document book-1 holds the block "Orders" at Data!B2, and its pane.
func paneBlock(t *testing.T) (*paneSite, *page) {
	t.Helper()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	p.shows("Not refreshed yet")
	p.refreshes("All blocks", "1 block refreshed, 4 rows changed.")
	return s, p
}

// refreshes refreshes by the menu, and waits for what is said of it.
func (p *page) refreshes(which, said string) {
	p.t.Helper()
	p.click("Refresh")
	p.eval(`document.getElementById("notice").replaceChildren()`)
	p.click(which)
	p.until(fmt.Sprintf("document.getElementById('notice').innerText.includes(%q)", said))
}

// A report is placed so that what stands below and beside it moves with its rows, a total counts them and formulas beside them are filled
// down, and the pane says what has moved.
func TestPaneMovesWhatStandsBelow(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	report := s.report("Orders", "SELECT id, customer, amount FROM orders")
	p := s.open(s.bobs, "")
	p.click("Place a report")
	p.click("Orders")
	p.eval(`window.book.select("Data!B2")`)
	p.shows("It fills Data!B2:D5.")
	p.until(`!document.querySelector("input[type=checkbox]").checked`)
	p.types("Data!D9", "Total")
	p.eval(`window.book.select("Data!B3")`)
	p.shows("Something stands below, in D9: it moves when the block grows.")
	p.eval(`window.book.select("Data!B2")`)
	p.shows("It fills Data!B2:D5.")
	p.until(`document.querySelector("input[type=checkbox]").checked`)
	p.click("If it grows: move rows below")
	p.shows("the block stops when it grows that far")
	p.types("Data!D9", nil)
	p.click("If it grows: move rows below")
	p.click("Options")
	p.fill("Formulas filled down (optional)", "f:f")
	p.looksRight("options")
	p.click("Place it here")
	p.shows("“Orders” is placed.")
	p.types("Data!D7", "Total")
	p.types("Data!F7", "beside")
	p.types("Data!G7", "apart")
	p.eval(`window.book.formulas = [
		{ sheet: "Data", formulas: [
			{ row: 0, column: 9, text: "=SUM(D3:D9)" }, { row: 1, column: 9, text: "=A1" }, { row: 4, column: 5, text: "=D5*2" },
		] },
		{ sheet: "Other", formulas: [{ row: 2, column: 0, text: "=SUM(Data!D3:D5)" }] },
	]`)
	s.send("PUT", fmt.Sprintf("1/reports/%d", report),
		`{"sqlQuery": "SELECT id, customer, amount FROM orders UNION ALL SELECT 99, 'Zoe', 1"}`)
	p.refreshes("All blocks", "1 row inserted at Data!B6; 2 formulas in 2 sheets follow")
	p.sees("Data!C6", "Zoe")
	p.sees("Data!D8", "Total")
	p.sees("Data!F8", "beside")
	p.sees("Data!F6", "=D6*2")
	p.sees("Other!A3", "=SUM(Data!D3:D6)")
	p.sees("Data!G7", "apart")
	p.looksRight("moved")
}

// A status cell is written with its block; a locked one does not hinder the block.
func TestPaneStatusCell(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	report := s.report("Orders", "SELECT id, customer, amount FROM orders")
	s.send("PUT", fmt.Sprintf("1/reports/%d/connect-workbook", report),
		`{"externalWorkbookId": "book-1", "resultLocation": "Data!B2", "host": "SHEETS_A", "addressOnly": true, "statusCell": "F1"}`)
	p := s.open(s.bobs, "")
	p.refreshes("All blocks", "1 block refreshed, 4 rows changed.")
	const holds = `/^Refreshed 20.* · 4 rows changed$/.test(window.book.cell("Data!F1"))`
	p.until(holds)
	p.eval(`window.book.locked = "F1"`)
	s.send("PUT", fmt.Sprintf("1/reports/%d", report), `{"sqlQuery": "SELECT id, customer, amount + 1 AS amount FROM orders"}`)
	p.refreshes("All blocks", "1 block refreshed, 3 rows changed.")
	p.until(holds)
	p.eval(`window.book.locked = null`)
	s.send("PUT", fmt.Sprintf("1/reports/%d", report), `{"sqlQuery": "SELECT id, customer, amount + 2 AS amount FROM orders"}`)
	p.refreshes("All blocks", "1 block refreshed, 3 rows changed.")
	p.until(`window.book.cell("Data!F1").endsWith(" · 3 rows changed")`)
}

// What a report is filtered by stands above its block, follows its query and the block, and goes with the report's wish.
func TestPaneAppliedFilters(t *testing.T) {
	t.Parallel()
	c := newStrictCube(t, 0)
	s := paneSiteOf(t, newCodeSiteOf(t, storagetest.Redis(t), 1, c.source(), "{SHEETS_B: {kind: xlsx, dir: sheets}}"))
	report := s.report("Sales", "SELECT 1")
	define := func(status, shows string) {
		s.send("PUT", fmt.Sprintf("1/reports/%d", report), fmt.Sprintf(`{"sqlQuery": null, "jsonQuery": %q, "pivotItems": {"rows": ["sales.region"],
			"columns": [], "measures": ["sales.total"], "filters": ["sales.status"], "showAppliedFilters": %s}}`,
			`{"dimensions":["sales.region"],"measures":["sales.total"],"filters":[{"member":"sales.status","operator":"equals","values":["`+status+`"]}]}`,
			shows))
	}
	define("paid", "true")
	s.place(report, "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	p.refreshes("All blocks", "1 block refreshed")
	p.sees("Data!B1", "Status is paid")
	p.sees("Data!B3", "North")
	define("open", "true")
	p.refreshes("All blocks", "1 block refreshed")
	p.sees("Data!B1", "Status is open")
	p.eval(`window.book.insertRowAbove()`)
	define("late", "true")
	p.refreshes("All blocks", "1 block refreshed")
	p.sees("Data!B2", "Status is late")
	p.sees("Data!B1", nil)
	p.sees("Data!B4", "North")
	define("late", "false")
	p.refreshes("All blocks", "1 block refreshed")
	p.sees("Data!B2", nil)
	p.sees("Data!B4", "North")
}

// What a person typed is kept, listed with the source's value, and given back when they say so.
func TestPaneEditedCells(t *testing.T) {
	t.Parallel()
	_, p := paneBlock(t)
	p.types("Data!C3", "Ada <b>Lovelace</b>")
	p.types("Data!D5", 81)
	p.refreshes("This sheet", "1 block refreshed")
	p.shows("2 cells of yours kept")
	p.sees("Data!C3", "Ada <b>Lovelace</b>")
	p.open1("Orders")
	p.shows("Ada <b>Lovelace</b>")
	p.looksRight("edits")
	p.click("Take the source's: Data!C3")
	p.click("Take the source's value in 1 cell")
	p.sees("Data!C3", "Ada")
	p.sees("Data!D5", 81)
	p.until(`document.querySelectorAll(".edits li").length === 1`)
}

// open1 opens the screen of the block of a report.
func (p *page) open1(name string) {
	p.t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll(".row .open")].find((e) => e.textContent.startsWith(%q))`, name+" ")
	p.until("!!" + button)
	p.eval(button + ".click()")
	p.until(`document.querySelector("h2")?.textContent === ` + jsonOf(p.t, name))
}

// A change that a refresh must not decide about is told with the ways out, and written over when the person says so.
func TestPaneConflict(t *testing.T) {
	t.Parallel()
	_, p := paneBlock(t)
	p.allow("409") // the plan's answer
	p.types("Data!B2", "x")
	p.types("Data!C2", "y")
	p.types("Data!D2", "z")
	p.types("Data!B3", "u")
	p.types("Data!C3", "v")
	p.types("Data!C4", "w")
	p.types("Data!D4", "w")
	p.refreshes("All blocks", "1 block not refreshed:")
	p.shows("undo that, or choose “Write over the changes” to have the block written anew")
	p.shows("Needs a decision")
	p.looksRight("list")
	p.open1("Orders")
	p.looksRight("conflict")
	p.click("Write over the changes")
	p.shows("Write over what was changed in the sheet?")
	p.looksRight("sure")
	p.eval(`document.querySelector("dialog button.danger").click()`)
	p.shows("1 block refreshed")
	p.sees("Data!C4", "Ben")
}

// What the sheet refuses is said, and the run is not left hanging.
func TestPaneSheetProtected(t *testing.T) {
	t.Parallel()
	_, p := paneBlock(t)
	p.eval(`window.book.fault = {code: "protected", message: "The sheet Data is protected: unprotect it, then refresh."}`)
	p.types("Data!C3", nil)
	p.types("Data!D3", nil)
	p.types("Data!B3", nil)
	p.refreshes("Selection", "The sheet Data is protected: unprotect it, then refresh.")
	p.looksRight("protected")
	p.eval(`window.book.fault = null`)
	p.refreshes("Selection", "1 block refreshed")
}

// A block whose cells were deleted says so, and is written again where it stood.
func TestPaneBlockDeleted(t *testing.T) {
	t.Parallel()
	_, p := paneBlock(t)
	p.eval(`(window.book.marks = {}, window.book.sheets.Data.splice(0), window.book.tell("sheets"))`)
	p.shows("Cells deleted")
	p.looksRight("gone")
	p.open1("Orders")
	p.click("Refresh")
	p.sees("Data!C3", "Ada")
	p.shows("Up to date as of")
}

// Unlinking leaves the cells, or clears those that still are as they were written.
func TestPaneUnlinks(t *testing.T) {
	t.Parallel()
	s, p := paneBlock(t)
	s.place(s.report("Never written", "SELECT 1"), "book-1", "Data!K2")
	p.types("Data!K2", "mine")
	p.open1("Never written")
	p.click("Unlink")
	p.until(`document.querySelector("dialog").textContent.includes("keep the cells")`)
	p.until(`!document.querySelector("dialog").textContent.includes("clear the cells")`)
	p.click("Unlink, keep the cells")
	p.shows("Unlinked. The cells stay.")
	p.sees("Data!K2", "mine")

	p.open1("Orders")
	p.click("Unlink")
	p.looksRight("unlink")
	p.click("Unlink, keep the cells")
	p.shows("Unlinked. The cells stay.")
	p.sees("Data!C3", "Ada")

	s.place(1, "book-1", "Data!B2")
	p.shows("Not refreshed yet")
	p.refreshes("All blocks", "1 block refreshed")
	p.types("Data!C4", "mine")
	p.open1("Orders")
	p.click("Unlink")
	p.click("Unlink and clear the cells")
	p.shows("Some cells changed since the last refresh")
	p.looksRight("changed")
	p.click("Clear everything")
	p.shows("Unlinked, and the cells are cleared.")
	p.sees("Data!C3", nil)
	p.sees("Data!C4", nil)
	p.shows("No report stands in this document yet")
	if got := string(s.send("GET", "1/reports/1", "")); strings.Contains(got, `"externalWorkbookPlacements":[{`) {
		t.Errorf("still placed: %s", got)
	}
}

func TestPaneSchedules(t *testing.T) {
	t.Parallel()
	s, p := paneBlock(t)
	p.open1("Orders")
	p.shows("This block is refreshed only when someone asks for it.")
	p.click("Schedule it")
	p.shows("Times are of UTC.")
	p.looksRight("form")
	p.click("Save the schedule")
	p.shows("weekdays 07:00 UTC")
	p.looksRight("saved")
	p.shows("UTC")
	p.click("Change “weekdays 07:00 UTC”")
	p.until(`document.querySelector("li form select")`)
	p.eval(`(document.querySelector("li form select").value = "weekly", document.querySelector("li form select").dispatchEvent(new Event("change")))`)
	p.looksRight("change")
	p.eval(`document.querySelector("li form button").click()`)
	p.shows("Mondays 07:00 UTC")
	p.click("Pause")
	p.shows("Paused")
	p.click("Resume")
	p.shows("Next refresh")
	p.click("Delete")
	p.eval(`document.querySelector("dialog button.danger").click()`)
	p.shows("This block is refreshed only when someone asks for it.")
	if got := string(s.send("GET", "1/refresh-schedules", "")); !strings.Contains(got, `"items":[]`) {
		t.Errorf("still there: %s", got)
	}
}

// A copied document is given placements of its own when the person says so.
func TestPaneCopiedDocument(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "original", "Data!B2")
	p := s.open(s.bobs, `{id: "copy", copyOf: "original"}`)
	p.shows("This is a copy: give it its own placements?")
	p.shows("Rows that you may see are written into it, for all who can open it.")
	p.looksRight("copy")
	p.click("Not now")
	p.shows("No report stands in this document yet")
	p.eval("location.reload()")
	p.click("Give it its own")
	p.shows("0 blocks now belong to this copy.") // whose cells are not marked
	p.until(`window.book.id === "copy-own"`)
	placement := s.placements("original")[0]
	// The document is asked about again until all is done: here the pane was closed between.
	p.beforeLoad(fmt.Sprintf(`window.bookAtStart = {id: "copy-own", settings: {copying: "original"},
		marks: {%q: {sheet: "Data", row: 1, column: 1, rows: 4, columns: 3}}}`, placement))
	p.eval("location.reload()")
	p.click("Give it its own")
	p.shows("1 block now belongs to this copy.")
	p.until("window.book.settings.copying === null")
	p.open1("Orders")
	if got := s.placements("copy-own"); len(got) != 1 || got[0] == placement {
		t.Errorf("the copy's: %v", got)
	}
	if got := s.placements("original"); len(got) != 1 {
		t.Errorf("the original's: %v", got)
	}
}

// A workbook says itself which document it is: rows go into one that this device has not seen at its address only when the person says so.
func TestPaneAsksInAFileThatThisDeviceHasNotSeen(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	stored := func(address string) string {
		return fmt.Sprintf("window.bookAtStart = {address: %q, nonce: `abcdefghijklmnopqrstuv`}", address)
	}
	p := s.open(s.bobs, `{address: "https://example.com/boss.xlsx", nonce: "abcdefghijklmnopqrstuv"}`)
	refused := func() {
		t.Helper()
		p.shows("Not refreshed yet")
		p.click("Refresh")
		p.click("All blocks")
		p.shows("Refresh in this file?")
		p.shows("says that it is a document whose blocks Mooring keeps")
		p.click("Not now")
		p.until("window.book.applied.length === 0 && !document.querySelector(`dialog`)")
	}
	refused()
	p.click("Refresh")
	p.click("All blocks")
	p.looksRight("unseen")
	p.click("Refresh here")
	p.shows("1 block refreshed, 4 rows changed.")
	p.eval("location.reload()")
	p.until("window.book?.applied.length === 0")
	p.shows("Orders")
	p.refreshes("All blocks", "1 block refreshed")
	p.beforeLoad(stored("https://evil.example.com/boss.xlsx"))
	p.eval("location.reload()")
	p.until("window.book?.address.includes(`evil`)")
	p.shows("Orders")
	p.click("Refresh")
	p.click("All blocks")
	p.shows("Refresh in this file?")
	p.click("Not now")
	p.until("window.book.applied.length === 0")
	if run := string(s.send("GET", "1/refreshes?document=book-1", "")); strings.Count(run, `"trigger":"manual"`) != 2 || strings.Contains(run, `"RUNNING"`) {
		t.Errorf("the runs: %s", run)
	}
	p.click("Place a report") // nothing is placed there either
	p.click("Orders")
	p.eval(`window.book.select("Data!F2")`)
	p.click("Place it here")
	p.shows("Refresh in this file?")
	p.click("Not now")
	if got := s.placements("book-1"); len(got) != 1 {
		t.Errorf("placements: %v", got)
	}
}

// The author of a file may have it look like a copy: what is answered to that is no answer to whether rows may go into the file.
func TestPaneAsksInACopyThatThisDeviceHasNotSeen(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	for _, answer := range []string{"It is the same document", "Give it its own"} {
		p := s.open(s.bobs, `{address: "https://evil.example.com/boss.xlsx", copyOf: "book-1", marks: {`+
			fmt.Sprintf("%q", s.placements("book-1")[0])+`: {sheet: "Data", row: 1, column: 1, rows: 4, columns: 3}}}`)
		p.shows("This is a copy: give it its own placements?")
		p.click(answer)
		p.until("window.book.copyOf === undefined && window.book.settings.copying === null && !document.querySelector(`dialog`)")
		p.click("Refresh")
		p.click("All blocks")
		p.shows("Refresh in this file?")
		p.click("Not now")
		p.until("window.book.applied.length === 0 && !document.querySelector(`dialog`)")
	}
}
