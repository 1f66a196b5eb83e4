package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mooring/placements"
	"mooring/storage/storagetest"
)

// The console over thousands of placements and runs: its numbers are true, it is small, and a look at all takes a moment.
func TestConsoleAtSize(t *testing.T) {
	t.Parallel()
	s := newConsoleSite(t, storagetest.Amounts{Reports: 500, Placements: 2500, Documents: 200, Runs: 12_000, Schedules: 200})
	s.countsWhatIsThere()
	c := s.open(s.token, "overview")
	c.looksRight("overview")
	c.size(1280, 800)
	c.overviewIsSmall()
	c.numbersAreLengths()
	c.filesAreSmall()
}

// TestConsoleFigures prints how long the server takes for the overview of 100,000 placements; scripts/bench-overview calls it.
func TestConsoleFigures(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOORING_BENCH_CONSOLE") == "" {
		t.Skip("run scripts/bench-overview")
	}
	s := newConsoleSite(t, storagetest.Amounts{Reports: 2500, Placements: 100_000, Documents: 5000, Runs: 100_000, Schedules: 200})
	s.open(s.token, "overview").overviewIsSmall()
}

// noteShown notes the ms since the page was asked for at which the overview has been read and drawn.
const noteShown = `new MutationObserver((_, observer) => {
	const main = document.querySelector("#main");
	if (!main?.querySelector("a.figure") || main.matches("[aria-busy]") || main.querySelector(".old")) return;
	window.shownAfter = performance.now();
	observer.disconnect();
}).observe(document, {subtree: true, childList: true, attributes: true});`

// TestConsoleFirstLoad prints how long the overview of 10,000 placements takes from the request of the page until it stands, with the console's files
// in the browser's cache; scripts/bench-faces calls it.
func TestConsoleFirstLoad(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOORING_BENCH_FACES") == "" {
		t.Skip("run scripts/bench-faces")
	}
	s := newConsoleSite(t, storagetest.Amounts{Reports: 2500, Placements: 10_000, Documents: 500, Runs: 100_000, Schedules: 200})
	c := s.open(s.token, "overview", noteShown)
	var took []float64
	for range 11 {
		c.do(chromedp.Reload())
		c.until("window.shownAfter")
		took = append(took, evalAs[float64](c.page, "window.shownAfter"))
		c.settled()
	}
	slices.Sort(took)
	fmt.Printf("| the console opened again at its overview of 10,000 placements and 100,000 runs: until it is read and drawn | p50 %.0f ms, the least %.0f, the longest of %d %.0f | <= 300 ms |\n",
		took[len(took)/2], took[0], len(took), took[len(took)-1])
	c.filesAreSmall()
}

// countsWhatIsThere compares what the server counts with what is known to be there.
func (s *consoleSite) countsWhatIsThere() {
	s.t.Helper()
	type counts map[string]int
	var got struct{ Runs, Placements, Documents, Schedules counts }
	if err := s.api.do(s.t.Context(), "GET", "/api/v1/deployments/1/stats?window=24h", nil, &got); err != nil {
		s.t.Fatal(err)
	}
	want := counts{}
	for _, p := range s.filled.Placements {
		want["total"]++
		want[statusCounts[p.Status]]++
		if p.Edited {
			want["edited"]++
		}
	}
	equal := func(what string, got, want counts) {
		s.t.Helper()
		for name, n := range want {
			if got[name] != n {
				s.t.Errorf("%s: %s is %d, want %d", what, name, got[name], n)
			}
		}
	}
	equal("placements", got.Placements, want)
	want = counts{"total": len(s.filled.Runs)}
	for _, run := range s.filled.Runs {
		switch {
		case run.State == placements.RunSucceeded:
			want["succeeded"]++
		case run.ErrorClass == placements.Conflict:
			want["conflict"]++
			fallthrough
		case run.State == placements.RunFailed:
			want["failed"]++
		}
	}
	equal("runs", got.Runs, want)
	want = counts{"total": len(s.filled.Schedules)}
	for _, schedule := range s.filled.Schedules {
		if schedule.ScheduleSpec.Paused {
			want["paused"]++
		}
	}
	equal("schedules", got.Schedules, want)
}

// statusCounts are the names of numbers of placements.
var statusCounts = map[placements.Status]string{
	placements.UpToDate: "upToDate", placements.Changed: "changed", placements.Unknown: "unknown",
	placements.Refreshing: "refreshing", placements.Failed: "failed", placements.Conflicted: "conflict",
}

// numberLink is a link that begins with a number.
type numberLink struct{ Href, Text string }

var leadingNumber = regexp.MustCompile(`^(?:All )?([\d,]+)(?:$|[\s:])`)

// number is the number that the link's text has.
func (l numberLink) number() int {
	n, err := strconv.Atoi(strings.ReplaceAll(leadingNumber.FindStringSubmatch(l.Text)[1], ",", ""))
	if err != nil {
		return -1
	}
	return n
}

// numberLinks lists the links of the screen that begin with a number, each once.
func (c *console) numberLinks() (list []numberLink) {
	c.t.Helper()
	links := evalAs[[]numberLink](c.page, `[...document.querySelectorAll("#main a[href]")].filter((a) => !a.matches(".button") && !a.querySelector("time, bdi")).map((a) =>
		({Href: a.getAttribute("href").replace(/^[^#]*#.\d+./, ""), Text: a.textContent.trim()}))`)
	seen := map[numberLink]bool{}
	for _, link := range links {
		if leadingNumber.MatchString(link.Text) && !seen[link] {
			seen[link] = true
			list = append(list, link)
		}
	}
	return list
}

// listOf is the path of the list that a screen shows, below the deployment.
func listOf(screen string) string {
	name, query, _ := strings.Cut(screen, "?")
	if path, other := map[string]string{"runs": "refreshes", "schedules": "refresh-schedules"}[name]; other {
		name = path
	}
	if query == "" {
		return name
	}
	return name + "?" + query
}

// length counts the items of a list, whose path is below the deployment, page by page. The browser does so in a tenth of the time that this
// program takes under the race detector.
func (c *console) length(path string) int {
	c.t.Helper()
	return evalAs[int](c.page, fmt.Sprintf(`(async (url) => {
		url.searchParams.set("first", 500);
		for (let n = 0;;) {
			const {items, pageInfo} = await (await fetch(url)).json();
			n += items.length;
			if (!pageInfo.hasNextPage) return n;
			url.searchParams.set("after", pageInfo.endCursor);
		} })(new URL(%q, location.origin))`, "/api/v1/deployments/1/"+path))
}

// numbersAreLengths holds every number against the list that it leads to: as the interface lists it, and as the screen shows it where that
// is not long.
func (c *console) numbersAreLengths() {
	c.t.Helper()
	links := c.numberLinks()
	if len(links) < 12 {
		c.t.Errorf("the overview has %d numbers: %v", len(links), links)
	}
	for _, screen := range []string{"documents", "reports", "agents", "quota"} {
		c.goTo(screen)
		more := c.numberLinks()
		links = append(links, more[:min(len(more), 8)]...)
	}
	for _, link := range links {
		if n := c.length(listOf(link.Href)); n != link.number() {
			c.t.Errorf("%q leads to %s, which has %d", link.Text, link.Href, n)
		}
		if link.number() > 150 {
			continue
		}
		if c.goTo(link.Href); c.rows() != link.number() {
			c.t.Errorf("%q leads to %s, which shows %d", link.Text, link.Href, c.rows())
		}
	}
}

// The most that the console may weigh, packed, and an overview's answers.
const (
	maxConsole  = 80 << 10
	maxOverview = 100 << 10
)

// overviewIsSmall measures what the overview asks the server for.
func (c *console) overviewIsSmall() {
	c.t.Helper()
	type figures struct {
		Requests, Bytes int
		Milliseconds    []float64
	}
	got := evalAs[figures](c.page, `(async () => {
		const api = () => performance.getEntriesByType("resource").filter((e) => /\/api\/.*(stats|placements|documents|causes|refresh-schedules|ticks)/.test(e.name));
		const asked = [...new Set(api().map((e) => e.name))];
		performance.clearResourceTimings();
		const took = [];
		for (let i = 0; i < 5; i++) {
			const began = performance.now();
			await Promise.all(asked.map(async (url) => (await fetch(url)).arrayBuffer()));
			took.push(Math.round(performance.now() - began));
		}
		const size = new Map(api().map((e) => [e.name, e.encodedBodySize]));
		return {Requests: asked.length, Bytes: [...size.values()].reduce((sum, n) => sum + n, 0), Milliseconds: took}; })()`)
	c.t.Logf("| the overview over HTTP | %d answers, %d bytes, %v ms together | <= %d bytes |", got.Requests, got.Bytes, got.Milliseconds, maxOverview)
	if got.Requests < 8 || got.Bytes > maxOverview {
		c.t.Errorf("the overview reads %d bytes in %d answers; %d bytes are allowed", got.Bytes, got.Requests, maxOverview)
	}
}

// filesAreSmall weighs all files that the console loads for all of its screens and for the page of approval.
func (c *console) filesAreSmall() {
	c.t.Helper()
	for _, screen := range append(slices.Clone(consoleScreens), c.s.details()...) {
		c.goTo(screen)
	}
	files := evalAs[map[string]int](c.page, "window.files")
	c.do(chromedp.Navigate(c.s.base + "/console/device"))
	c.shows("Code")
	maps.Copy(files, evalAs[map[string]int](c.page, "window.files"))
	bytes := 0
	for _, n := range files {
		bytes += n
	}
	c.t.Logf("| all files of the console, packed | %d bytes in %d files | <= %d |", bytes, len(files), maxConsole)
	if len(files) < 30 || bytes > maxConsole {
		c.t.Errorf("the console is %d bytes in %d files; %d bytes are allowed", bytes, len(files), maxConsole)
	}
}
