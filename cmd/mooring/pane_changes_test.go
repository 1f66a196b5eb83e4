package main

import "testing"

// The last changes of a block are listed with their rows, and put back from there.
func TestPanePutsBack(t *testing.T) {
	t.Parallel()
	s, p := paneBlock(t)
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT id, customer, amount + 1 AS amount FROM orders"}`)
	p.refreshes("All blocks", "1 block refreshed, 3 rows changed.")
	p.sees("Data!D3", 101)
	p.open1("Orders")
	p.shows("Last changes")
	p.until(`document.querySelectorAll(".changes details summary").length === 2`)
	p.eval(`document.querySelector(".changes details summary").click()`)
	p.shows("1 · Ada · 100")
	p.looksRight("changes")
	p.eval(`[...document.querySelectorAll("button")].find((b) => b.textContent === "Put back 3 cells").click()`)
	p.shows("3 cells put back")
	p.sees("Data!D3", 100)
	p.shows("3 cells of yours kept")
}

// A kept text in a column of numbers is told, and taking the source's number mends it; rows that were only put back in order are not called changed.
func TestPaneTellsOfAKeptTextAndOfOrder(t *testing.T) {
	t.Parallel()
	_, p := paneBlock(t)
	p.types("Data!D5", "about 80")
	p.refreshes("All blocks", "D5 is text where numbers are; sums leave it out")
	p.open1("Orders")
	p.shows("about 80")
	p.looksRight("text")
	p.click("Take the source's: Data!D5")
	p.click("Take the source's value in 1 cell")
	p.sees("Data!D5", 80)
	p.until(`!document.getElementById("notice").innerText.includes("text where numbers are")`)
	p.click("All blocks")
	for _, cell := range []struct {
		at    string
		value any
	}{{"B3", 2}, {"C3", "Ben"}, {"D3", 250.5}, {"B4", 1}, {"C4", "Ada"}, {"D4", 100}} {
		p.types("Data!"+cell.at, cell.value)
	}
	p.refreshes("All blocks", "put back in order")
	p.until(`!/\d+ rows? changed/.test(document.getElementById("notice").innerText)`)
}
