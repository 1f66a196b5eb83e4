package main

import "testing"

// A report is placed for what stands in a cell; the block tells when the cell says something else, refreshes then, by itself where the person says so,
// and leads to a cell that is refused.
func TestAReportIsPlacedForACell(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.send("POST", "1/reports", `{"name": "Orders of one", "sqlQuery": "SELECT customer, amount FROM orders WHERE customer = @who",
		"parameters": [{"name": "who", "title": "Customer", "type": "text", "allowed": ["Ada", "Ben"], "fromCells": true}]}`)
	p := s.open(s.bobs, `{sheets: {Data: [], Setup: [[], [null, "Ben"]]}}`)
	p.allow("409") // of the value that is refused
	p.click("Place a report")
	p.click("Orders of one")
	p.shows("Say what it is to be shown for: Customer.")
	p.choose("Customer: from", "cell")
	p.eval(`window.book.select("Setup!B2")`)
	p.click("Take the selected cell")
	p.eval(`window.book.select("Data!B2")`)
	p.shows("These cells are empty.")
	p.looksRight("from a cell")
	p.click("Place it here")
	p.shows("“Orders of one” is placed.")
	p.sees("Data!B3", "Ben")
	p.open1("Orders of one")
	p.shows("from Setup!B2, shown: Ben")

	p.changes("Setup!B2", "Ada")
	p.shows("Setup!B2 says Ada, shown: Ben")
	p.looksRight("says")
	p.clickOn(`document.getElementById("refresh-values")`)
	p.sees("Data!B3", "Ada")
	p.shows("from Setup!B2, shown: Ada")

	p.tabTo(`document.getElementById("by-itself")`)
	p.press(" ")
	p.until(`localStorage.getItem("mooring.follows")`)
	p.changes("Setup!B2", "Ben")
	p.sees("Data!B3", "Ben")

	p.changes("Setup!B2", "Cleo")
	p.shows("Setup!B2 holds a value that is not allowed: Ada, Ben")
	p.click("Go to Setup!B2")
	p.until(`window.book.revealed === "Setup!B2"`)
	p.looksRight("refused")
	p.sees("Data!B3", "Ben")
}

// changes types a value into a cell, of which the document tells.
func (p *page) changes(location string, value any) {
	p.t.Helper()
	p.types(location, value)
	p.eval(`window.book.tell("cells")`)
}
