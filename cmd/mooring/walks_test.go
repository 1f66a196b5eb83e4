package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mooring/storage/storagetest"
)

// countClicks counts clicks, taps, and Enter and Space on a control: a browser makes a click of each.
const countClicks = `addEventListener("click", (e) => { window.clicks = (window.clicks ?? 0) + (e.isTrusted ? 1 : 0); }, true);`

// openWith opens the pane with a script that runs before its own.
func (s *paneSite) openWith(token, script string) *page {
	s.t.Helper()
	return s.open(token, "undefined; "+script)
}

// paneWalk is a person's way from the opened, signed-in pane of an empty deployment to cells in the sheet.
type paneWalk struct {
	*page
	how   string
	began time.Time
}

func (p *page) walk(how string) *paneWalk {
	p.t.Helper()
	p.shows("No report stands in this document yet.")
	return &paneWalk{page: p, how: how, began: time.Now()}
}

// walkNarrow is a walk in a pane 320 pixels wide.
func (p *page) walkNarrow(how string) *paneWalk {
	p.t.Helper()
	p.size(320, 720)
	return p.walk(how + ", by keyboard alone, 320 px wide")
}

// ends fails the test unless the person came so far with at most eight clicks. How long the browser of a test takes is told only.
func (w *paneWalk) ends() {
	w.t.Helper()
	clicks := evalAs[int](w.page, "window.clicks")
	w.t.Logf("| an empty deployment to cells in the sheet, %s | %d clicks, %.1f s | <= 8, 120 s |", w.how, clicks, time.Since(w.began).Seconds())
	if clicks == 0 || clicks > 8 {
		w.t.Errorf("%s: %d clicks; 8 are allowed", w.how, clicks)
	}
}

// tabTo presses Tab until the control of an expression has the focus.
func (p *page) tabTo(control string) {
	p.t.Helper()
	p.tab(control)
}

// tabBackTo presses Shift and Tab until the control of an expression has the focus.
func (p *page) tabBackTo(control string) {
	p.t.Helper()
	p.tab(control, chromedp.KeyModifiers(chromedp.ModifierShift))
}

// focusFault says what a person who has the keys alone misses of the element that has the focus; "" if nothing.
const focusFault = `((e) => {
	if (e === document.body || e === document.documentElement) return "";
	const r = e.getBoundingClientRect();
	const seen = [e, e.parentElement].map((one) => window.getComputedStyle(one)).some((s) => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0);
	const on = e.className + " " + (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent).trim().slice(0, 60);
	if (!seen) return on + ": it does not show that it has the focus";
	const [x, y] = [Math.max(0, r.x) + 1, Math.max(0, r.y) + 1];
	if (r.right < 1 || r.bottom < 1 || x > window.innerWidth || y > window.innerHeight) return on + ": it has the focus out of sight";
	const top = document.elementFromPoint((Math.max(0, r.x) + Math.min(window.innerWidth, r.right)) / 2, (Math.max(0, r.y) + Math.min(window.innerHeight, r.bottom)) / 2);
	return !top || e.contains(top) || top.contains(e) || e.labels?.[0]?.contains(top) ? "" : on + ": it has the focus below " + top.outerHTML.slice(0, 80);
})(document.activeElement)`

func (p *page) tab(control string, keys ...chromedp.KeyOption) {
	p.t.Helper()
	p.until("!!" + control)
	if evalAs[bool](p, "document.activeElement === document.body && window.clicks > 0") {
		p.until("document.activeElement !== document.body") // what the last key led to has it
	}
	for range 120 {
		if evalAs[bool](p, "document.activeElement === "+control) {
			return
		}
		p.do(chromedp.KeyEvent("\t", keys...))
		if fault := evalAs[string](p, focusFault); fault != "" {
			p.t.Error(fault)
		}
	}
	p.keep("failed")
	p.t.Fatalf("Tab never reaches %s", control)
}

// enter presses Enter on the control of that name, which Tab reaches.
func (p *page) enter(name string) {
	p.t.Helper()
	p.tabTo(named(name))
	p.press(kb.Enter)
}

// A person in an empty deployment makes a report of written SQL and places it: with the keyboard alone, in a pane 320 px wide.
func TestPaneMakesAReportOfSQLByKeyboard(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	p := s.openWith(s.bobs, countClicks)
	w := p.walkNarrow("written SQL")
	p.enter("Place a report")
	p.shows("No report matches.")
	p.enter("New report…")
	p.tabTo(named("orders"))
	p.tabTo(named("SQL"))
	p.press("SELECT customer,\n\tsum(amount) AS amount FROM orders GROUP BY customers")
	p.shows("Line 2")
	p.until(`document.querySelector(".b-stripe")?.dataset.line === "2"`)
	p.looksRight("fault")
	p.size(320, 720)
	p.tabTo(named("SQL"))
	p.press(kb.Backspace)
	p.until(`document.querySelector(".b-table")?.innerText.includes("250.5")`)
	if text := evalAs[string](p, `document.querySelector("textarea").value`); !strings.Contains(text, "\n  sum(amount)") {
		t.Errorf("Tab does not indent: %q", text)
	}
	p.looksRight("sql")
	p.size(320, 720)
	p.press(kb.Escape)
	w.places("orders")
	p.sees("Data!B2", "customer")
	p.sees("Data!C4", 250.5)
	w.ends()
	p.turnsAwayFromSaving()
}

// turnsAwayFromSaving makes a report that does not run and answers no when it is asked whether to save it.
func (p *page) turnsAwayFromSaving() {
	p.t.Helper()
	p.enter("Place a report")
	p.enter("New report…")
	p.tabTo(named("SQL"))
	p.press("SELECT nothing FROM orders" + kb.Escape)
	p.enter("Save and place")
	p.shows("Save all the same")
	p.press(kb.Escape)
	p.until("document.activeElement === " + named("Save and place"))
}

// places goes on from a query that was made to its rows in the sheet.
func (w *paneWalk) places(report string) {
	w.t.Helper()
	w.enter("Save and place")
	w.shows("These cells are empty.")
	w.enter("Place it here")
	w.shows(fmt.Sprintf("“%s” is placed.", report))
	w.keepsFocus()
}

// keepsFocus fails the test if what had the focus is gone and nothing has it in its place: the next Tab begins at the top then.
func (p *page) keepsFocus() {
	p.t.Helper()
	p.until("document.activeElement !== document.body")
}

// From the members of a view of Cube, among 2,000 others.
func TestPaneBuildsAReportOfCubeByKeyboard(t *testing.T) {
	t.Parallel()
	c := newStrictCube(t, 2000)
	s := paneSiteOf(t, newCodeSiteOf(t, storagetest.Redis(t), 1, c.source(), "{SHEETS_B: {kind: xlsx, dir: sheets}}"))
	p := s.openWith(s.bobs, countClicks)
	w := p.walkNarrow("a view of Cube")
	p.enter("Place a report")
	p.shows("No report matches.")
	p.enter("New report…")
	p.tabTo(named("Search fields"))
	p.adds("sales region", "sales.region")
	p.tabBackTo(named("Search fields")) // what it holds is selected
	p.adds("sales total", "sales.total")
	p.until(`document.querySelector(".b-table")?.innerText.includes("North")`)
	w.places("Sales Total by Sales Region")
	p.sees("Data!B3", "North")
	p.sees("Data!C5", 300)
	w.ends()
}

// adds types into the search of members and presses Enter on the one that is found.
func (p *page) adds(search, member string) {
	p.t.Helper()
	p.press(search)
	p.until(`document.querySelectorAll(".b-member").length === 1`)
	p.tabTo(fmt.Sprintf(`document.querySelector('.b-member bdi[title=%q]')?.closest("button")`, member))
	p.press(kb.Enter)
	p.until(fmt.Sprintf(`document.querySelector('.b-zone .b-title[title=%q]')`, member))
}
