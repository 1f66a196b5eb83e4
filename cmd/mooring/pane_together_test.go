package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// gate is a proxy before a demo. It holds one request of the pane for a test to choose what happens meanwhile.
type gate struct {
	*httptest.Server
	t *testing.T

	mu   sync.Mutex
	next *heldRequest
}

// heldRequest is the next request whose path ends in a certain way.
type heldRequest struct {
	t       *testing.T
	end     string
	request chan *http.Request
	verdict chan bool
}

// hold holds the next request whose path ends so.
func (g *gate) hold(end string) *heldRequest {
	held := &heldRequest{t: g.t, end: end, request: make(chan *http.Request, 1), verdict: make(chan bool, 1)}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next = held
	return held
}

// came waits until the request has come.
func (h *heldRequest) came(p *page) *http.Request {
	h.t.Helper()
	select {
	case r := <-h.request:
		return r
	case <-p.ctx.Done():
		p.keep("failed")
		h.t.Fatalf("no request for …%s", h.end)
		return nil
	}
}

// pass lets the request go on.
func (h *heldRequest) pass() { h.verdict <- true }

// lose breaks the connection: the request never arrives.
func (h *heldRequest) lose() { h.verdict <- false }

func (g *gate) take(name string) *heldRequest {
	g.mu.Lock()
	defer g.mu.Unlock()
	held := g.next
	if held == nil || !strings.HasSuffix(name, held.end) {
		return nil
	}
	g.next = nil
	return held
}

// startGatedDemo starts the demo behind a gate, and opens its page, whose source has changed since the last refresh.
func startGatedDemo(t *testing.T) (*demoPage, *gate) {
	t.Helper()
	p, dir, at := startDemo(t)
	base, fragment, _ := strings.Cut(at, "/demo/")
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(target)
	behind.FlushInterval = -1 // events
	g := &gate{t: t}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if held := g.take(r.URL.Path); held != nil {
			held.request <- r
			if !<-held.verdict {
				panic(http.ErrAbortHandler)
			}
		}
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(g.CloseClientConnections)
	d := &demoPage{page: newPage(t), p: p, dir: dir, url: g.URL + "/demo/" + fragment}
	d.size(1280, 800)
	d.open()
	d.click("Change the source")
	d.said("Alabama")
	return d, g
}

// beginInPane begins a refresh of all blocks from the pane.
func (d *demoPage) beginInPane() {
	d.t.Helper()
	d.within("#pane")
	d.click("Refresh")
	d.click("All blocks")
	d.within("")
}

// paneSays waits until the pane's notice holds a text.
func (d *demoPage) paneSays(text string) {
	d.t.Helper()
	d.within("#pane")
	d.until(`document.querySelector("#notice").textContent.includes(` + jsonOf(d.t, text) + ")")
	d.within("")
}

// paneMet waits until the pane has refreshed, or says that another does, and reports the latter. It dismisses what the pane says.
func (d *demoPage) paneMet() bool {
	d.t.Helper()
	const notice = `document.querySelector("#notice").textContent`
	d.within("#pane")
	defer d.within("")
	d.until(notice + `.includes("1 block refreshed") || ` + notice + `.includes("being refreshed already")`)
	met := evalAs[bool](d.page, notice+`.includes("being refreshed already")`)
	d.eval(`document.querySelector("#notice button").click()`)
	return met
}

// cancel ends the run that a request is a step of, as the person who began it may from elsewhere.
func (d *demoPage) cancel(step *http.Request) {
	d.t.Helper()
	run := path.Dir(step.URL.Path)
	base, _, _ := strings.Cut(d.url, "/demo/")
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodDelete, base+run, http.NoBody)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", step.Header.Get("Authorization"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		d.t.Fatalf("cancel %s: %d", run, resp.StatusCode)
	}
}

// settled fails unless a refresh by an agent finds nothing to write, and the rows are in the source's order, each once.
func (d *demoPage) settled() {
	d.t.Helper()
	d.click("Refresh")
	d.said("nothing was written")
	rows := d.column("A", 6)
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row] {
			d.t.Errorf("%s stands twice", row)
		}
		seen[row] = true
	}
	if rows[0] != "Alabama" || rows[50] != "Wyoming" {
		d.t.Errorf("the rows are %q", rows)
	}
	checkUntouched(d.t, d.file(), "A5")
}

// A pane that is killed between its write and telling so leaves a file that is right, and a block that goes on.
func TestPaneKilledAfterItsWrite(t *testing.T) {
	t.Parallel()
	d, g := startGatedDemo(t)
	d.allow("ERR_")
	before := d.column("D", 6)
	held := g.hold("/complete")
	d.beginInPane()
	step := held.came(d.page)
	written := d.column("D", 6)
	if cmp.Equal(written, before) {
		t.Error("nothing was written")
	}
	last := g.hold(path.Dir(step.URL.Path)) // a pane that is killed cannot say that it leaves
	d.do(chromedp.Navigate("about:blank"))
	held.lose()
	last.came(d.page)
	last.lose()
	d.cancel(step) // in place of waiting until the lease has run out
	d.open()
	d.beginInPane()
	d.paneSays("1 block refreshed, nothing changed.")
	if diff := cmp.Diff(written, d.column("D", 6)); diff != "" {
		t.Errorf("column D (-written +now):\n%s", diff)
	}
	d.settled()
}

// A pane that is closed while it refreshes frees the block at once.
func TestPaneClosedWhileItRefreshes(t *testing.T) {
	t.Parallel()
	d, g := startGatedDemo(t)
	d.allow("ERR_")
	held := g.hold("/plan")
	d.beginInPane()
	held.came(d.page)
	d.do(chromedp.Navigate("about:blank"))
	held.lose()
	d.open()
	d.beginInPane()
	d.paneSays("1 block refreshed, 4 rows changed.")
	d.settled()
}

// A run whose lease is lost before it was planned writes nothing, and the pane says what to do.
func TestPaneLosesItsLease(t *testing.T) {
	t.Parallel()
	d, g := startGatedDemo(t)
	d.allow("409")
	before := d.column("D", 6)
	held := g.hold("/plan")
	d.beginInPane()
	d.cancel(held.came(d.page))
	held.pass()
	d.paneSays("The refresh took too long and was given up. Refresh again.")
	if diff := cmp.Diff(before, d.column("D", 6)); diff != "" {
		t.Errorf("column D (-before +now):\n%s", diff)
	}
	d.beginInPane()
	d.paneSays("1 block refreshed, 4 rows changed.")
	d.settled()
}

// Of two panes that refresh one block, the second is told that it is being refreshed; both then show the same.
func TestTwoPanes(t *testing.T) {
	t.Parallel()
	d, g := startGatedDemo(t)
	second := &demoPage{page: newPage(t), p: d.p, dir: d.dir, url: d.url}
	second.size(1280, 800)
	second.allow("409")
	second.beforeLoad(withoutTimer(45_000) + fmt.Sprintf("location.origin !== `null` && localStorage.setItem(`mooring.session:${location.origin}`, JSON.stringify({access: %q, expires: 1e15}))",
		tokenOf(d.p))) // the link signs in once
	events := g.hold("/events") // the second pane hears of the run by the refusal alone, and asks for no other stream however long this one is silent
	second.open()
	events.came(second.page)
	second.within("#pane")
	second.shows("Residents")
	second.within("")
	held := g.hold("/plan")
	d.beginInPane()
	held.came(d.page)
	second.beginInPane()
	second.paneSays("Residents by state: This is being refreshed already.")
	events.pass()
	held.pass()
	d.paneSays("1 block refreshed, 4 rows changed.")
	second.within("#pane")
	second.shows("4 rows changed") // told by an event
	second.within("")
	second.beginInPane()
	second.paneSays("1 block refreshed, nothing changed.")
	d.settled()
}

// An agent that is asked for a block while a pane writes it waits its turn, and finds nothing left to do.
func TestPaneAndAgentTogether(t *testing.T) {
	t.Parallel()
	d, g := startGatedDemo(t)
	held := g.hold("/plan")
	d.beginInPane()
	held.came(d.page)
	d.click("Refresh") // by the agent
	held.pass()
	d.paneSays("1 block refreshed, 4 rows changed.")
	d.idle()
	d.said("nothing was written")
	d.eval(`document.querySelector("#do-change").click()`)
	d.idle()
	for range 3 {
		d.eval(`document.querySelector("#do-change").click()`)
		d.eval(`document.querySelector("#do-refresh").click()`)
		d.beginInPane()
		d.idle()
		for d.paneMet() { // the agent's run, of whose end the pane hears in a moment
			d.beginInPane()
		}
	}
	d.settled()
}
