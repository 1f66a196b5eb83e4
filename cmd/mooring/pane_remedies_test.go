package main

import (
	"fmt"
	"strings"
	"testing"
)

// A block of a kind of spreadsheet that no agent has is left out by agents' runs, and refreshed in the pane, as it says there.
func TestPaneRefreshesWhatNoAgentReaches(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	report := s.report("Orders", "SELECT id, customer, amount FROM orders")
	s.place(report, "book-1", "Data!B2")
	agents := apiClient{base: s.base, token: s.bobs}
	if _, err := agents.refresh(t.Context(), fmt.Sprintf("/api/v1/deployments/1/reports/%d", report)); err == nil || !strings.Contains(err.Error(), "SKIPPED") {
		t.Fatalf("an agent's run ends with %v", err)
	}
	p := s.open(s.bobs, "")
	p.open1("Orders")
	p.shows("refresh it here")
	p.looksRight("left-out")
	p.click("Refresh")
	p.shows("1 block refreshed")
	p.sees("Data!D3", 100)
	p.until(`!document.body.innerText.includes("refresh it here") && document.querySelector(".state").innerText.includes("Up to date")`)

	c := s.builderConsole(fmt.Sprintf("placements/%d/%s", report, s.placements("book-1")[0]))
	c.shows("Up to date as of")
}
