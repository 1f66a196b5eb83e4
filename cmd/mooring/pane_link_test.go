package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pane says whether agents reach the file, and what to do where they do not; a schedule is offered only where they do.
func TestPaneSaysWhereAgentsReach(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	s.isKnown(map[string]any{"state": "not_saved", "message": "Save it."})
	p := s.open(s.bobs, `{address: ""}`)
	foot := func(text string) {
		t.Helper()
		p.until(fmt.Sprintf(`document.getElementById("reach").innerText.replace(/\s+/g, " ").trim() === %q`, text))
	}
	foot("Refreshed only while it is open here: save it to a place that Mooring reaches. Look again")
	p.looksRight("not-saved")
	p.open1("Orders")
	p.shows("A schedule cannot refresh this block yet. Refreshed only while it is open here: save it to a place that Mooring reaches.")
	if evalAs[bool](p, `document.body.innerText.includes("Schedule it")`) {
		t.Error("a schedule is offered")
	}
	p.looksRight("no-schedule")
	s.looks()
	p.eval("performance.clearResourceTimings()")
	p.click("Look again")                                                                     // beside what it helps against
	p.until(`performance.getEntriesByType("resource").some((e) => e.name.endsWith("/link"))`) // it is answered
	p.click("All blocks")
	if diff := cmp.Diff([]linkAsked{{ID: "book-1", Name: "Quarterly report.xlsx"}}, s.looks()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}

	s.isKnown(map[string]any{"state": "looking", "message": "Looking."})
	p.eval(`window.book.address = "https://contoso.sharepoint.com/Quarterly report.xlsx?web=1"`) // it is stored
	foot("Mooring is looking for this file where agents reach it.")
	s.isKnown(map[string]any{"ids": []string{"item-1"}})
	foot("Agents refresh this workbook too (Finance)") // found by asking again
	p.looksRight("linked")
	want := linkAsked{ID: "book-1", Name: "Quarterly report.xlsx", URL: "https://contoso.sharepoint.com/Quarterly report.xlsx"}
	if got := s.looks(); len(got) < 2 || slices.ContainsFunc(got, func(one linkAsked) bool { return one != want }) {
		t.Errorf("asked %+v", got)
	}
	s.place(s.report("Stock", "SELECT 1"), "item-1", "Data!H2") // by the file's other id, of which an event tells
	p.eval(`window.reads = performance.getEntriesByType("resource").filter((e) => e.name.includes("/book-1/placements")).length`)
	s.place(1, "item-1", "Data!P2")
	p.until(`performance.getEntriesByType("resource").filter((e) => e.name.includes("/book-1/placements")).length > window.reads`)
	p.open1("Orders")
	p.click("Schedule it")
	p.shows("Save the schedule")

	for state, says := range map[string]string{
		"not_found":   "No file at that address, or of that name, is this workbook: save it, and choose Look again in a minute.",
		"not_reached": "The workbook is saved where Mooring does not look: save it to a site or folder that is configured, or ask who runs Mooring to add its own.",
		"ambiguous":   "2 files are this workbook: open its pane where the one that is meant is saved, and give the others placements of their own.",
		"refused":     "Finance does not let Mooring open it: grant it access to the site.",
	} {
		s.isKnown(map[string]any{"state": state, "message": says})
		p.eval("location.reload()")
		foot("Refreshed only while it is open here. " + says + " Look again")
		p.looksRight(state)
	}
	s.isKnown(nil)
	p.click("Look again")
	foot("Agents refresh this workbook too (Finance)")
	s.isKnown(map[string]any{"merged": []map[string]any{{"placementId": "a", "into": "b"}}})
	p.eval("location.reload()")
	p.shows("1 block stood here twice, placed by you and by agents, and is one now.")
}

// A document in which nothing stands is looked for once something does.
func TestPaneLooksAfterTheFirstBlock(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.report("Orders", "SELECT id, customer, amount FROM orders")
	const id = "6f1f6b6e-6b0e-4a6e-9d58-0a1b2c3d4e5f"
	p := s.open(s.bobs, fmt.Sprintf(`{id: %q, address: "C:\\Users\\ana\\Plan.xlsx", name: "Plan.xlsx", fresh: true}`, id))
	p.shows("No report stands in this document yet")
	p.click("Place a report")
	p.click("Orders")
	p.eval(`window.book.select("Data!B2")`)
	p.click("Place it here")
	p.shows("“Orders” is placed.")
	p.until(`document.getElementById("reach").innerText.includes("Agents refresh this workbook too")`)
	want := []linkAsked{{ID: id, Name: "Plan.xlsx", Nonce: evalAs[string](p, "window.book.nonce")}}
	if diff := cmp.Diff(want, s.looks()); diff != "" || len(want[0].Nonce) < 22 {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// A workbook that is saved elsewhere while the pane is open is asked about before anything is written, and one that says another id by then
// is shown anew.
func TestPaneSavedElsewhereWhileItIsOpen(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	s.look = func(asked linkAsked) map[string]any {
		if strings.HasSuffix(asked.URL, "/Copy.xlsx") {
			return map[string]any{"copy": true}
		}
		return nil
	}
	p := s.open(s.bobs, `{address: "https://contoso.sharepoint.com/Plan.xlsx", nonce: "abcdefghijklmnopqrstuv", fresh: true}`)
	p.shows("Agents refresh this workbook too")
	p.refreshes("All blocks", "1 block refreshed, 4 rows changed.")
	p.eval(`(window.book.applied = [], window.book.address = "https://contoso.sharepoint.com/Copy.xlsx")`)
	p.click("Refresh")
	p.click("All blocks")
	p.shows("This is a copy: give it its own placements?")
	p.click("Not now")
	p.until("window.book.applied.length === 0 && !document.querySelector(`dialog`)")
	p.eval(`window.book.address = "https://contoso.sharepoint.com/Renamed.xlsx"`)
	p.refreshes("All blocks", "1 block refreshed, nothing changed.")

	p.eval(`(window.book.applied = [], window.book.id = "book-2")`)
	p.click("Refresh")
	p.click("All blocks")
	p.shows("This is another document by now.")
	p.shows("No report stands in this document yet")
	if evalAs[int](p, "window.book.applied.length") > 0 {
		t.Error("it was written")
	}
}
