package main

import (
	"fmt"
	"strings"
	"testing"
)

// grown is paneBlock with a total two rows below the block, and a report that has two more rows.
func grown(t *testing.T) (*paneSite, *page) {
	t.Helper()
	s, p := paneBlock(t)
	p.allow("409") // the plan's answer
	p.types("Data!D7", "Total")
	p.eval(`window.book.formulas = [{ sheet: "Other", formulas: [{ row: 0, column: 0, text: "=SUM(Data!D3:D5)" }] }]`)
	s.send("PUT", "1/reports/1",
		`{"sqlQuery": "SELECT id, customer, amount FROM orders UNION ALL SELECT 98, 'Yan', 1 UNION ALL SELECT 99, 'Zoe', 1"}`)
	p.refreshes("All blocks", "1 block not refreshed:")
	p.shows("No room for 2 new rows · Data!D7 is in the way")
	return s, p
}

// A block that has no room says what is in the way and what would move, and makes room when the person says so.
func TestPaneMakesRoom(t *testing.T) {
	t.Parallel()
	s, p := grown(t)
	p.looksRight("list")
	p.open1("Orders")
	p.shows("Data!D7 holds something that is not the report’s.")
	p.shows("2 rows inserted at Data!B6, 1 formula in 1 sheet follows.")
	p.until(`document.querySelectorAll(".drawing td.cell-new").length === 5`)
	p.until(`document.querySelector(".drawing td.cell-way").textContent === "Total in the way"`)
	p.looksRight("room")
	if said := p.text("main"); strings.Contains(said, "Write over") || strings.Contains(said, "shiftRows") || strings.Contains(said, "onEdit") {
		t.Errorf("it offers what cannot help, or a word of the interface: %s", said)
	}
	p.click("Go to D7")
	p.until(`window.book.revealed === "Data!D7"`)
	p.click("Make room (insert 2 rows)")
	p.shows("1 block refreshed")
	p.sees("Data!C7", "Zoe")
	p.sees("Data!D9", "Total")
	p.sees("Other!A1", "=SUM(Data!D3:D7)")
	p.until(`!document.querySelector(".room") && document.getElementById("refresh-block").classList.contains("primary")`)
	if got := string(s.send("GET", "1/reports/1", "")); strings.Contains(got, `"shiftRows":true`) {
		t.Errorf("the placement was changed: %s", got)
	}
}

// Room is made with each refresh once a person says always; the options of the block show it, and take it back.
func TestPaneMakesRoomAlways(t *testing.T) {
	t.Parallel()
	s, p := grown(t)
	p.open1("Orders")
	p.click("Always make room")
	p.shows("1 block refreshed")
	p.sees("Data!D9", "Total")
	placement := s.placements("book-1")
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT id, customer, amount FROM orders"}`)
	p.click("Refresh")
	p.sees("Data!D7", "Total")
	p.click("Options")
	p.until(`document.querySelector("details input[type=checkbox]").checked`)
	p.looksRight("options")
	p.click("If it grows: move rows below")
	p.fill("Status cell (optional)", "f1")
	p.click("Save the options")
	p.shows("The options are saved. They count from the next refresh on.")
	got := string(s.send("GET", "1/reports/1", ""))
	if strings.Contains(got, `"shiftRows":true`) || !strings.Contains(got, `"statusCell":"F1"`) {
		t.Errorf("the placement: %s", got)
	}
	if now := s.placements("book-1"); fmt.Sprint(now) != fmt.Sprint(placement) {
		t.Errorf("the placement is %v, and was %v", now, placement)
	}
	p.fill("Status cell (optional)", "c3")
	p.allow("400")
	p.click("Save the options")
	p.until(`document.querySelector(".notice.bad")`)
}

// What no row can move out of the way is not offered to be moved.
func TestPaneOffersNoRoomThatCannotBeMade(t *testing.T) {
	t.Parallel()
	s, p := paneBlock(t)
	p.allow("409")
	p.types("Data!E3", "beside")
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT id, customer, amount, 1 AS one FROM orders"}`)
	p.refreshes("All blocks", "1 block not refreshed:")
	p.open1("Orders")
	p.shows("No room for 1 new column")
	p.shows("Move what stands there, or clear it, then refresh.")
	p.until(`document.querySelectorAll(".drawing td.cell-new").length === 3 && document.querySelector(".drawing td.cell-way")`)
	p.looksRight("column")
	if p.text(".room button") != "Go to E3" {
		t.Errorf("it offers %q", p.text(".room .choices"))
	}
}

// A failed query says whose report it is, and leads who may to it.
func TestPaneFailedQuery(t *testing.T) {
	t.Parallel()
	s, p := paneBlock(t)
	p.allow("422")
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT nothing FROM orders"}`)
	p.refreshes("All blocks", "1 block not refreshed:")
	p.open1("Orders")
	p.shows("“Orders” is a report of yours.")
	p.until(`document.querySelector(".report a").getAttribute("href") === "/console/#/1/reports/1"`)
	p.until(`/^[A-Z].*\.$/.test(document.querySelector(".state").innerText.split(" · ").at(-1).trim())`)
	p.looksRight("failed")
	s.send("PUT", "1/reports/1", `{"sqlQuery": "SELECT id, customer, amount FROM orders"}`)
	p.click("Refresh")
	p.shows("1 block refreshed")
	p.until(`!document.querySelector(".report")`)
}
