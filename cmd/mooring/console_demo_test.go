package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The demo's console shows what the demo has prepared: a report that fails, a cell that a person typed over, and a paused schedule.
func TestDemoConsole(t *testing.T) {
	t.Parallel()
	_, _, url := startDemo(t)
	base, token, _ := strings.Cut(url, "/demo/#token=")
	c := &console{page: newPage(t), s: &consoleSite{codeSite: &codeSite{t: t, base: base}}}
	c.allow("status of 401")
	c.size(1280, 800)
	c.beforeLoad(countAnswers)
	c.do(chromedp.Navigate(base + "/console/"))
	c.signIn(token)
	c.shows("Residents per square mile")
	c.shows("no such column: square_miles")
	for figure, number := range map[string]string{
		figure("placements?status=FAILED", "Failed"): "1", figure("placements?status=EDITED", "Cells edited"): "1",
		figure("schedules?paused=true", "of them paused"): "1",
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
