package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"mooring/storage/storagetest"
)

// approve approves a code as Bob does in his browser.
func (s *paneSite) approve(code string) {
	s.t.Helper()
	s.account("POST", "device/"+code+"/approve", `{"deployments": [1], "actions": ["All"]}`)
}

// keptTokens is what the pane keeps of its tokens, spoiling the expression that changes members of it.
const keptTokens = "JSON.parse(localStorage.getItem(`mooring.session:${location.origin}`))"

func spoiling(change string) string {
	return fmt.Sprintf("localStorage.setItem(`mooring.session:${location.origin}`, JSON.stringify({...%s, %s}))", keptTokens, change)
}

// spoilAndClick spoils the tokens and clicks at once: another request that finds the sign-in ended would lay its question over the button.
func (p *page) spoilAndClick(change, button string) {
	p.t.Helper()
	p.until("!!" + named(button))
	p.eval(spoiling(change) + ", " + named(button) + ".click(), null")
}

// A person pairs the pane; a token that ends meanwhile is renewed, and where that cannot be done, they sign in again and go on where they
// were.
func TestPaneSignsIn(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	p := s.open("", "")
	p.allow("401")
	p.allow("400") // authorization_pending
	p.shows("Sign in to Mooring")
	p.looksRight("signed-out")
	p.click("Sign in")
	p.shows("Waiting for your approval…")
	p.looksRight("code")
	code := p.text(".code")
	if href := evalAs[string](p, `document.querySelector(".card a").href`); !strings.Contains(href, "/console/device?user_code="+code) {
		t.Errorf("leads to %s", href)
	}
	s.approve(code)
	p.shows("Orders")
	p.eval(spoiling(`access: "ended"`))
	p.refreshes("All blocks", "1 block refreshed, 4 rows changed.") // renewed, unnoticed
	p.until(keptTokens + `.access !== "ended"`)

	p.click("Refresh")
	p.spoilAndClick(`access: "ended", refresh: undefined`, "All blocks")
	p.shows("Sign in again, and what you were doing goes on.")
	p.looksRight("again")
	p.eval(`document.querySelector("dialog summary").click()`)
	p.fill("Key", "nonsense")
	p.click("Use this key")
	p.shows("This key is not valid here")
	p.fill("Key", s.bobs)
	p.allow("503")
	s.busy.Store(2) // whether it is bob still is asked after whether the key is valid
	p.click("Use this key")
	p.until(`document.getElementById("notice").innerText.includes("1 block refreshed, nothing changed.")`)

	p.click("Signed in as bob@example.com")
	p.click("Sign out")
	p.shows("Sign in to Mooring")
	p.until("localStorage.length === 0")
	var devices string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if devices = string(s.account("GET", "devices", "")); strings.Contains(devices, `"items":[]`) {
			return
		}
	}
	t.Errorf("signed in on the server after signing out: %s", devices)
}

// Who signs in where another person's sign-in ended sees what is theirs, and nothing that the other had begun goes on.
func TestPaneOfAnotherPerson(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	p.allow("401")
	p.shows("Orders")
	p.click("Refresh")
	p.spoilAndClick(`access: "ended"`, "All blocks")
	p.shows("Sign in again, and what you were doing goes on.")
	p.eval(`document.querySelector("dialog summary").click()`)
	p.fill("Key", s.key("3", "--email", "carol@example.com", "--name", "Carol", "--no-actions"))
	p.click("Use this key")
	p.until(`document.querySelector("[popovertarget=account-menu]")?.ariaLabel === "Signed in as carol@example.com"`)
	p.shows("You may not read this report.")
	p.until(`!document.body.innerText.includes("Orders")`)
}

// The pane says that the server is away, keeps what was read, and goes on by itself.
func TestPaneServerAway(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	report := s.report("Orders", "SELECT id, customer, amount FROM orders")
	s.place(report, "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	for _, expected := range []string{"ERR_EMPTY_RESPONSE", "ERR_CONNECTION", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_INVALID_CHUNKED"} {
		p.allow(expected)
	}
	p.refreshes("All blocks", "1 block refreshed, 4 rows changed.")
	s.away.Store(true)
	s.proxy.CloseClientConnections()
	p.shows("Mooring cannot be reached. This is what was read")
	p.shows("4 rows changed")
	p.looksRight("away")
	p.eval(`document.querySelector(".row .open").click()`) // a screen whose module was not loaded yet
	p.shows("Mooring cannot be reached. Check your connection and try again.")
	s.away.Store(false)
	p.until(`!document.body.innerText.includes("cannot be reached")`)
	p.open1("Orders")
	p.shows("Unlink")
	p.click("All blocks")
	s.place(report, "book-1", "Other!B2")
	p.shows("Other!B2") // events are followed again
}

// While the service's storage is away the pane says so and keeps what was read; a refresh once it is back is as any other.
func TestPaneStorageAway(t *testing.T) {
	t.Parallel()
	server := newDurableRedis(t)
	s := newPaneSiteOn(t, storagetest.Addr(server.addr))
	s.place(s.report("Orders", "SELECT id, customer, amount FROM orders"), "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	for _, expected := range []string{"503", "ERR_INCOMPLETE_CHUNKED_ENCODING"} {
		p.allow(expected)
	}
	p.refreshes("All blocks", "1 block refreshed, 4 rows changed.")
	server.stop()
	const said = `document.body.innerText.includes("storage does not answer")`
	p.until(said)
	p.shows("4 rows changed")
	p.looksRight("storage-away")
	server.start()
	p.until("!" + said)
	p.refreshes("All blocks", "1 block refreshed, nothing changed.")
}

// Beside no spreadsheet the pane lists, and lets an agent refresh.
func TestPaneBesideNoSpreadsheet(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	report := s.report("Orders", "SELECT id, customer, amount FROM orders")
	s.send("PUT", fmt.Sprintf("1/reports/%d/connect-workbook", report),
		`{"externalWorkbookId": "orders.xlsx", "resultLocation": "Sheet1!B2", "host": "SHEETS_B", "addressOnly": true}`)
	p := s.open(s.bobs, "")
	p.do(chromedp.Navigate(s.proxy.URL + "/addin/"))
	p.shows("No spreadsheet is open here.")
	p.do(chromedp.Navigate(s.proxy.URL + "/addin/?host=none&document=orders.xlsx"))
	p.shows("Not refreshed yet")
	p.refreshes("All blocks", "An agent refreshes it now.")
	p.shows("by you · 4 rows changed") // told by an event
	p.looksRight("list")
}

// Everything can be done without a mouse, and the focus is always seen.
func TestPaneByKeyboard(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	report := s.report("Orders", "SELECT id, customer, amount FROM orders")
	for _, at := range []string{"Data!B2", "Data!H2", "Other!B2"} {
		s.place(report, "book-1", at)
	}
	p := s.open(s.bobs, "")
	p.until(`document.querySelectorAll(".row").length === 3`)
	want := []string{"Signed in as bob@example.com", "Refresh", "Place a report", "Orders Not refreshed yet, Data!B2", "Go to Data!B2"}
	if diff := cmp.Diff(want, p.focusOrder()); diff != "" {
		t.Errorf("focus (-want +got):\n%s", diff)
	}
	p.eval(`document.querySelector(".row .open").focus()`)
	focused := func(name string) {
		t.Helper()
		p.until(fmt.Sprintf("(document.activeElement.ariaLabel || document.activeElement.textContent) === %q", name))
	}
	p.press(kb.ArrowDown)
	focused("Orders Not refreshed yet, Data!H2")
	p.press(kb.End)
	focused("Orders Not refreshed yet, Other!B2")
	p.press(kb.Enter)
	p.until(`document.activeElement.tagName === "H2"`)
	p.press("\t")
	p.press(kb.Enter) // Refresh
	p.until(`document.getElementById("notice").innerText.includes("1 block refreshed")`)
	p.sees("Other!B2", "id")
}

// A document of 10,000 blocks is a list of few elements, which scrolls and narrows.
func TestPaneManyBlocks(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.manyBlocks = 10_000
	p := s.open(s.bobs, "")
	p.beforeLoad(`window.longTasks = []; new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((e) => e.duration)))
		.observe({type: "longtask", buffered: true})`)
	p.eval("location.reload()")
	p.shows("Report 0")
	p.until(`document.querySelector("[aria-setsize]").ariaSetSize === "10000"`)
	loading := evalAs[[]float64](p, "window.longTasks.splice(0).map(Math.round)")
	p.looksRight("many")
	for range 3 {
		p.eval("window.longTasks.splice(0)")
		p.eval(`(async () => { const list = document.querySelector(".list");
			for (let i = 0; i <= 100; i++) { list.scrollTop = i * list.scrollHeight / 100; await new Promise(requestAnimationFrame); } })()`)
		scrolling := evalAs[[]float64](p, "window.longTasks.splice(0).map(Math.round)")
		t.Logf("long tasks: loading %v ms, scrolling %v ms; %s", loading, scrolling, p.noise())
	}
	p.shows("Report 9999")
	if n := evalAs[int](p, `document.querySelectorAll(".row").length`); n > 40 {
		t.Errorf("%d rows exist", n)
	}
	p.fill("Find a block", "report 7777")
	p.until(`Number(document.querySelector("[aria-setsize]").ariaSetSize) < 10`)
	p.shows("Report 7777")
}

// noise says how much longer than at its best a fixed piece of work takes here: what a long task may owe to others on the machine.
func (p *page) noise() string {
	p.t.Helper()
	took := evalAs[[]float64](p, `(async () => {
		const took = [];
		for (let i = 0; i < 100; i++) {
			const began = performance.now();
			for (let n = 0, x = 1; n < 2e6; n++) x = Math.imul(x, 48271) ^ n;
			took.push(performance.now() - began);
			await new Promise(requestAnimationFrame);
		}
		return took.sort((a, b) => a - b); })()`)
	return fmt.Sprintf("the same work took %.0f ms at its best, %.0f ms at its worst", took[0], took[len(took)-1])
}

// A block of 50,000 rows that did not change is told by its fingerprints: no row comes back. Of one that did, few do.
func TestPaneLargeBlock(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	const large = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) " +
		"SELECT i AS id, 'customer ' || i AS customer, %s AS amount FROM n"
	report := s.report("Large", fmt.Sprintf(large, "i * 1.5"))
	s.place(report, "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	p.refreshes("All blocks", "1 block refreshed, 50,001 rows changed.")
	p.sees("Data!D50002", 75000)
	type figures struct {
		Rows, RowBytes, Packed, Plain int
		Milliseconds                  float64
	}
	// measured refreshes the block and returns how many rows came to be written, their cells as JSON, and the bytes of the plans.
	measured := func(notice string) figures {
		t.Helper()
		p.eval(`(window.book.applied = [], performance.clearResourceTimings(), window.began = performance.now())`)
		p.refreshes("All blocks", notice)
		return evalAs[figures](p, `(() => {
			const rows = window.book.applied.flatMap((patch) => patch.rows ?? []).flatMap((span) => span.cells);
			const plans = performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/plan"));
			const sum = (size) => plans.reduce((total, plan) => total + plan[size], 0);
			return {Rows: rows.length, RowBytes: rows.reduce((total, row) => total + JSON.stringify(row).length, 0),
				Packed: sum("encodedBodySize"), Plain: sum("decodedBodySize"), Milliseconds: performance.now() - window.began}; })()`)
	}
	unchanged := measured("1 block refreshed, nothing changed.")
	if unchanged.Rows > 0 {
		t.Errorf("unchanged: %+v", unchanged)
	}
	s.send("PUT", fmt.Sprintf("1/reports/%d", report), fmt.Sprintf(`{"sqlQuery": %q}`, fmt.Sprintf(large, "iif(i % 500 = 0, 7, i * 1.5)")))
	changed := measured("1 block refreshed, 100 rows changed.")
	p.sees("Data!D502", 7)
	t.Logf("unchanged: %+v; 100 rows changed: %+v", unchanged, changed)
	// A plan carries the checksum of the whole block in any case; what changed rows add to it is to be no more than twice what they are.
	if more := changed.Packed - unchanged.Packed; changed.Rows != 100 || more > 2*changed.RowBytes {
		t.Errorf("100 changed rows of %d bytes took %d rows and %d bytes more than none", changed.RowBytes, changed.Rows, more)
	}
}

// What the pane weighs, and what it takes to see the blocks from an empty and from a warm cache.
func TestPaneFigures(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.place(s.report("Orders", "SELECT 1"), "book-1", "Data!B2")
	p := s.open(s.bobs, "")
	p.shows("Orders")
	// What is loaded once the blocks are seen, to know where agents reach the document, is not of the first load.
	const measure = `(() => { const all = performance.getEntriesByType("resource").filter((e) => !/\/api\/|\/(link|seen)\.mjs/.test(e.name));
		const paint = performance.getEntriesByName("first-contentful-paint")[0];
		return {files: all.length + 1, bytes: all.reduce((sum, e) => sum + e.encodedBodySize, 0), paint: Math.round(paint?.startTime)} })()`
	type figures struct{ Files, Bytes, Paint int }
	cold := evalAs[figures](p, measure)
	if cold.Files > 12 || cold.Bytes > 40<<10 {
		t.Errorf("to see the blocks took %d files of %d bytes packed; 12 and 40 kB are allowed", cold.Files, cold.Bytes)
	}
	t.Logf("cold: %+v", cold)
	p.beforeLoad(`(function look() {
		window.shown = document.querySelector(".row") && performance.now();
		window.shown || requestAnimationFrame(look); })()`)
	for range 5 {
		p.eval("(window.before = true, location.reload())")
		p.until(`!window.before && window.shown && performance.getEntriesByName("first-contentful-paint").length`)
		t.Logf("warm: %+v, the blocks after %d ms", evalAs[figures](p, measure), evalAs[int](p, "Math.round(window.shown)"))
	}
}

// many answers a page of placements of a document with very many.
func (s *paneSite) many(w http.ResponseWriter, r *http.Request) {
	from := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("after"), &from)
	items := []map[string]any{}
	for i := from; i < min(from+500, s.manyBlocks); i++ {
		at := fmt.Sprintf("Data!B%d", 2+3*i)
		items = append(items, map[string]any{
			"access": "GRANTED", "deploymentId": 1, "reportId": 1, "reportName": fmt.Sprintf("Report %d", i), "placement": map[string]any{
				"id": fmt.Sprint("p", i), "workbookId": "book-1", "host": "SHEETS_A", "sheetName": "Data", "anchorCell": fmt.Sprintf("B%d", 2+3*i),
				"resultLocation": at, "syncStatus": []string{"UNKNOWN", "CHANGED", "UP_TO_DATE", "FAILED", "CONFLICT"}[i%5],
			},
		})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"items": items, "pageInfo": map[string]any{"hasNextPage": from+500 < s.manyBlocks, "endCursor": fmt.Sprint(from + 500)},
	})
}
