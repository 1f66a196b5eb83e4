package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// What the issue allows a pane to load before its blocks are shown, their marks found and events followed: files of the faces, and their
// bytes as they are sent. Requests of the API are not among them, nor is Office.js, which is not ours.
const (
	coldFiles = 12
	coldBytes = 40_000
)

// counter is a proxy that notes the files of the pane that it sends.
type counter struct {
	*httptest.Server
	t     *testing.T
	ready chan struct{} // closed when the pane follows events: it has nothing more to load

	mu    sync.Mutex
	done  bool // what comes now is loaded after the start
	files []string
	bytes int
	api   int
	looks int // requests to have the document looked for, also those after the start
	reads int // and of what stands in it
}

func newCounter(t *testing.T, base string) *counter {
	t.Helper()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(target)
	behind.FlushInterval = -1 // events
	c := &counter{t: t, ready: make(chan struct{})}
	var once sync.Once
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") && strings.Contains(r.Header.Get("Referer"), "/addin/") {
			once.Do(func() { c.started(); close(c.ready) })
		}
		c.note(r, 0)
		behind.ServeHTTP(&countedAnswer{ResponseWriter: w, counter: c, request: r}, r)
	}))
	t.Cleanup(c.Close)
	return c
}

// note notes a request of the pane, or bytes of an answer to one.
func (c *counter) note(r *http.Request, sent int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch path := r.URL.Path; {
	case sent > 0:
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/link"):
		c.looks++
	case strings.HasSuffix(path, "/placements"):
		c.reads++
	}
	switch {
	case c.done:
	case strings.HasPrefix(r.URL.Path, "/addin/"):
		if c.bytes += sent; sent == 0 {
			c.files = append(c.files, r.URL.Path)
		}
	case sent == 0 && strings.Contains(r.Header.Get("Referer"), "/addin/"):
		c.api++
	}
}

// started ends the count.
func (c *counter) started() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
}

// countedAnswer is an answer whose bytes are counted.
type countedAnswer struct {
	http.ResponseWriter

	counter *counter
	request *http.Request
}

func (w *countedAnswer) Write(b []byte) (int, error) {
	w.counter.note(w.request, len(b))
	return w.ResponseWriter.Write(b)
}

func (w *countedAnswer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// check waits until the pane has started, and fails for what it loaded too much.
func (c *counter) check(p *page) {
	c.t.Helper()
	select {
	case <-c.ready:
	case <-p.ctx.Done():
		p.keep("failed")
		c.t.Fatal("the pane never followed events")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.Logf("%d files, %d bytes, and %d requests of the API", len(c.files), c.bytes, c.api)
	if len(c.files) > coldFiles || c.bytes > coldBytes {
		slices.Sort(c.files)
		c.t.Errorf("%d files, %d bytes; %d and %d are allowed:\n%s", len(c.files), c.bytes, coldFiles, coldBytes, strings.Join(c.files, "\n"))
	}
}

// checkLooks waits until the foot says where agents reach the document, if it does, and fails if that took more than one request.
func (c *counter) checkLooks(p *page, looks int) {
	c.t.Helper()
	if looks > 0 {
		p.until(`document.getElementById("reach").innerText.includes("Agents refresh this workbook too")`)
	}
	p.until(`document.body.innerText.includes("Orders")`)
	p.eval(fmt.Sprintf("fetch(%q).then(() => 0)", c.URL+"/healthz")) // what follows from an answer is asked for by now
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looks != looks || c.reads != 1 {
		c.t.Errorf("%d looks for the document, %d reads of its blocks, want %d and 1", c.looks, c.reads, looks)
	}
	c.looks, c.reads = 0, 0
}

// elsewhere serves what comes from Microsoft and Google: a strict fake of Office.js, and the page that frames the pane in Google Sheets.
// The flags lead a browser there.
func elsewhere(t *testing.T, server string) []chromedp.ExecAllocatorOption {
	t.Helper()
	sidebar, err := os.ReadFile("../../web/addin/apps-script/sidebar.html")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/addin/", http.StripPrefix("/addin/", http.FileServer(http.Dir("../../web/addin"))))
	mux.HandleFunc("/lib/1/hosted/office.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/office.js") })
	mux.HandleFunc("/script.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/spreadsheet.js") })
	mux.HandleFunc("/vm.mjs", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/vm.mjs") })
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		page := strings.NewReplacer("<?= server ?>", server, "<?= account ?>", "ana@example.com", "<?= file ?>", "Quarterly report").Replace(string(sidebar))
		_, _ = io.WriteString(w, strings.Replace(page, "<head>", `<head><script type="importmap">{"imports": {"node:vm": "/vm.mjs"}}</script><script src="/script.js"></script>`, 1))
	})
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	at := s.Listener.Addr().String()
	return []chromedp.ExecAllocatorOption{
		chromedp.Flag("host-resolver-rules", fmt.Sprintf("MAP appsforoffice.microsoft.com %s, MAP *.googleusercontent.com %s", at, at)),
		chromedp.Flag("ignore-certificate-errors", true),
		chromedp.Flag("disable-site-isolation-trials", true), // a frame of another site runs what is run before each page
	}
}

// A pane starts with few requests and bytes, beside every host, and with one more to know where agents reach the document. That goes for one
// whose blocks were made one with an agent's, too, once that was told.
func TestPaneStartsSmall(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.isKnown(map[string]any{"merged": []map[string]any{{"placementId": "a", "into": "b"}}})
	s.place(s.report("Orders", "SELECT 1"), "book-1", "Data!B2")
	signedIn := fmt.Sprintf("location.pathname.startsWith(`/addin/`) && localStorage.setItem("+
		"`mooring.session:${location.ancestorOrigins[0] ?? location.origin}`, JSON.stringify({access: %q, expires: 1e15}))", s.bobs)
	const toldBefore = "location.pathname.startsWith(`/addin/`) && localStorage.setItem(`mooring.merged`, JSON.stringify([JSON.stringify([`book-1`, `a`])]))"
	for host, address := range map[string]string{
		"none":   "/addin/?host=none&document=book-1",
		"excel":  "/addin/?host=excel",
		"sheets": "https://n-0lu-script.googleusercontent.com/",
	} {
		t.Run(host, func(t *testing.T) {
			c := newCounter(t, s.proxy.URL)
			p := newPage(t, append(elsewhere(t, c.URL), chromedp.Flag("disable-web-security", true))...) // the test looks into the frame
			p.allow("favicon.ico")
			p.beforeLoad(withoutTimer(300) + signedIn + ";" + toldBefore) // a stream of events that opens later has the blocks read once more
			looks := 1
			if host == "none" {
				looks = 0
			}
			if strings.HasPrefix(address, "/") {
				address = c.URL + address
			}
			p.do(chromedp.Navigate(address))
			c.check(p)
			if host == "sheets" {
				p.within("iframe")
			}
			c.checkLooks(p, looks)
			p.keep("started")
		})
	}
	t.Run("demo", func(t *testing.T) {
		_, _, at := startDemo(t)
		base, page, _ := strings.Cut(at, "/demo/")
		c := newCounter(t, base)
		p := newPage(t)
		p.do(chromedp.Navigate(c.URL + "/demo/" + page))
		c.check(p)
	})
}

// What is wrong with the account that Google answers as stands in the foot of the pane, with the account and the file.
func TestPaneSaysWhoseConsentIsMissing(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	for refusal, want := range map[string]string{
		"mooring:consent":                 "ana@example.com has not granted Mooring all that it needs beside “Quarterly report”",
		"mooring:account ben@example.com": "The sidebar beside “Quarterly report” was opened as ana@example.com, but Google answers as another account",
	} {
		p := newPage(t, append(elsewhere(t, s.base), chromedp.Flag("disable-web-security", true))...) // the test looks into the frame
		p.allow("favicon.ico")
		p.beforeLoad("window.refusal = " + strconv.Quote(refusal))
		p.do(chromedp.Navigate("https://n-0lu-script.googleusercontent.com/"))
		p.within("iframe")
		p.shows(want)
		if notice, main := p.text("#notice"), p.text("#main"); !strings.Contains(notice, want) || strings.Contains(main, want) {
			t.Errorf("the foot has %q", notice)
		}
		p.keep("refused")
	}
}
