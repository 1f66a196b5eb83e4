package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/hosttest/book"

	"github.com/xuri/excelize/v2"
)

// remediedBlock is a block of its own report in a workbook of its own, which real agents refresh, beside the console that shows it.
type remediedBlock struct {
	*site
	c        *console
	path     string // of the report
	report   int64
	id       string // of the placement
	workbook string
}

// block places a report of a query in a workbook of its own, writes it, and opens its screen.
func (s *site) block(c *console, id, query string) *remediedBlock {
	s.t.Helper()
	path, report := s.report("1", query)
	b := &remediedBlock{site: s, c: c, path: path, report: report, id: id, workbook: id + ".xlsx"}
	s.copies(b.workbook)
	s.place(path, id, b.workbook, placements.SheetsB, "States!J2")
	s.settled(s.runOf(path))
	b.shown("Up to date")
	return b
}

// shown opens the block's screen and waits until it says something.
func (b *remediedBlock) shown(words ...string) {
	b.t.Helper()
	b.c.goTo(fmt.Sprintf("placements/%d/%s", b.report, b.id))
	for _, said := range words {
		b.c.shows(said)
	}
}

// mended waits until the block's screen, without anything asked anew, says that it is up to date.
func (b *remediedBlock) mended() {
	b.t.Helper()
	b.c.until(fmt.Sprintf(`location.hash.endsWith("placements/%d/%s") && document.querySelector(".standing")?.innerText.includes("Up to date")`, b.report, b.id))
}

// triesNow clicks on "Try now", and waits until the block is mended. On a busy machine it may have been, by itself, before the click.
func (b *remediedBlock) triesNow() {
	b.t.Helper()
	b.c.clickUntil(named("Try now"), `document.querySelector(".standing")?.innerText.includes("Up to date")`)
	b.mended()
}

// offers checks the labels of what stands beside the block's state.
func (b *remediedBlock) offers(want string) {
	b.t.Helper()
	const labels = `[...document.querySelectorAll("#main .card .head button, #main .card .head a")].map((e) => e.textContent).join(", ")`
	b.c.until(labels + " === " + jsonOf(b.t, want))
}

// cells changes the block's workbook as people do.
func (b *remediedBlock) cells(change func(f *excelize.File) error) {
	b.t.Helper()
	name := filepath.Join(b.dir, "sheets", b.workbook)
	f, err := excelize.OpenFile(name)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if err := change(f); err != nil {
		b.t.Fatal(err)
	}
	if err := f.SaveAs(name); err != nil {
		b.t.Fatal(err)
	}
}

// sure says yes in the dialog that asks.
func (b *remediedBlock) sure(label string) {
	b.t.Helper()
	b.c.until(`document.querySelector("dialog[open]")`)
	b.c.eval(fmt.Sprintf(`([...document.querySelectorAll("dialog[open] button")].find((e) => e.textContent === %q).click(), null)`, label))
}

// Whatever a block's screen says is wrong, what stands beside it mends it from there; where nobody can do anything, nothing is offered, and it
// mends itself.
func TestConsoleRemediesMend(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.console("overview")
	try := func(state string, mend func()) {
		t.Log(state)
		mend()
	}
	database, sheets := filepath.Join(s.dir, "shop.db"), filepath.Join(s.dir, "sheets")

	try("the source is down", func() {
		b := s.block(c, "down", "SELECT name, amount FROM t")
		rename(t, database, database+".away")
		s.settled(s.runOf(b.path))
		b.shown("Waiting: the source does not answer", "next try")
		b.offers("Stop")
		rename(t, database+".away", database)
		b.mended()
	})
	try("the query is broken", func() {
		b := s.block(c, "query", "SELECT name, amount FROM t")
		s.must(http.MethodPut, b.path, `{"sqlQuery": "SELECT nonesuch FROM t"}`)
		s.settled(s.runOf(b.path))
		b.shown("nonesuch")
		b.offers("Open the report, Retry")
		c.click("Open the report")
		c.click("Edit")
		c.fill("SQL", "SELECT name, amount AS sum FROM t")
		c.until(`document.querySelector(".b-table")?.innerText.includes("3.5")`)
		c.click("Save")
		c.answerChanges()
		c.until(fmt.Sprintf(`location.hash.endsWith("/reports/%d")`, b.report))
		b.shown("nonesuch")
		c.click("Retry")
		b.mended()
	})
	try("the file is missing", func() {
		b := s.block(c, "missing", "SELECT name, amount FROM t")
		rename(t, filepath.Join(sheets, b.workbook), filepath.Join(s.dir, "elsewhere.xlsx"))
		s.settled(s.runOf(b.path))
		b.shown("Waiting: the file is not there", "Put the file back")
		rename(t, filepath.Join(s.dir, "elsewhere.xlsx"), filepath.Join(sheets, b.workbook))
		b.triesNow()
	})
	try("the file is locked", func() {
		b := s.block(c, "locked", "SELECT name, amount FROM t")
		lock := filepath.Join(sheets, "~$"+b.workbook)
		writeFile(t, lock, "someone")
		s.must(http.MethodPut, b.path, `{"sqlQuery": "SELECT name, amount + 1 AS amount FROM t"}`)
		s.settled(s.runOf(b.path))
		b.shown("Waiting: the file is open", "Close the file")
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
		b.triesNow()
	})
	try("there is no room", func() {
		b := s.block(c, "room", "SELECT name, amount FROM t")
		b.cells(func(f *excelize.File) error { return f.SetCellStr("States", "J6", "mine") })
		s.must(http.MethodPut, b.path, `{"sqlQuery": "SELECT name, amount FROM t UNION ALL SELECT 'd', 4"}`)
		s.settled(s.runOf(b.path))
		b.shown("Needs a decision")
		c.click("Make room")
		b.sure("Make room")
		b.mended()
		b.cells(func(f *excelize.File) error {
			if below, err := f.GetCellValue("States", "J7"); err != nil || below != "mine" {
				t.Errorf("what was typed below is %q: %v", below, err)
			}
			return nil
		})
	})
	try("a column was moved", func() {
		b := s.block(c, "moved", "SELECT name, amount FROM t")
		b.cells(func(f *excelize.File) error {
			for cell, text := range map[string]string{"J2": "amount", "K2": "name", "J3": "x", "K3": "y", "J4": "u", "K4": "v", "J5": "w", "K5": "z"} {
				if err := f.SetCellStr("States", cell, text); err != nil {
					return err
				}
			}
			return nil
		})
		s.settled(s.runOf(b.path))
		b.shown("Needs a decision")
		c.click("Write over the changes")
		b.sure("Write over the changes")
		b.mended()
	})
	try("a newer run took over", func() {
		b := s.block(c, "over", "SELECT name, amount FROM t")
		lock := filepath.Join(sheets, "~$"+b.workbook)
		writeFile(t, lock, "someone")
		s.must(http.MethodPut, b.path, `{"sqlQuery": "SELECT name, amount + 2 AS amount FROM t"}`)
		older := s.settled(s.runOf(b.path))
		newer := s.settled(s.runOf(b.path))
		c.goTo("runs/" + strings.ReplaceAll(older.ID, ":", "%3A"))
		c.shows("Taken over by a newer run")
		c.click("Run")
		c.until("decodeURIComponent(location.hash).endsWith(" + jsonOf(t, newer.ID) + ")")
		c.shows("the file is open")
		b.shown("Waiting: the file is open")
		if err := os.Remove(lock); err != nil {
			t.Fatal(err)
		}
		b.triesNow()
	})
	try("the schedule is paused", func() {
		b := s.block(c, "paused", "SELECT name, amount FROM t")
		made := s.must(http.MethodPost, "/api/v1/deployments/1/refresh-schedules", fmt.Sprintf(
			`{"name": "Mornings", "cron": ["0 7 * * *"], "target": {"reportId": %d, "placementId": %q}}`, b.report, b.id))
		schedule := s.member(made, "id")
		s.must(http.MethodPost, "/api/v1/deployments/1/refresh-schedules/"+schedule+"/pause", "")
		c.goTo("schedules/" + schedule)
		c.shows("Paused")
		c.click("Resume")
		c.until(`!document.querySelector("#main").innerText.includes("Paused")`)
		c.shows("07:00")
	})
}

// What a person has no right to any more is told to those who can give it back, and a quota that is used up to nobody: it comes back by itself. A
// kind of spreadsheet that no agent has is told at the block with where it can be refreshed.
func TestConsoleRemediesOfRightsAndServices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	fake, err := googlefake.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	c := s.console("overview")

	viewer := s.as("--user", "3", "--email", "vi@example.com", "--role", "7")
	shared, id := s.report("1", "SELECT name, amount FROM t")
	s.copies("viewers.xlsx")
	sellers := `{"rolesWithAccess":[{"id":7,"name":"Sellers","actions":["ReportEdit"]}]}`
	s.must(http.MethodPut, shared+"/access", sellers)
	viewer.place(shared, "viewers", "viewers.xlsx", placements.SheetsB, "States!J2")
	s.must(http.MethodPut, shared+"/access", `{"rolesWithAccess":[]}`)
	s.settled(s.runOf(shared))
	b := &remediedBlock{site: s, c: c, path: shared, report: id, id: "viewers", workbook: "viewers.xlsx"}
	b.shown("Failed", "vi@example.com")
	b.offers("Open the report, Retry")
	s.must(http.MethodPut, shared+"/access", sellers)
	c.click("Retry")
	b.mended()

	away, awayID := s.report("1", "SELECT name, amount FROM t")
	s.place(away, "away", "a spreadsheet of Google's", placements.SheetsA, "Data!A1")
	s.settled(s.runOf(away))
	b = &remediedBlock{site: s, c: c, path: away, report: awayID, id: "away"}
	b.shown("refreshed by the add-in only", "Open the spreadsheet and refresh there")
	b.offers("")

	for _, part := range []string{"503", "ERR_CONNECTION"} {
		c.allow(part) // while the server starts again
	}
	fake.Fail(1_000_000, http.StatusTooManyRequests, "5")
	s.server.terminate()
	config, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.dir, "sa.json"), string(fake.ServiceAccount()))
	writeFile(t, s.config, fmt.Sprintf("%s      SHEETS_A: {kind: google, credentialsFile: sa.json, endpoint: %q}\n", config, fake.URL))
	s.serve()
	c = s.console("overview")
	fake.Add("sheet-1", book.New(1000, 26, "Data"))
	busy, busyID := s.report("1", "SELECT name, amount FROM t")
	s.place(busy, "busy", "sheet-1", placements.SheetsA, "Data!A1")
	s.settled(s.runOf(busy))
	b = &remediedBlock{site: s, c: c, path: busy, report: busyID, id: "busy"}
	b.shown("Waiting: the quota is used up", "it goes on when there is quota again")
	b.offers("Stop")
	fake.Fail(0, 0, "")
	b.mended()
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
