package main

import (
	"fmt"
	"strings"
	"testing"
)

// linkedDocuments adds what links of every state look like to the answers about documents, which are else the server's: hosts that would
// find them are not there, and names that would get out of their places no host would admit. A document is unlinked at the second try.
func linkedDocuments(t *testing.T) string {
	const given, since = "0f8fad5b-d9cb-469f-a165-70867728950e", "2026-11-20T08:00:00.000Z"
	links := []map[string]any{
		{
			"id": given, "state": "linked", "host": "finance", "name": "Plan 2027.xlsx", "webUrl": "https://contoso.sharepoint.com/sites/fin/plan.xlsx",
			"by": "asked", "since": since, "provedAt": since, "message": "Agents refresh this workbook too (finance).", "ids": []string{"01ABCDEFGHIJKLMNOPQ", "b2"},
		},
		{"id": "plan.xlsx", "state": "ambiguous", "message": "Several spreadsheet hosts may have it: it is known which one once it was refreshed."},
		{"id": given, "lost": true, "state": "looking", "since": since, "message": "It is looked for."},
		{"id": given, "lost": true, "state": "not_saved", "message": "It is not saved yet: save it to a place that Mooring reaches."},
		{"id": given, "lost": true, "state": "not_found", "message": "No file shows it: save it to a place that Mooring reaches, and look again."},
		{"id": given, "lost": true, "state": "ambiguous", "host": "finance", "message": "Two files are this workbook: delete one of them."},
		{"id": given, "lost": true, "state": "not_reached", "message": "It is outside of what is configured: ask who runs Mooring to add its site."},
		{"id": given, "lost": true, "state": "refused", "message": "Mooring may not open it: ask the site's owner."},
	}
	for i, name := range hostileNames() {
		links = append(links, map[string]any{
			"id": fmt.Sprintf("%s%02d", given[:34], i), "state": "linked", "host": name, "name": name, "webUrl": "javascript:window.owned=true", "by": name, "message": name,
			"ids": []string{name, name}, "since": since,
		}, map[string]any{"id": name, "state": name, "host": name, "message": name, "ids": []string{name}})
	}
	return fmt.Sprintf(`{
		const links = %s;
		const fetch = window.fetch;
		let tries = 0;
		window.asked = [];
		const answer = (status, body) => new Response(JSON.stringify(body), {status, headers: {"Content-Type": "application/json"}});
		window.fetch = async (input, init) => {
			const {pathname, search} = new URL(input?.url ?? input, location);
			window.asked.push((init?.method ?? "GET") + " " + pathname + search);
			if (pathname.endsWith("/link") && tries++ === 0) return answer(403, {statusCode: 403, message: "Unlinking needs edit access to every report placed there: ask Ana."});
			if (pathname.endsWith("/link")) links[0] = {...links[0], state: "not_found", message: "The spreadsheet was unlinked: choose Look again in its pane."};
			if (/external-documents\/[^/]+(\/link)?$/.test(pathname)) return answer(200, links[0]);
			const got = await fetch(input, init);
			if (!pathname.endsWith("/documents")) return got;
			if (!search.includes("include=link")) return got;
			const page = await got.json();
			page.items.forEach((item, i) => { item.link = links[i]; item.lost = links[i]?.lost; });
			return answer(got.status, page);
		};
	}`, jsonOf(t, links))
}

// The list of documents says where each is, or why agents do not reach it; whatever names say, it is not widened by them and runs none.
func TestConsoleSaysWhereDocumentsAre(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := s.open(s.token, "documents", linkedDocuments(t))
	for _, said := range []string{
		"Plan 2027.xlsx", ", finance", "linked from its task pane", "also known as 01ABCDEFGHIJKLMNOPQ, b2",
		"Several spreadsheet hosts may have it", "Being looked for", "save it to a place that Mooring reaches", "Two files are this workbook", "ask who runs Mooring to add its site", "ask the site's owner",
	} {
		c.shows(said)
	}
	c.looksRight("documents")
	if evalAs[bool](c.page, `!!window.owned || !!document.querySelector("#main img, #main script, #main a[href^=javascript]")`) {
		t.Error("a name became an element, or a place to go to")
	}
	const file = `document.querySelector('#main a[href="https://contoso.sharepoint.com/sites/fin/plan.xlsx"]')`
	if rel := evalAs[string](c.page, file+"?.rel ?? ''"); !strings.Contains(rel, "noopener") {
		t.Errorf("the link to the file has rel %q", rel)
	}
	const refreshes = `[...document.querySelectorAll("#main tbody tr")].map((row) => !!row.querySelector("[id^=refresh-]")).slice(0, 4)`
	if got := evalAs[[]bool](c.page, refreshes); !got[0] || !got[1] || got[2] || got[3] {
		t.Errorf("refreshes are offered in rows %v: agents reach the first two", got)
	}
	c.size(1280, 800)
	c.choose("filter-reach", "lost")
	c.settled()
	c.until(`window.asked.some((one) => one.includes("/documents?") && one.includes("reach=lost"))`)
	c.looksRight("lost")
}

// A document is unlinked once the person is sure; who may not is told so. A block says where its document is, too.
func TestConsoleUnlinksADocument(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := s.open(s.token, "documents", linkedDocuments(t))
	c.allow("403") // of the first try
	seen := false
	sure := func(answer string) {
		t.Helper()
		c.click("Unlink")
		c.until(`!!document.querySelector("dialog[open]")`)
		c.shows("Unlink this document from its file? Plan 2027.xlsx")
		if !seen {
			c.looksRight("unlink")
			seen = true
		}
		c.eval(fmt.Sprintf(`[...document.querySelectorAll("dialog button")].find((b) => b.textContent === %q).click()`, answer))
		c.until(`!document.querySelector("dialog[open]")`)
	}
	sure("Cancel")
	sure("Unlink")
	c.shows("Unlinking needs edit access to every report placed there: ask Ana.")
	sure("Unlink")
	c.shows("The document is unlinked.")
	c.shows("The spreadsheet was unlinked: choose Look again in its pane.")
	if n := evalAs[int](c.page, `window.asked.filter((one) => one.startsWith("DELETE ")).length`); n != 2 {
		t.Errorf("asked to unlink %d times", n)
	}
	c.goTo(s.details()[0])
	c.shows("The spreadsheet was unlinked: choose Look again in its pane.")
	viewer := s.open(s.key("3", "--action", "ReportRead"), "documents", linkedDocuments(t))
	viewer.shows("Plan 2027.xlsx")
	if evalAs[bool](viewer.page, `!!document.querySelector("[id^=unlink-]")`) {
		t.Error("who may edit nothing is offered to unlink")
	}
	viewer.goTo(s.details()[0])
	viewer.shows("also known as 01ABCDEFGHIJKLMNOPQ, b2")
}
