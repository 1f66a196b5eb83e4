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
	for _, name := range []string{"", "/operation", "/code", "/refreshing", "/spreadsheets", "/pipelines", "/api"} {
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
		p.keep("docs" + strings.ReplaceAll(name, "/", "-"))
	}
	p.looksRight("interface")
	if evalAs[bool](p, `performance.getEntriesByType("resource").some((e) => e.name.includes("swagger-ui"))`) {
		t.Error("the viewer is loaded before anybody asks for it")
	}
	p.click("Read a report")
	p.until(`document.querySelector("#operations-Reports-getReport.is-open")`)
}
