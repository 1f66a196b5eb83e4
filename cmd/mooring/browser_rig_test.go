package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// page is a tab of a real browser. Whatever the page reports to the console as an error fails the test, and so does an uncaught exception.
type page struct {
	t   *testing.T
	ctx context.Context

	faults   []string      // read after listened
	listened chan struct{} // closed when the console is silent
	allowed  []string      // parts of faults that the test brings about
	frame    string        // the selector of the frame that is looked into, if any
}

// openPage starts a browser of its own, with an empty profile, and opens url in it.
func openPage(t *testing.T, url string) *page {
	t.Helper()
	p := newPage(t)
	p.do(chromedp.Navigate(url))
	return p
}

// newPage starts a browser of its own with an empty profile, 360 pixels wide, in light colours, with further flags of its command line.
func newPage(t *testing.T, flags ...chromedp.ExecAllocatorOption) *page {
	t.Helper()
	browser := findBrowser()
	if browser == "" {
		missingBrowser(t)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser),
		chromedp.Flag("hide-scrollbars", false), chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("enable-automation", false))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	options = append(options, flags...)
	ctx, stop := context.WithTimeout(t.Context(), 2*patience) // of all that is done with it
	ctx, stopBrowser := chromedp.NewExecAllocator(ctx, options...)
	ctx, closeTab := chromedp.NewContext(ctx)
	p := &page{t: t, ctx: ctx, listened: make(chan struct{})}
	messages := chromedp.Console(ctx)
	go p.listen(messages)
	t.Cleanup(func() {
		closeTab()
		stopBrowser()
		stop()
		<-p.listened
		p.checkConsole()
	})
	p.size(360, 720)
	p.theme("light")
	return p
}

// findBrowser finds a browser. One without a screen takes half of the processor time of the others.
func findBrowser() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}

func missingBrowser(t *testing.T) {
	t.Helper()
	if os.Getenv("MOORING_TEST_REQUIRE") != "" {
		t.Fatal("no chromium here: install chromium-headless-shell")
	}
	t.Skip("no chromium here: install chromium-headless-shell")
}

// listen keeps what the page and the browser complain about until the page is closed.
func (p *page) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	defer close(p.listened)
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.IsException() || slices.Contains([]chromedp.ConsoleType{chromedp.ConsoleError, chromedp.ConsoleWarning, "assert"}, m.Type) {
			p.faults = append(p.faults, m.Text+" "+m.URL)
		}
	}
}

// allow names a part of an error that the test brings about on purpose.
func (p *page) allow(part string) { p.allowed = append(p.allowed, part) }

func (p *page) checkConsole() {
	for _, fault := range p.faults {
		if !slices.ContainsFunc(p.allowed, func(part string) bool { return strings.Contains(fault, part) }) {
			p.t.Errorf("console: %s", fault)
		}
	}
}

// do runs steps in the browser.
func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.keep("failed")
		p.t.Fatal(err)
	}
}

// within looks into the frame of a selector from now on; "" is the page itself.
func (p *page) within(frame string) { p.frame = frame }

// eval runs a JavaScript expression, in which document and window are those of the frame looked into, and waits for its promise.
func (p *page) eval(expression string) {
	p.t.Helper()
	evalAs[chromedp.Void](p, expression)
}

// evalAs evaluates a JavaScript expression as eval does and returns its value.
func evalAs[T any](p *page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](p.inFrame(expression), chromedp.EvalAwaitPromise))
	if err != nil {
		p.keep("failed")
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (p *page) inFrame(expression string) string {
	if p.frame == "" {
		return "(" + expression + ")"
	}
	return fmt.Sprintf("((document, window) => (%s))(document.querySelector(%q).contentDocument, document.querySelector(%q).contentWindow)",
		expression, p.frame, p.frame)
}

// text returns what a person sees of the first element of a selector.
func (p *page) text(selector string) string {
	p.t.Helper()
	return evalAs[string](p, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

// until waits until a JavaScript expression is true, also beyond a navigation.
func (p *page) until(expression string) {
	p.t.Helper()
	condition := "(() => { try { return !!" + p.inFrame(expression) + " } catch { return false } })()"
	deadline, often := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer often.Stop()
	for {
		if ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](condition)); err == nil && ok {
			return
		}
		select {
		case <-often.C:
		case <-deadline:
			p.keep("failed")
			p.t.Fatalf("waiting for %s; the page shows\n%s", expression, p.text("body"))
		}
	}
}

// shows waits until the page shows a text.
func (p *page) shows(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.body.innerText.replace(/\\s+/g, ' ').includes(%q)", text))
}

// named is the visible control with that name, as an expression.
func named(name string) string {
	return fmt.Sprintf(`
		[...document.querySelectorAll("button,a[href],input,select,textarea,summary,[role=tab],[role=option],[role=gridcell]")].find((e) =>
			e.getClientRects().length && !e.closest("[inert]") &&
			(e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent).trim() === %q)`, name)
}

// click clicks with the mouse on the control of that name, once it is there and enabled.
func (p *page) click(name string) {
	p.t.Helper()
	p.clickOn(named(name))
}

// clickOn clicks with the mouse on the control of an expression, once it is there, enabled, and stands still. Where the page moved something else
// under the mouse meanwhile, or a bar lies over the page's edge, it clicks again, in the middle of the window.
func (p *page) clickOn(control string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		p.until("(e => e && !e.disabled && !e.ariaDisabled)(" + control + ")")
		at := evalAs[*struct{ X, Y float64 }](p, fmt.Sprintf(standingStill, watchClick, control))
		if at != nil {
			p.do(chromedp.MouseClickXY(at.X, at.Y))
			if evalAs[bool](p, "window.missed !== true") {
				return
			}
		}
		if time.Now().After(deadline) {
			p.keep("failed")
			why := "something lies over"
			if at == nil {
				why = "it is gone, or moves without end:"
			}
			p.t.Fatalf("%s %s; the page shows\n%s", why, control, p.text("body"))
		}
	}
}

// clickUntil clicks by script on the control of an expression once it is there, unless what it is for has come true by itself, and waits for that.
func (p *page) clickUntil(control, done string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`((e) => { e?.click(); return e || (%s) })(%s)`, done, control))
	p.until(done)
}

// withoutTimer is a script after which what the page would do after so many milliseconds is never done.
func withoutTimer(ms int) string {
	return fmt.Sprintf("((wait) => { window.setTimeout = (fn, ms, ...rest) => wait(fn, ms === %d ? 1e9 : ms, ...rest) })(window.setTimeout);", ms)
}

// standingStill is the middle of the control of an expression once it is where it was a frame before, of which watchClick is told; null where it
// is gone, or moves on for many frames.
const standingStill = `(async (find) => {
	const frame = () => new Promise(window.requestAnimationFrame);
	const block = window.missed ? "center" : "nearest";
	let last = "";
	for (let frames = 0; frames < 600; frames++, await frame()) {
		const e = find();
		if (!e) return null;
		e.scrollIntoView({block});
		const r = e.getBoundingClientRect(), f = window.frameElement?.getBoundingClientRect() ?? {x: 0, y: 0};
		if (last === JSON.stringify(r)) {
			%s
			return {X: f.x + r.x + r.width / 2, Y: f.y + r.y + r.height / 2};
		}
		last = JSON.stringify(r);
	}
	return null; })(() => %s)`

// watchClick notes whether the next click is one on what find finds, or on its label. There is none where the page draws that anew between the
// press of the mouse's button and its release.
const watchClick = `
	window.missed = true; // a page that is left has none
	document.addEventListener("click", (event) => {
		const wanted = find();
		window.missed = ![wanted, ...wanted?.labels ?? []].some((e) => e?.contains(event.target));
	}, {capture: true, once: true});`

// fill types a text into the field of that name, in place of what it holds.
func (p *page) fill(name, text string) {
	p.t.Helper()
	p.until("!!" + named(name))
	p.eval(fmt.Sprintf(`(e => { e.focus(); e.select?.() })(%s)`, named(name)))
	p.press(text)
}

// press sends keys, as chromedp/kb names them, to what has the focus.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// size makes the window so many pixels wide and high.
func (p *page) size(width, height int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
}

// theme makes the person's taste "light" or "dark".
func (p *page) theme(name string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		p.t.Fatal(err)
	}
}

// beforeLoad runs a script in every document before its own.
func (p *page) beforeLoad(script string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, cdp.AddScriptToEvaluateOnNewDocument, cdp.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	if err != nil {
		p.t.Fatal(err)
	}
}

// keep writes a picture of what is seen into the folder that MOORING_SCREENSHOTS names, if any, for people to look at.
func (p *page) keep(name string) {
	dir := os.Getenv("MOORING_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Logf("no picture of %s: %v", name, err)
		return
	}
	name = strings.ReplaceAll(p.t.Name(), "/", "-") + "-" + name + ".png"
	if err := os.WriteFile(filepath.Join(dir, name), picture, 0o644); err != nil {
		p.t.Error(err)
	}
}

// looksRight checks the page as it stands, narrow and light, and wide and dark, for what keeps people out, and keeps pictures.
func (p *page) looksRight(name string) {
	p.t.Helper()
	for _, look := range []struct {
		width int64
		theme string
	}{{320, "light"}, {1280, "dark"}} {
		p.size(look.width, 720)
		p.theme(look.theme)
		p.accessible(fmt.Sprintf("%s, %d wide, %s", name, look.width, look.theme))
		p.keep(fmt.Sprintf("%s-%d-%s", name, look.width, look.theme))
	}
	p.size(360, 720)
	p.theme("light")
}

// accessible fails the test for what a person with weak eyes, a screen reader or no mouse would stumble over.
func (p *page) accessible(where string) {
	p.t.Helper()
	for _, fault := range p.faultsOfAccess() {
		p.t.Errorf("%s: %s", where, fault)
	}
}

// focusOrder presses Tab until the focus is back where it began, and returns the names of what had it; each must show that it has it.
func (p *page) focusOrder() (names []string) {
	p.t.Helper()
	p.eval("document.activeElement?.blur()")
	for range 200 {
		p.press("\t")
		at := evalAs[struct {
			Name          string
			Seen, Outside bool
		}](p, `(e => { const s = window.getComputedStyle(e);
			return {Outside: e === document.body, Name: (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent).trim(),
				Seen: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0} })(document.activeElement)`)
		if at.Outside || len(names) > 0 && slices.Contains(names[:1], at.Name) {
			return names
		}
		if !at.Seen {
			p.t.Errorf("%q does not show that it has the focus", at.Name)
		}
		names = append(names, at.Name)
	}
	p.t.Fatalf("the focus never leaves the page: %q", names)
	return nil
}
