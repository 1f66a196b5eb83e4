package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// A report that asks is made in the console, with each fault's remedy beside it, and is placed in the pane for a value, which is changed there and in
// the console.
func TestAReportThatAsksIsPlacedForAValue(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	c := s.builderConsole("reports")
	c.click("New report")
	c.settled()
	c.fill("SQL", "SELECT customer, amount FROM orders WHERE customer = @who")
	c.click("Parameters")
	c.click("Add a parameter")
	c.fill("Parameter’s name", "other")
	c.fill("Default (optional)", "x")
	c.click("Declare who") // where it is not declared
	c.shows("To see rows, say what to try it with: who.")
	c.fill("Try with: who", "Ada")
	c.until(`document.querySelector(".b-table")?.innerText.includes("Ada") && !document.querySelector(".b-table").innerText.includes("Ben")`)
	c.looksRight("parameters")
	c.size(1280, 800)
	c.click("Remove other") // which the query does not name
	c.until(`document.querySelectorAll(".b-parameter").length === 1 && !document.querySelector("#b-faults li")`)
	c.fill("Title (optional)", "Customer")
	c.fill("Name", "Orders of one")
	c.click("Save")
	c.until(`location.hash.endsWith("/reports/1")`)
	c.shows("Customer · text")
	c.looksRight("report")
	if got := s.parametersOf(1); got != `[{"name":"who","title":"Customer","type":"text"}]` {
		t.Errorf("saved is %s", got)
	}

	p := s.open(s.bobs, "")
	p.click("Place a report")
	p.click("Orders of one")
	p.shows("Say what it is to be shown for: Customer.")
	p.fill("Customer", "Ben")
	p.shows("These cells are empty.")
	p.looksRight("asking")
	p.withdrawsThePlace()
	p.click("Place it here")
	p.shows("“Orders of one” is placed.")
	p.sees("Data!B3", "Ben")
	p.open1("Orders of one")
	p.shows("Shown for")
	p.until(`[...document.querySelectorAll("dd")].some((e) => e.textContent === "Ben")`)
	p.click("Change what it is shown for")
	p.looksRight("values")
	p.tabTo(named("Customer"))
	p.press("Ada")
	p.enter("Save the values")
	p.shows("The values are saved.")
	p.shows("Ada, shown: Ben")
	p.looksRight("changed")
	p.clickOn(`document.getElementById("refresh-values")`)
	p.sees("Data!B3", "Ada")
	p.until(`[...document.querySelectorAll("dd")].some((e) => e.textContent === "Ada")`)

	block := s.placements("book-1")[0]
	c.goTo("placements/1/" + block)
	c.shows("Shown for")
	c.click("Change the values")
	c.fill("Customer", "Cleo")
	c.looksRight("values")
	c.press(kb.Enter)
	c.shows("Cleo; last run: Ada")
	p.shows("Cleo, shown: Ada")
	p.clickOn(`document.getElementById("refresh-values")`)
	p.sees("Data!B3", "Cleo")
}

// withdrawsThePlace changes the value that a report is to be placed for, and finds no place for the one before it, but what was set there when that is
// for the value again.
func (p *page) withdrawsThePlace() {
	p.t.Helper()
	p.click("Options")
	p.fill("Status cell (optional)", "F1")
	p.until(fmt.Sprintf(`(() => {
		const field = %s;
		field.value = "Ada";
		field.dispatchEvent(new Event("input", {bubbles: true}));
		return !%s;
	})()`, named("Customer"), named("Place it here")))
	p.fill("Customer", "Ben")
	p.until("!!" + named("Place it here"))
	p.until(named("Status cell (optional)") + `.value === "F1"`)
}

// A block whose report begins to ask only later is given a value in the pane, which has nothing of that before; a cell that cannot be read now hides
// none of its fields.
func TestABlockIsGivenAValueThatItsReportAsksForLater(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders of one", "SELECT customer, amount FROM orders"), "book-1", "Data!B2")
	p := s.open(s.bobs, `{sheets: {Data: [], Setup: [[], [null, "Ben"]]}}`)
	p.open1("Orders of one")
	p.click("Refresh")
	p.shows("1 block refreshed")
	p.sees("Data!B3", "Ada")
	p.until(`performance.getEntriesByType("resource").every(({name}) => !name.includes("/values.mjs"))`)
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT customer, amount FROM orders WHERE customer = @who",
		"parameters": [{"name": "who", "title": "Customer", "type": "text", "fromCells": true}]}`)
	p.click("Change what it is shown for")
	p.choose("Customer: from", "cell")
	p.fill("Customer: cell", "Setup!B2")
	p.click("Save the values")
	p.shows("from Setup!B2")
	p.click("Refresh")
	p.sees("Data!B3", "Ben")
	p.shows("from Setup!B2, shown: Ben")

	p.eval(`(window.book.unread = "The cells cannot be read now.", undefined)`)
	p.click("All blocks")
	p.open1("Orders of one")
	p.shows("What its cells say now The cells cannot be read now.")
	p.shows("from Setup!B2, shown: Ben")
	p.click("Change what it is shown for")
	p.looksRight("unread")
	p.choose("Customer: from", "value")
	p.fill("Customer", "Cleo")
	p.click("Save the values")
	p.shows("Cleo, shown: Ben")
}

// A person places a report for a cell and changes that with the keyboard alone, in a pane 320 px wide.
func TestPanePlacesAReportThatAsksByKeyboard(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.send("POST", "1/reports", `{"name": "Orders of one", "sqlQuery": "SELECT customer, amount FROM orders WHERE customer = @who",
		"parameters": [{"name": "who", "title": "Customer", "type": "text", "fromCells": true}]}`)
	p := s.open(s.bobs, `{sheets: {Data: [], Setup: [[], [null, "Ben"]]}}; `+countClicks)
	w := p.walkNarrow("a report that asks, for a cell")
	p.enter("Place a report")
	p.enter("Orders of one")
	p.shows("Say what it is to be shown for: Customer.")
	p.tabTo(named("Customer: from"))
	p.press(kb.ArrowDown)
	p.tabTo(named("Customer: cell"))
	p.press("Setup!B2")
	p.shows("These cells are empty.")
	p.enter("Place it here")
	p.shows("“Orders of one” is placed.")
	p.keepsFocus()
	p.sees("Data!B3", "Ben")
	w.ends()
	p.tabTo(`document.querySelector(".row .open")`)
	p.press(kb.Enter)
	p.shows("from Setup!B2, shown: Ben")
	p.enter("Change what it is shown for")
	p.tabTo(named("Customer: from"))
	p.press(kb.ArrowUp)
	p.tabTo(named("Customer"))
	p.press("Cleo")
	p.press(kb.Enter)
	p.shows("Cleo, shown: Ben")
	p.keepsFocus()
	p.tabTo(`document.getElementById("refresh-values")`)
	p.press(kb.Enter)
	p.sees("Data!B3", "Cleo")
	p.keepsFocus()
	p.looksRight("by keyboard")
}

// parametersOf are those that a report declares, as JSON.
func (s *codeSite) parametersOf(report int) string {
	s.t.Helper()
	var found struct{ Parameters json.RawMessage }
	if err := json.Unmarshal(s.send("GET", fmt.Sprintf("1/reports/%d", report), ""), &found); err != nil {
		s.t.Fatal(err)
	}
	return string(found.Parameters)
}
