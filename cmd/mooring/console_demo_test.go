package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The demo's console shows what the demo has prepared: a report that fails, a cell that a person typed over, and a paused schedule.
func TestDemoConsole(t *testing.T) {
	t.Parallel()
	p, _, url := startDemo(t)
	base, token := strings.Split(url, "/demo/")[0], tokenOf(p)
	c := &console{page: newPage(t), s: &consoleSite{codeSite: &codeSite{t: t, base: base}}}
	c.allow("status of 401")
	c.size(1280, 800)
	c.beforeLoad(countAnswers)
	c.do(chromedp.Navigate(base + "/console/"))
	c.signIn(token)
	c.shows("Residents per square mile")
	c.shows("no such column: square_miles")
	for figure, number := range map[string]string{
		figure("placements?stance=NEEDS_YOU", "needs you"): "1", figure("schedules?paused=true", "paused"): "1",
	} {
		c.until(figure + " === " + number)
	}
	c.looksRight("overview")
	c.size(1280, 800)
	c.picture("console")

	c.goTo("placements?status=EDITED")
	c.shows("1 edited cell kept")
	c.click("Residents by region, for the board")
	c.settled()
	c.shows("see the remark of the board")
	c.goTo("schedules?paused=true")
	c.shows("Regions before the meeting")
	c.goTo("placements?status=FAILED")
	c.click("Residents per square mile")
	c.settled()
	c.shows("Retry")
	c.looksRight("block")
}
