package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/google/googlefake"
)

// spent gives the site a Google Sheets whose quota is used up.
func (s *site) spent() {
	s.t.Helper()
	fake, err := googlefake.Start()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(fake.Close)
	fake.Fail(1_000_000, http.StatusTooManyRequests, "600")
	config, err := os.ReadFile(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	writeFile(s.t, filepath.Join(s.dir, "sa.json"), string(fake.ServiceAccount()))
	s.server.terminate()
	writeFile(s.t, s.config, fmt.Sprintf("%s      SHEETS_A: {kind: google, credentialsFile: sa.json, endpoint: %q}\n", config, fake.URL))
	s.serve()
}

// A source that is down is one cause, however many blocks wait for it, beside the others: each says since when, until when and what helps.
func TestConsoleOfServicesThatAreDown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.spent()
	s.copies("open.xlsx", "a.xlsx", "b.xlsx", "c.xlsx", "d.xlsx")
	writeFile(t, filepath.Join(s.dir, "sheets", "~$open.xlsx"), "someone")
	path, id := s.report("1", "SELECT name, amount FROM t")
	s.place(path, "open", "open.xlsx", placements.SheetsB, "States!C20")
	s.place(path, "busy", "a spreadsheet of Google's", placements.SheetsA, "Data!A1")
	s.settled(s.runOf(path))
	down, downID := s.report("1", "SELECT count(*) AS n FROM t")
	for _, name := range []string{"a", "b", "c", "d"} {
		s.place(down, name, name+".xlsx", placements.SheetsB, "States!C20")
	}
	database := filepath.Join(s.dir, "shop.db")
	if err := os.Rename(database, database+".away"); err != nil {
		t.Fatal(err)
	}
	s.settled(s.runOf(down))

	c := s.console("overview")
	const lines = `[...document.querySelectorAll(".cause")].filter((e) => e.innerText.includes("The source does not answer")).length`
	c.until(lines + ` === 1`)
	for _, words := range []string{"4 blocks in 4 documents", "The file is open in a program", "The quota is used up for now", "next try"} {
		c.shows(words)
	}
	c.looksRight("overview")
	c.size(1280, 1800)
	c.keep("overview-whole")
	for block, says := range map[string][]string{
		fmt.Sprintf("%d/a", downID): {"Waiting: the source does not answer", "since", "next try", "It goes on by itself when the source answers"},
		fmt.Sprintf("%d/busy", id):  {"Waiting: the quota is used up", "since", "next try", "it goes on when there is quota again"},
	} {
		c.goTo("placements/" + block)
		for _, words := range says {
			c.shows(words)
		}
		if evalAs[bool](c.page, `!!document.querySelector("#refresh")`) {
			t.Errorf("%s: asking for a refresh is offered, which cannot help", block)
		}
		c.looksRight("block-" + filepath.Base(block))
		c.size(1280, 800)
	}
	if err := os.Rename(database+".away", database); err != nil {
		t.Fatal(err)
	}
	s.shown(s.runOf(down), "ended", hasEnded)
	c.goTo("overview")
	c.shows("The file is open in a program")
	c.until(lines + ` === 0`)
}
