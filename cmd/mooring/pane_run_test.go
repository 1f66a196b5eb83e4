package main

import (
	"fmt"
	"testing"
)

// sees waits until the document of the pane's port holds a value at a place.
func (p *page) sees(location string, want any) {
	p.t.Helper()
	p.until(fmt.Sprintf("JSON.stringify(window.book.cell(%q)) === JSON.stringify(%s)", location, jsonOf(p.t, want)))
}

// A person places a report, refreshes it, types into it, and takes the source's value back.
func TestPanePlacesAndRefreshes(t *testing.T) {
	s := newPaneSite(t)
	s.report("Orders of this week", "SELECT id, customer, amount FROM orders")
	p := s.open(s.bobs, "")
	p.shows("No report stands in this document yet")
	p.looksRight("empty")
	p.click("Place a report")
	p.click("Orders of this week")
	p.shows("These cells are empty.")
	p.eval(`window.book.set("Data!C4", "typed"), window.book.select("Data!B3")`)
	p.shows("1 cell there is filled (C4)")
	p.looksRight("filled")
	p.eval(`window.book.select("Data!F2")`)
	p.shows("It fills Data!F2:H5.")
	p.click("Show on the sheet")
	p.until(`window.book.revealed === "Data!F2:H5"`)
	p.eval(`window.book.select("Data!F2")`)
	p.click("Place it here")
	p.shows("“Orders of this week” is placed.")
	p.sees("Data!F2", "id")
	p.sees("Data!H4", 250.5)
	p.shows("by you · 4 rows changed")
	p.looksRight("placed")

	p.click("Refresh")
	p.click("All blocks")
	p.shows("1 block refreshed, nothing changed.")
	p.eval(`window.book.set("Data!G3", "Ada Lovelace")`)
	p.click("Refresh")
	p.click("This sheet")
	p.shows("1 cell of yours kept")
	p.sees("Data!G3", "Ada Lovelace")
}
