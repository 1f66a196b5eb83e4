package main

import (
	"fmt"
	"strings"
	"testing"

	"mooring/placements"
)

// remedies are the labels of what helps beside the cause that has a text, as an expression.
func remedies(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".cause")].filter((e) => e.innerText.includes(%q)).flatMap((e) =>
		[...e.querySelectorAll(".choices button, .choices a")].map((b) => b.textContent)).join(", ")`, text)
}

// The overview says first, and largest, how all blocks stand; each part of its bar leads to as many blocks as it says; beside a cause stands what
// can help, and nothing that cannot.
func TestConsoleOverviewLeadsToTheRemedy(t *testing.T) {
	t.Parallel()
	s := siteOfStates(t)
	c := s.open(s.token, "overview")
	c.allow("/refreshes/waits")
	c.shows("4 need you, 16 wait")
	largest := evalAs[string](c.page, `[...document.querySelectorAll("#main *")].reduce((most, e) => {
		const size = parseFloat(window.getComputedStyle(e).fontSize);
		return e.childNodes.length && size > most.size ? {size, words: e.innerText} : most; }, {size: 0}).words`)
	if !strings.Contains(largest, "need you") {
		t.Errorf("the largest is %q", largest)
	}
	for text, want := range map[string]string{
		"The query names no column mile": "Open the report, Retry", "Cells were changed": "Decide", "The sheet is not as the refresh needs it": "Show the block, Retry", "The file cannot be found": "Show the file, Try now",
		"The file is open in a program": "Try now", "The source does not answer": "", "The quota is used up": "", "Another refresh is writing": "",
	} {
		if got := evalAs[string](c.page, remedies(text)); got != want {
			t.Errorf("beside %q stands %q, want %q", text, got, want)
		}
	}
	parts := evalAs[[]numberLink](c.page, `[...document.querySelectorAll(".parts a")].map((a) => ({Href: a.getAttribute("href").replace(/^[^#]*#.\d+./, ""), Text: a.textContent}))`)
	sum := 0
	for _, part := range parts {
		sum += part.number()
		if n := c.length(listOf(part.Href)); n != part.number() {
			t.Errorf("%q leads to %s, which has %d", part.Text, part.Href, n)
		}
	}
	if all := c.length("placements"); sum != all {
		t.Errorf("the parts of the bar are %d blocks of %d", sum, all)
	}
	if zones := evalAs[int](c.page, `document.body.innerText.split("Times in Europe/Berlin").length - 1`); zones != 1 {
		t.Errorf("the zone is named %d times", zones)
	}
	var stats struct{ Lateness struct{ P99Ms int64 } } // how long the filling took decides
	if err := s.api.do(t.Context(), "GET", "/api/v1/deployments/1/stats?window=24h", nil, &stats); err != nil {
		t.Fatal(err)
	}
	if shown := c.text("#main"); strings.Contains(shown, "began late") != (stats.Lateness.P99Ms > 1000) {
		t.Errorf("runs began %d ms late; above a second it is told:\n%s", stats.Lateness.P99Ms, shown)
	}
	const ticks = `[...document.querySelectorAll(".hours text")].map((e) => e.textContent.slice(-3)).join("")`
	if got := evalAs[string](c.page, ticks); got != strings.Repeat(":00", 8) {
		t.Errorf("the hours below the chart are %q", got)
	}
	c.looksRight("overview")
	c.size(1280, 2400)
	c.keep("whole")
	c.size(320, 3600)
	c.keep("whole-320")
	c.theme("dark")
	c.keep("whole-320-dark")
	c.size(1280, 800)
	c.click("Open the report")
	c.settled()
	c.until(fmt.Sprintf(`location.hash.endsWith("/reports/%d")`, s.filled.Reports[0]))
	c.goTo("placements?stance=NEEDS_YOU")
	if n := c.rows(); n != 4 {
		t.Errorf("%d blocks need someone, want 4", n)
	}
}

// Beside a cause that several blocks have stands what shows all of them, not the first alone.
func TestConsoleOverviewShowsAllOfACause(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	want := 0
	for _, p := range s.filled.Placements {
		if p.Status == placements.Conflicted {
			want++
		}
	}
	c := s.open(s.token, "overview")
	c.click("Show the blocks")
	c.until(`location.hash.endsWith("/placements?status=CONFLICT") && document.querySelector("#main h2").textContent === "Placements"`)
	c.settled()
	if n := c.rows(); n != want || n < 2 {
		t.Errorf("%d blocks are shown, want %d", n, want)
	}
}
