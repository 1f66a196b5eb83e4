package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// What a person sees, they may do: whatever button is shown to people who may little, none is refused for want of rights.
func TestConsoleShowsOnlyWhatMayBeDone(t *testing.T) {
	t.Parallel()
	for _, who := range []struct {
		name  string
		token []string
		sees  string // in the list of reports
	}{
		{"who may read reports", []string{"3", "--action", "ReportRead"}, "Report 1 of sales"},
		{"a role that may read one report", []string{"4", "--no-actions", "--role", "7"}, "Report 0 of sales"},
		{"who owns some reports", []string{"102", "--no-actions"}, "Report 1 of sales"},
		{"who may edit", []string{"5", "--action", "ReportEdit"}, "Report 1 of sales"},
		{"who may nothing", []string{"6", "--no-actions"}, "There is no report yet, or none that you may read."},
	} {
		t.Run(who.name, func(t *testing.T) {
			s := smallSite(t)
			s.send("PUT", fmt.Sprintf("1/reports/%d/access", s.filled.Reports[0]),
				`{"rolesWithAccess": [{"id": 7, "name": "Sales", "actions": ["ReportRead"]}]}`)
			c := s.open(s.key(who.token[0], who.token[1:]...), "reports")
			c.shows(who.sees)
			c.pressEverything()
			answers := evalAs[[]string](c.page, "window.answers")
			if len(answers) < 10 {
				t.Errorf("%d answers only: the screens asked for less than they show", len(answers))
			}
			for _, answer := range answers {
				if strings.HasSuffix(answer, " 403") {
					t.Errorf("refused: %s", answer)
				}
			}
		})
	}
}

// pressEverything shows every screen that the navigation and lists lead to, and presses one button of each name there.
func (c *console) pressEverything() {
	c.t.Helper()
	c.allow("status of 409")    // what is being refreshed is not refreshed again
	c.allow("status of 404")    // of a block that was just unlinked
	c.allow("is not focusable") // of a field that is left empty
	c.allow("/1/catalog?")      // no agent works here that could ask the source, and the page says so
	screens := evalAs[[]string](c.page, `[...document.querySelectorAll("#nav a")].map((a) => a.getAttribute("href").replace(/^[^#]*#.\d+./, ""))`)
	for i := 0; i < len(screens); i++ {
		c.goTo(screens[i])
		if !strings.Contains(screens[i], "/") {
			screens = append(screens, c.leads()...)
		}
		for _, button := range c.buttons() {
			c.goTo(screens[i])
			c.pressed(button)
		}
	}
	c.t.Logf("%d screens", len(screens))
}

// leads are the first links of the screen to one thing of each kind.
func (c *console) leads() (screens []string) {
	c.t.Helper()
	links := evalAs[[]string](c.page, `[...document.querySelectorAll("#main a[href]")].map((a) => a.getAttribute("href").replace(/^[^#]*#.\d+./, ""))`)
	for _, link := range links {
		kind, _, one := strings.Cut(link, "/")
		if one && !slices.ContainsFunc(screens, func(other string) bool { return strings.HasPrefix(other, kind+"/") }) {
			screens = append(screens, link)
		}
	}
	return screens
}

// buttons are the names of the buttons of the screen, each once.
func (c *console) buttons() []string {
	c.t.Helper()
	return evalAs[[]string](c.page, `[...new Set([...document.querySelectorAll("#main button:not(:disabled)")].map((b) => b.textContent.trim()))]`)
}

// pressed presses the first button of a name, if it is still there, and whatever confirms what it asks.
func (c *console) pressed(name string) {
	c.t.Helper()
	c.eval(fmt.Sprintf(`([...document.querySelectorAll("#main button")].find((b) => b.textContent.trim() === %q)?.click(), null)`, name))
	for range 3 {
		c.until("window.awaited === 0")
		asks := evalAs[bool](c.page, `(() => {
			const dialog = document.querySelector("dialog[open]");
			for (const input of dialog?.querySelectorAll("input") ?? []) input.value ||= "3";
			dialog?.querySelector("button.primary, button.danger")?.click();
			return !!dialog; })()`)
		if !asks {
			break
		}
	}
	c.eval(`(document.querySelector("dialog[open]")?.close(), null)`)
	c.settled()
}

// Of another account nothing is seen: not in lists, numbers or at addresses of its things.
func TestConsoleOfAnotherAccount(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	p := s.filled.Placements[0]
	names := regexp.MustCompile(`of sales|Document \d|document-\d|@example\.com|Schedule \d|P0000`)
	c := s.open(s.key("9", "--tenant", "other", "--action", "All"), "overview")
	c.allow("status of 404")
	for _, link := range c.numberLinks() {
		if link.number() != 0 {
			t.Errorf("a number: %q leads to %s", link.Text, link.Href)
		}
	}
	for _, screen := range append(slices.Clone(consoleScreens), s.details()...) {
		c.goTo(screen)
		if text := c.text("body"); names.MatchString(text) {
			t.Errorf("%s shows %q:\n%s", screen, names.FindString(text), text)
		}
	}
	c.goTo(fmt.Sprintf("reports/%d", p.ReportID))
	c.shows("This is not there, or you may not read it")
}

// A person signs in with a key and out; a session that has ended is begun again where it was.
func TestConsoleSession(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	c := &console{page: newPage(t), s: s}
	c.allow("status of 401")
	c.size(1280, 800)
	c.beforeLoad(countAnswers)
	c.do(chromedp.Navigate(s.base + "/"))
	c.shows("Sign in to Mooring")
	c.looksRight("sign-in")
	c.size(1280, 800)
	c.fill("Key", "nonsense")
	c.click("Sign in")
	c.until(`document.querySelector("#main [role=alert]").textContent`)
	c.fill("Key", s.token)
	c.click("Sign in")
	c.settled()
	c.shows("Needs you")
	c.keepsNoToken()

	c.allow("ERR_INCOMPLETE_CHUNKED_ENCODING") // events end with the session
	c.goTo("schedules")
	c.eval(`(fetch("/api/v1/session", {method: "DELETE", headers: {"X-Mooring-CSRF": "` + c.csrf() + `"}}), null)`)
	c.until(`window.answers.some((one) => one.startsWith("DELETE") && one.endsWith("200"))`)
	s.send("POST", fmt.Sprintf("1/refresh-schedules/%d/pause", s.filled.Schedules[0].ID), "")
	c.eval(`(location.hash = "#/1/schedules?paused=true", null)`)
	c.shows("Your session has ended.")
	c.looksRight("again")
	c.size(1280, 800)
	c.signIn(s.token)
	c.shows("Schedule 0")

	c.click("Signed in as Ana")
	c.eval("(window.signedIn = true, null)")
	c.click("Sign out")
	c.until(`!window.signedIn && document.querySelector("#key")`) // in the page that is loaded anew
	c.shows("Sign in to Mooring")
	if status := evalAs[int](c.page, `fetch("/api/v1/me").then((answer) => answer.status)`); status != 401 {
		t.Errorf("signed out, and yet %d", status)
	}
}

// csrf is what the session wants to see with writes.
func (c *console) csrf() string {
	c.t.Helper()
	return evalAs[string](c.page, `fetch("/api/v1/me").then((answer) => answer.json()).then(({csrf}) => csrf)`)
}

// keepsNoToken fails the test if the page can reach what it was signed in with.
func (c *console) keepsNoToken() {
	c.t.Helper()
	kept := evalAs[string](c.page, `JSON.stringify([location.href, document.cookie, {...localStorage}, {...sessionStorage}, document.documentElement.outerHTML])`)
	if strings.Contains(kept, c.s.token[:20]) || strings.Contains(kept, strings.Split(c.s.token, ".")[2]) {
		c.t.Error("the page keeps the key")
	}
}

// A key that is revoked ends the sessions begun with it.
func TestConsoleSessionOfARevokedKey(t *testing.T) {
	t.Parallel()
	s := smallSite(t)
	token := s.key("8", "--action", "All")
	c := s.open(token, "keys")
	c.allow("ERR_INCOMPLETE_CHUNKED_ENCODING") // events end with the session
	if err := s.api.do(t.Context(), "POST", "/api/v1/revocations", map[string]string{"token": token}, nil); err != nil {
		t.Fatal(err)
	}
	c.until(`window.answers.at(-1).endsWith("401") || (location.hash = "#/1/overview?at=" + Math.random(), false)`)
	c.shows("Your session has ended.")
}
