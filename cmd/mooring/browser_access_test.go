package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"

	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axe is the source of axe-core, which is read once; there is none where the modules of tests are not installed.
var axe = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile("../../web/node_modules/axe-core/axe.min.js")
	return string(source), err
})

// accessRules runs axe-core in a frame: every rule of WCAG 2.2 A and AA and those it calls best practice, with that of
// the size of targets, which is left out unless asked for. It returns a line for each element that breaks one. Frames are looked into one by one.
const accessRules = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	rules: {"target-size": {enabled: true}},
	iframes: false, resultTypes: ["violations"],
}).then(({violations}) => violations.flatMap(({id, nodes}) => nodes.map((n) =>
	id + ": " + n.target.join(" ") + ": " + n.failureSummary.split("\n").slice(1).map((l) => l.trim()).join("; "))))`

// ownRules finds what axe-core leaves to people: a page that is scrolled sideways, ids that are there twice, names of elements that are not
// there, and names of controls without the words that they show, which are what a person says to the machine.
const ownRules = `[
	...(document.documentElement.scrollWidth <= window.innerWidth ? [] :
		["overflow: " + document.documentElement.scrollWidth + " px in a window of " + window.innerWidth]),
	...[...document.querySelectorAll("[id]")].filter((e) => document.getElementById(e.id) !== e).map((e) => "duplicate-id: " + e.id),
	...["for", "aria-labelledby", "aria-describedby", "aria-controls"].flatMap((attribute) =>
		[...document.querySelectorAll("[" + attribute + "]")].flatMap((e) => e.getAttribute(attribute).split(" ")
			.filter((id) => id && !document.getElementById(id)).map((id) => attribute + ": names no element: " + id))),
	...[...document.querySelectorAll("a[aria-label],button[aria-label],[role=tab][aria-label]")].flatMap((e) => {
		const [name, shown] = [e.getAttribute("aria-label"), e.innerText ?? ""].map((s) => s.toLowerCase().replace(/\s+/g, " ").trim());
		return name.includes(shown) ? [] : ["name: shows " + shown + ", and is named " + name];
	}),
]`

// faultsOfAccess returns what a person with weak eyes, a screen reader or no mouse would stumble over in the page and its frames, sorted. Axe
// runs in worlds of its own, where no policy of the page forbids it and the page sees nothing of it.
func (p *page) faultsOfAccess() (faults []string) {
	p.t.Helper()
	source, err := axe()
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("MOORING_TEST_REQUIRE") == "" {
		p.t.Skip("no axe-core here: npm ci --prefix web --ignore-scripts")
	}
	if err != nil {
		p.t.Fatal(err)
	}
	tree, err := chromedp.Call(p.ctx, cdp.GetFrameTree, struct{}{})
	if err != nil {
		p.t.Fatal(err)
	}
	for frames := []*cdp.FrameTree{tree.FrameTree}; len(frames) > 0; frames = frames[1:] {
		frames = append(frames, frames[0].ChildFrames...)
		faults = append(faults, p.faultsOfFrame(frames[0], source)...)
	}
	faults = append(faults, evalAs[[]string](p, ownRules)...)
	slices.Sort(faults)
	return faults
}

func (p *page) faultsOfFrame(frame *cdp.FrameTree, source string) []string {
	p.t.Helper()
	world, err := chromedp.Call(p.ctx, cdp.CreateIsolatedWorld, cdp.CreateIsolatedWorldParams{FrameID: frame.Frame.ID, WorldName: "axe"})
	if err != nil {
		p.t.Fatal(err)
	}
	inWorld := func(e *runtime.EvaluateParams) { e.ContextID = world.ExecutionContextID }
	if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[chromedp.Void]("void (window.axe || (() => {"+source+"})())", inWorld)); err != nil {
		p.t.Fatal(err)
	}
	faults, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](accessRules, inWorld, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatal(err)
	}
	return faults
}
