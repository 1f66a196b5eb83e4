package main

import (
	"strings"
	"testing"

	"mooring/storage/storagetest"
)

// The pages that a running server shows are read on a telephone and by keyboard as well, and the viewer is loaded when it is asked for.
func TestDocsInABrowser(t *testing.T) {
	t.Parallel()
	s := newCodeSite(t, storagetest.Redis(t), 1)
	p := openPage(t, s.base+"/docs")
	for _, name := range []string{"", "/analysts", "/glossary", "/operation", "/code", "/refreshing", "/spreadsheets", "/pipelines", "/api"} {
		p.eval(`location.href = "/docs` + name + `"`)
		p.until(`location.pathname === "/docs` + name + `" && document.readyState === "complete"`)
		p.size(320, 720)
		if width := evalAs[int](p, "document.documentElement.scrollWidth"); width > 320 {
			t.Errorf("/docs%s is %d px wide in a window of 320", name, width)
		}
		const unreachable = `[...document.querySelectorAll("pre,.scroll")].filter((e) => e.scrollWidth > e.clientWidth && e.tabIndex < 0).length`
		if n := evalAs[int](p, unreachable); n > 0 {
			t.Errorf("/docs%s: %d blocks cannot be scrolled by keyboard", name, n)
		}
		const marked = `[...document.querySelectorAll("nav [aria-current=page]")].map((a) => new URL(a.href).pathname).join(" ")`
		if got := evalAs[string](p, marked); got != "/docs"+name {
			t.Errorf("/docs%s: the menu marks %q", name, got)
		}
		p.keep("docs" + strings.ReplaceAll(name, "/", "-"))
	}
	p.looksRight("interface")
	if evalAs[bool](p, `performance.getEntriesByType("resource").some((e) => e.name.includes("swagger-ui"))`) {
		t.Error("the viewer is loaded before anybody asks for it")
	}
	p.click("Read a report")
	p.until(`document.querySelector("#operations-Reports-getReport.is-open")`)
}

// Who searches finds the section, also by keyboard, and headings have addresses that can be passed on.
func TestDocsAreSearched(t *testing.T) {
	t.Parallel()
	s := newCodeSite(t, storagetest.Redis(t), 1)
	p := openPage(t, s.base+"/docs")
	p.looksRight("docs")
	p.size(320, 720)
	p.fill("Search these pages", "needs DECISION")
	p.until(`/^\d+ sections?$/.test(document.querySelector("[role=status]").textContent)`)
	p.until(`document.querySelector("nav ol a").textContent === "For analysts › Needs a decision"`)
	if width := evalAs[int](p, "document.documentElement.scrollWidth"); width > 320 {
		t.Errorf("results are %d px wide in a window of 320", width)
	}
	p.accessible("results")
	p.press("\r")
	p.until(`location.pathname === "/docs/analysts" && location.hash === "#needs-a-decision" && document.readyState === "complete"`)
	p.looksRight("docs-analysts")
	p.eval(`document.querySelector("#failed .anchor").click()`)
	p.until(`location.hash === "#failed"`)
	p.fill("Search these pages", "zzzz")
	p.until(`document.querySelector("[role=status]").textContent.startsWith("Nothing found")`)
	p.press("\u001b")
	p.until(`document.querySelector("[role=status]").textContent === ""`)
}
