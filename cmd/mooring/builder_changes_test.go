package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// query is the SQL of the block's report as it is stored.
func (b *remediedBlock) query() string {
	b.t.Helper()
	var report builtReport
	if err := json.Unmarshal([]byte(b.must(http.MethodGet, b.path, "")), &report); err != nil {
		b.t.Fatal(err)
	}
	return report.SQLQuery
}

// edits opens the block's report in the builder and writes another query, whose first rows then have a column.
func (b *remediedBlock) edits(query, column string) {
	b.t.Helper()
	b.c.goTo(fmt.Sprintf("reports/%d/edit", b.report))
	b.c.until(`document.querySelector(".b-table")`)
	b.c.fill("SQL", query)
	b.c.until(fmt.Sprintf(`[...document.querySelectorAll(".b-table th")].some((th) => th.textContent.trim() === %q)`, column))
}

// asks waits for a dialog of that title and returns what it says, line by line.
func (c *console) asks(title string) []string {
	c.t.Helper()
	c.until(fmt.Sprintf(`document.querySelector("dialog[open] h2")?.textContent === %q`, title))
	return evalAs[[]string](c.page, `[...document.querySelectorAll("dialog[open] li")].map((e) => e.textContent)`)
}

// sides are what a dialog shows of what somebody else saved and of what the person would, in this order.
func (c *console) sides() []string {
	c.t.Helper()
	return evalAs[[]string](c.page, `[...document.querySelectorAll("dialog[open] .b-pair > div")].map((e) => e.querySelector("h4").textContent + ": " + e.querySelector(".b-code").textContent)`)
}

// Whoever edits a report that stands in a workbook is told first which columns vanish there, which formulas refer to them and how many blocks
// change; nothing is saved before they say yes, and what somebody else saved meanwhile stands beside theirs.
func TestBuilderSaysWhatSavingChanges(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.console("overview")
	c.allow("409") // of who comes second
	const before, after, theirs, yours = "SELECT name, amount FROM t", "SELECT name, amount * 2 AS twice FROM t", "SELECT name FROM t", "SELECT amount AS only FROM t"
	b := s.block(c, "board", before)
	b.cells(func(f *excelize.File) error { return f.SetCellFormula("States", "Z40", "SUM(K3:K5)") })

	b.edits(after, "twice")
	c.click("Save")
	want := []string{
		"The column “amount” vanishes from 1 block.", "1 formula refers to it: board.xlsx/States!Z40.", "New columns: twice.", "1 block in 1 document changes with the next refresh.",
	}
	if diff := cmp.Diff(want, c.asks("Save these changes?")); diff != "" {
		t.Errorf("what saving changes (-want +got):\n%s", diff)
	}
	c.looksRight("changes")
	c.size(1280, 800)
	b.sure("Go on editing")
	c.until(`!document.querySelector("dialog") && !document.querySelector(".b-saving button:disabled")`)
	if stored := b.query(); stored != before || !strings.HasSuffix(evalAs[string](c.page, "location.hash"), "/edit") {
		t.Errorf("before a yes %q is saved", stored)
	}
	c.click("Save")
	c.asks("Save these changes?")
	b.sure("Save")
	c.until(fmt.Sprintf(`location.hash.endsWith("/reports/%d")`, b.report))
	if stored := b.query(); stored != after {
		t.Errorf("after a yes %q is saved", stored)
	}
	b.shown("Report edited")
	c.click("Refresh")
	b.mended()

	b.edits(yours, "only")
	s.must(http.MethodPut, b.path, jsonOf(t, map[string]string{"sqlQuery": theirs}))
	c.click("Save")
	c.asks("Save these changes?")
	b.sure("Save")
	c.asks("Somebody else saved this report meanwhile")
	if diff := cmp.Diff([]string{"Theirs: " + theirs, "Yours: " + yours}, c.sides()); diff != "" {
		t.Errorf("both sides (-want +got):\n%s", diff)
	}
	c.looksRight("both")
	c.size(1280, 800)
	b.sure("Take theirs, drop yours")
	c.until(fmt.Sprintf(`document.querySelector("textarea")?.value === %q`, theirs))
	if stored := b.query(); stored != theirs {
		t.Errorf("%q is saved in the place of theirs", stored)
	}
}
