package main

import (
	"fmt"
	"testing"
)

// coveredByNotice are the controls that a notice lies over where the page was scrolled to them, as when they get the focus.
const coveredByNotice = `[...document.querySelectorAll("#main :is(a[href], button, input, select, summary)")].filter((e) => {
	if (!e.getClientRects().length) return false;
	e.scrollIntoView({block: "nearest"});
	const r = e.getClientRects()[0];
	return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)?.closest(".notice");
}).map((e) => e.getAttribute("aria-label") || e.textContent)`

// A notice lies over no control that a person scrolls to, however narrow and low the window.
func TestConsoleNoticeLeavesEveryControlInReach(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := s.open(s.token, fmt.Sprintf("schedules/%d", s.filled.Schedules[0].ID))
	c.size(320, 480)
	c.choose("overlap", "queue")
	c.until(`document.querySelector(".notice")?.innerText.includes("Saved.")`)
	c.settled()
	if controls := evalAs[int](c.page, `document.querySelectorAll("#main :is(a[href], button, input, select, summary)").length`); controls < 10 {
		t.Errorf("the page has %d controls", controls)
	}
	if covered := evalAs[[]string](c.page, coveredByNotice); len(covered) > 0 {
		t.Errorf("the notice lies over %q", covered)
	}
	c.keep("narrow")
	c.looksRight("schedule")
	c.size(1280, 400)
	if covered := evalAs[[]string](c.page, coveredByNotice); len(covered) > 0 {
		t.Errorf("in a wide window the notice lies over %q", covered)
	}
	c.keep("wide")
	c.click("Dismiss")
	c.until(`!document.querySelector(".notice")`)
}
