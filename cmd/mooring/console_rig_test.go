package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"mooring/cmd/mooring/programtest"
	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// consoleSite is the built program over a storage of two accounts, acme and other. No agent works: runs end when a test ends them.
type consoleSite struct {
	*codeSite
	api    apiClient // of Ana, who may do everything in acme
	filled *storagetest.Filled
}

// consoleDeployment is the deployment that the console shows.
var consoleDeployment = record.Deployment{Tenant: "acme", ID: 1}

// newConsoleSite starts the program over a storage that is filled with amounts.
func newConsoleSite(t *testing.T, amounts storagetest.Amounts) *consoleSite {
	t.Helper()
	return newConsoleSiteOn(t, storagetest.Redis(t), amounts)
}

// newConsoleSiteOn does the same on a Redis at an address.
func newConsoleSiteOn(t *testing.T, redis string, amounts storagetest.Amounts) *consoleSite {
	t.Helper()
	code := &codeSite{t: t, redis: redis, config: filepath.Join(t.TempDir(), "mooring.yaml")}
	writeFile(t, code.config, `
listen: 127.0.0.1:0
redis: `+code.redis+`
limits: {requestsPerMinute: 0, schedulesPerUser: 0, schedulesPerTenant: 0}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme: {deployments: {1: {timezone: Europe/Berlin}, 2: {}}}
  other: {deployments: {1: {}}}
`)
	amounts.Deployment = consoleDeployment
	s := &consoleSite{codeSite: code, filled: filled(t, code.redis, amounts)}
	server := start(t, "serve", "--config", s.config, "--agent=false")
	s.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(server.waitFor("msg=serving"))[1]
	s.token = s.key("1", "--email", "ana@example.com", "--name", "Ana", "--action", "All")
	s.bobs = s.key("2", "--email", "bob@example.com", "--name", "Bob", "--action", "All")
	s.api = apiClient{base: s.base, token: s.token}
	s.send("POST", "1/workbooks", `{"name": "Board of sales"}`)
	return s
}

// fillProgram builds the program that fills a storage, once for all tests.
var fillProgram = sync.OnceValues(func() (string, error) { return programtest.Build("mooring/storage/storagetest/fill") })

// filled fills a storage by a program of its own: the race detector, under which these tests run, makes it four times as slow.
func filled(t *testing.T, redis string, amounts storagetest.Amounts) *storagetest.Filled {
	t.Helper()
	asked, err := json.Marshal(amounts)
	if err != nil {
		t.Fatal(err)
	}
	program, err := fillProgram()
	if err != nil {
		t.Fatal(err)
	}
	fill := exec.Command(program, redis)
	fill.Stdin, fill.Stderr = bytes.NewReader(asked), os.Stderr
	out, err := fill.Output()
	if err != nil {
		t.Fatal(err)
	}
	made := new(storagetest.Filled)
	if err := json.Unmarshal(out, made); err != nil {
		t.Fatal(err)
	}
	return made
}

// items reads a whole list, page by page. path is below the deployment.
func (s *consoleSite) items(path string) (all []json.RawMessage) {
	s.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	for after := ""; ; {
		var page struct {
			Items    []json.RawMessage
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		query := separator + url.Values{"first": {"500"}, "after": {after}}.Encode()
		if err := s.api.do(s.t.Context(), "GET", "/api/v1/deployments/1/"+path+query, nil, &page); err != nil {
			s.t.Fatal(err)
		}
		all = append(all, page.Items...)
		if after = page.PageInfo.EndCursor; !page.PageInfo.HasNextPage {
			return all
		}
	}
}

// console is the console in a browser.
type console struct {
	*page
	s *consoleSite
}

// open opens a screen of the console, such as "overview", with scripts that run before its own, and signs in there.
func (s *consoleSite) open(token, screen string, before ...string) *console {
	s.t.Helper()
	c := &console{page: newPage(s.t), s: s}
	c.allow("401") // of who is asked for before anyone has signed in
	c.size(1280, 800)
	for _, script := range append(before, countAnswers) {
		c.beforeLoad(script)
	}
	c.do(chromedp.Navigate(s.base + "/console/#/1/" + screen))
	c.signIn(token)
	return c
}

// countAnswers notes each answer of the interface, how many are still to come, and the packed sizes of all other files.
const countAnswers = `{
	window.files = {};
	const weigh = (list) => list.filter((e) => !e.name.includes("/api/")).forEach((e) => { files[e.name] = e.encodedBodySize; });
	new PerformanceObserver((list) => weigh(list.getEntries())).observe({type: "resource", buffered: true});
	new PerformanceObserver((list) => weigh(list.getEntries())).observe({type: "navigation", buffered: true});
	const fetch = window.fetch;
	window.answers = [];
	window.awaited = 0;
	window.fetch = async (input, init) => {
		const asked = (init?.method ?? "GET") + " " + new URL(input?.url ?? input, location).pathname;
		if (!asked.endsWith("/events")) window.awaited++;
		try {
			const answer = await fetch(input, init);
			window.answers.push(asked + " " + answer.status);
			return answer;
		} finally {
			if (!asked.endsWith("/events")) window.awaited--;
		}
	};
}`

// signIn signs in with a key.
func (c *console) signIn(token string) {
	c.t.Helper()
	c.fill("Key", token)
	c.click("Sign in")
	c.settled()
}

// settled waits until a screen is shown and read.
func (c *console) settled() {
	c.t.Helper()
	c.until(`document.querySelector("#main h2") && !document.querySelector("#key") &&
		!document.querySelector("#main[aria-busy], #main .old") && window.awaited === 0`)
}

// goTo shows a screen by its address below the deployment, such as "placements?status=FAILED".
func (c *console) goTo(screen string) {
	c.t.Helper()
	c.eval(fmt.Sprintf(`((hash) => {
		if (location.hash === hash) return;
		document.getElementById("main").firstElementChild?.classList.add("old");
		location.hash = hash; })(%q)`, "#/1/"+screen))
	c.settled()
}

// consoleScreens are the screens that need nothing to be chosen.
var consoleScreens = []string{
	"overview", "documents", "placements", "runs", "reports", "workbooks", "schedules", "agents", "quota", "keys", "audit",
}

// details are screens of one thing each: a block that met a conflict and one with edited cells, a failed run, a report, a schedule
// and a workbook.
func (s *consoleSite) details() []string {
	block := func(wanted func(*storagetest.StandingPlacement) bool) string {
		p := s.filled.Placements[slices.IndexFunc(s.filled.Placements, wanted)]
		return fmt.Sprintf("placements/%d/%s", p.ReportID, p.ID)
	}
	failed := slices.IndexFunc(s.filled.Runs, func(run *record.Run) bool { return run.State == placements.RunFailed })
	return []string{
		block(func(p *storagetest.StandingPlacement) bool { return p.Status == placements.Conflicted }),
		block(func(p *storagetest.StandingPlacement) bool { return p.Edited }),
		"runs/" + url.PathEscape(s.filled.Runs[failed].ID),
		fmt.Sprintf("reports/%d", s.filled.Reports[0]),
		fmt.Sprintf("schedules/%d", s.filled.Schedules[0].ID),
		fmt.Sprintf("schedules/%d/edit", s.filled.Schedules[0].ID),
		"schedules/new",
		"workbooks/1",
	}
}

// rows counts the rows of the screen's list, all of them.
func (c *console) rows() int {
	c.t.Helper()
	const more = `document.querySelector("#main .foot button")`
	for evalAs[bool](c.page, "!!"+more) {
		c.eval("(" + more + "?.click(), null)")
		c.settled()
	}
	return evalAs[int](c.page, `document.querySelectorAll("#main tbody tr:not(:has(.empty))").length`)
}
