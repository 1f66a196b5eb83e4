package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// openInExcel opens the pane beside the fake of Excel, signed in, after a script.
func (s *paneSite) openInExcel(before string) *page {
	s.t.Helper()
	p := newPage(s.t, elsewhere(s.t, s.proxy.URL)...)
	p.allow("favicon.ico")
	p.beforeLoad(fmt.Sprintf("localStorage.setItem(`mooring.session:${location.origin}`, JSON.stringify({access: %q, expires: 1e15}))", s.bobs))
	p.beforeLoad(before)
	p.do(chromedp.Navigate(s.proxy.URL + "/addin/?host=excel"))
	return p
}

// A workbook in which the pane placed a block opens with the pane from then on.
func TestPaneOpensWithAWorkbookThatHasABlock(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.report("Orders", "SELECT id, customer, amount FROM orders")
	p := s.openInExcel(`window.officeAtStart = {identity: "6f1f6b6e-6b0e-4a6e-9d58-0a1b2c3d4e5f abcdefghijklmnopqrstuv"}`)
	const shown = "window.workbookSettings.get(`Office.AutoShowTaskpaneWithDocument`)"
	p.shows("No report stands in this document yet")
	if evalAs[bool](p, shown+" !== undefined") {
		t.Error("a workbook without a block opens with the pane")
	}
	p.click("Place a report")
	p.click("Orders")
	p.click("Place it here")
	p.click("Refresh here")
	p.shows("“Orders” is placed.")
	p.until(shown + " === true")
}

// Links open in the person's browser where Excel can do that, else as links.
func TestPanesLinksInExcel(t *testing.T) {
	t.Parallel()
	p := newPaneSite(t).openInExcel("")
	const menu = "Signed in as bob@example.com"
	p.shows("No report stands in this document yet")
	p.click(menu)
	p.click("Open the console")
	p.until("window.openedOutside === location.origin + `/console/`")
	p.beforeLoad("window.withoutBrowserWindows = true")
	p.eval("location.reload()")
	p.shows("No report stands in this document yet")
	p.eval(`(window.addEventListener("click", (event) => {
		if (!event.target.closest("a")) return;
		window.prevented = event.defaultPrevented;
		event.preventDefault();
	}), undefined)`)
	p.click(menu)
	p.click("Open the console")
	p.until("window.prevented === false && window.openedOutside === undefined")
}

// throughOldEyes is a proxy of a server, which sends what changed makes of the pages and style sheets.
func throughOldEyes(t *testing.T, base string, changed func(string) string) string {
	t.Helper()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("Accept-Encoding", "identity")
		},
		ModifyResponse: func(r *http.Response) error {
			if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") && !strings.HasPrefix(kind, "text/css") {
				return nil
			}
			text, err := io.ReadAll(r.Body)
			short := []byte(changed(string(text)))
			r.Body = io.NopCloser(bytes.NewReader(short))
			r.Header.Set("Content-Length", strconv.Itoa(len(short)))
			r.ContentLength = int64(len(short))
			return err
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL + "/addin/?host=excel"
}

// A browser without ES modules, to which conditions of style sheets are unknown too, shows a sentence; one that has them never does, and
// waits for the modules.
func TestPaneInABrowserWithoutModules(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	const sentence = "(document.body.innerText.includes(`too old for Mooring: use Excel on the web or Microsoft 365`))"
	without := func(text string) string { return strings.ReplaceAll(text, `type="module"`, `type="unknown"`) }
	for _, tt := range []struct {
		name   string
		change func(string) string
		want   bool
	}{
		{"neither", func(text string) string {
			return strings.ReplaceAll(without(text), "@supports", "@unknown")
		}, true},
		{"an early form of modules", func(text string) string {
			return strings.ReplaceAll(without(text), "aspect-ratio:1", "unknown:1")
		}, true},
		{"modules that are not there yet", without, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPage(t)
			p.allow("favicon.ico")
			p.do(chromedp.Navigate(throughOldEyes(t, s.base, tt.change)))
			if got := evalAs[bool](p, sentence); got != tt.want {
				t.Errorf("the sentence is seen: %t in %q", got, evalAs[string](p, "document.body.innerText"))
			}
			p.keep("seen")
		})
	}
}
