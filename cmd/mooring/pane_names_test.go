package main

import (
	"fmt"
	"strings"
	"testing"
)

// Names and values are shown as they are, whatever they hold: no screen runs them, is widened by them, or lets them turn what stands
// around.
func TestPaneHostileNames(t *testing.T) {
	t.Parallel()
	const attack = `<img src=x onerror="document.title='owned'">`
	s := newPaneSite(t)
	names := []string{
		attack, strings.Repeat("W", 250), "Umsatz \u202e evil \u202c תקציב שנתי", "مبيعات " + strings.Repeat("الربع ", 30),
	}
	for i, name := range names {
		value, column := strings.ReplaceAll(attack, "'", "''"), strings.ReplaceAll(attack, `"`, `""`)
		query := fmt.Sprintf(`SELECT '%s' AS "%s", '%s' AS b`, value, column, strings.Repeat("x", 300))
		s.place(s.report(name, query), "book-1", fmt.Sprintf("'<b>'!%c2", 'B'+5*i))
	}
	p := s.open(s.bobs, fmt.Sprintf(`{name: %q, sheets: {"<b>": []}, selected: {sheet: "<b>", row: 40, column: 1, rows: 1, columns: 1}}`,
		attack+strings.Repeat("Q", 200)))
	p.until(`document.querySelectorAll(".row").length === 4`)
	p.looksRight("list")
	p.refreshes("All blocks", "4 blocks refreshed")
	for i := range names {
		p.eval(fmt.Sprintf(`document.querySelectorAll(".row .open")[%d].click()`, i))
		p.shows("Unlink")
		p.looksRight(fmt.Sprint("block-", i))
		p.click("All blocks")
	}
	p.click("Place a report")
	p.until(`document.querySelectorAll(".reports button").length === 4`)
	p.looksRight("reports")
	p.eval(`document.querySelector(".reports button").click()`)
	p.shows("Place it here")
	p.until(`document.querySelector("table, .preview")`)
	p.looksRight("place")
	if title := evalAs[string](p, "document.title"); title != "Mooring" {
		t.Errorf("the title is %q", title)
	}
	if evalAs[bool](p, `!!document.querySelector("main img, header img")`) {
		t.Error("a name became an element")
	}
}
