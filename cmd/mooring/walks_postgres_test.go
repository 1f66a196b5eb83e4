//go:build unix

package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"mooring/refresh/source/sourcetest"
	"mooring/storage/storagetest"
)

// A person in an empty deployment of PostgreSQL makes a report of a table that the tree shows below its schema, and places it.
func TestPaneMakesAReportOfPostgreSQLByKeyboard(t *testing.T) {
	t.Parallel()
	db := sourcetest.StartPostgres(t)
	db.Exec(t, `
		CREATE ROLE reader LOGIN PASSWORD 'read-only';
		CREATE SCHEMA shop;
		CREATE TABLE shop."Orders" (id integer, customer text, amount numeric);
		CREATE TABLE prices (n integer);
		INSERT INTO shop."Orders" VALUES (1, 'Ada', 100), (2, 'Ben', 250.5), (3, 'Cleo', 80);
		GRANT USAGE ON SCHEMA shop TO reader;
		GRANT SELECT ON shop."Orders", prices TO reader`)
	source := fmt.Sprintf("{kind: postgres, url: %q}", db.URL("reader", "read-only", "postgres"))
	s := paneSiteOf(t, newCodeSiteOf(t, storagetest.Redis(t), 1, source, "{SHEETS_B: {kind: xlsx, dir: sheets}}"))
	p := s.openWith(s.bobs, countClicks)
	w := p.walkNarrow("a table of PostgreSQL")
	p.enter("Place a report")
	p.shows("No report matches.")
	p.enter("New report…")
	p.enter("shop.Orders")
	p.until(`document.querySelector(".b-table")?.innerText.includes("250.5")`)
	p.looksRight("tree")
	p.size(320, 720)
	p.press(kb.Escape) // the text has the focus, in which Tab indents
	w.places("shop.Orders")
	p.sees("Data!C2", "customer")
	p.sees("Data!D4", 250.5)
	w.ends()
}
