package main

import (
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/storagetest"
)

// The pane shows what blocks wait for, how old they are and what helps, and that the storage does not answer.
func TestPaneWaiting(t *testing.T) {
	t.Parallel()
	server := newDurableRedis(t)
	s := newPaneSiteOn(t, storagetest.Addr(server.addr), "--agent=false")
	report := s.report("Orders", "SELECT id, customer, amount FROM orders")
	ago := func(d time.Duration) string { return placements.Time(time.Now().Add(-d)) }
	run := func(state placements.RunState, reason placements.Reason, sentence string) *placements.LastRun {
		return &placements.LastRun{
			RunID: "r", State: state, Reason: reason, Error: sentence, Since: ago(20 * time.Minute), EndedAt: ago(2 * time.Minute), NextAttemptAt: ago(-12 * time.Minute),
		}
	}
	failed := run(placements.RunFailed, "", "The query names no column mile: correct it.")
	failed.ErrorClass, failed.NextAttemptAt = placements.Structure, ago(2*time.Minute)
	const placed, read = "2025-03-01T12:00:00.000Z", "2025-03-02T12:00:00.000Z" // of another year: the words for it are the same at every hour
	var list []storage.Placed
	for at, last := range map[string]*placements.LastRun{
		"Data!B2": run(placements.RunQueued, placements.ReasonLocked, "The workbook is open in a program: close it."),
		"Data!H2": failed, "Other!B2": run(placements.RunSkipped, placements.ReasonAddinOnly, ""),
	} {
		sheet, cell, _ := strings.Cut(at, "!")
		list = append(list, storage.Placed{LastRun: last, Placement: placements.Placement{
			ID: at[:1] + at[len(at)-2:], WorkbookID: "book-1", Host: placements.SheetsA, ResultLocation: at, SheetName: sheet, AnchorCell: cell, PlacedAt: placed, PlacedByUserID: 1,
			QueryChecksum: "an earlier query", AsOf: read,
		}})
	}
	importRefreshed(t, s.redis, int64(report), list)
	p := s.open(s.bobs, "")
	for _, expected := range []string{"ERR_INCOMPLETE_CHUNKED", "503", "/refreshes/r"} {
		p.allow(expected)
	}
	p.shows("Waiting: the file is open · next try")
	p.shows("data as of 2 Mar 2025")
	p.shows("The query names no column mile")
	p.shows("Report edited, data as of 2 Mar 2025")
	p.looksRight("list")
	for row, says := range map[string][]string{
		"Data!B2": {"Close the file if you have it open."}, "Data!H2": {"Correct the report or the sheet"}, "Other!B2": {"refresh it here"},
	} {
		p.until(`[...document.querySelectorAll(".row .open")].some((e) => e.textContent.endsWith("` + row + `"))`)
		p.eval(`[...document.querySelectorAll(".row .open")].find((e) => e.textContent.endsWith("` + row + `")).click()`)
		for _, words := range says {
			p.shows(words)
		}
		p.looksRight("block " + row[:1] + row[len(row)-2:])
		p.click("All blocks")
	}
	server.stop()
	p.shows("Mooring’s storage does not answer. This is what was read")
	p.shows("The query names no column mile")
	p.looksRight("away")
	server.start()
	p.until(`!document.body.innerText.includes("does not answer")`)
	p.shows("Orders")
}
