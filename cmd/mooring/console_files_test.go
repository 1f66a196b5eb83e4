package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

// place places a report without data.
func (s *site) place(path, id, document string, on placements.Host, at string) {
	s.t.Helper()
	body := map[string]any{"externalWorkbookId": document, "resultLocation": at, "host": on, "addressOnly": true, "placementId": id}
	if err := s.client.do(s.t.Context(), http.MethodPut, path+"/connect-workbook", body, nil); err != nil {
		s.t.Fatal(err)
	}
}

// copies puts copies of the site's workbook beside it.
func (s *site) copies(names ...string) {
	s.t.Helper()
	for _, name := range names {
		writeFile(s.t, filepath.Join(s.dir, "sheets", name), string(s.bytes()))
	}
}

// console opens a screen of the console of deployment 1.
func (s *site) console(screen string) *console {
	s.t.Helper()
	code := &codeSite{t: s.t, redis: s.redis, config: s.config, base: s.client.base, token: s.client.token}
	return (&consoleSite{codeSite: code, api: s.client}).open(s.client.token, screen)
}

// settled waits until no query and no write of a run is left.
func (s *site) settled(path string) record.Run {
	s.t.Helper()
	return s.shown(path, "settled but for what waits", func(run record.Run) bool {
		return hasEnded(run) || run.State == placements.RunQueued && len(run.Placements) > 0 && !slices.ContainsFunc(run.Placements, func(p record.RunPlacement) bool {
			return p.State == placements.RunRunning || p.State == placements.RunQueued && p.Reason == ""
		})
	})
}

// What agents leave waiting, failed or left out in real files is told on every screen as it is, with what helps.
func TestConsoleOfFilesThatComeAndGo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copies("open.xlsx", "good.xlsx", "shared.xlsx", "moved.xlsx")
	path, id := s.report("1", "SELECT name, amount FROM t")
	s.place(path, "good", "good.xlsx", placements.SheetsB, "States!C20")
	s.place(path, "open", "open.xlsx", placements.SheetsB, "States!C20")
	s.place(path, "moved", "moved.xlsx", placements.SheetsB, "States!C20")
	s.settled(s.runOf(path)) // what is written then has an age
	if err := os.Remove(filepath.Join(s.dir, "sheets", "moved.xlsx")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.dir, "sheets", "~$open.xlsx"), "someone")
	s.place(path, "broken", "broken.xlsx", placements.SheetsB, "Data!A1")
	s.place(path, "pane", "5d0c7d1e-8f41-4a55-9c7a-0f4f6d9b2a10", placements.SheetsB, "Data!A1")
	held, heldID := s.report("1", "SELECT count(*) AS n FROM t")
	s.place(path, "client", "shared.xlsx", placements.SheetsB, "States!C20")
	s.place(held, "held", "shared.xlsx", placements.SheetsB, "States!H20")
	client := map[string]any{"executor": "client", "placementId": "client"}
	var begun struct{ RunID string }
	if err := s.client.do(t.Context(), http.MethodPost, path+"/refreshes", client, &begun); err != nil {
		t.Fatal(err)
	}
	run := "/api/v1/deployments/1/refreshes/" + begun.RunID
	s.must(http.MethodPost, run+"/plan", `{"fence": 1, "anchor": "States!C20", "extent": {"rows": 40, "columns": 4}, "cells": []}`)
	holds := func() { s.must(http.MethodPut, run+"/lease", `{"fence": 1}`) } // its file, for some minutes more
	s.settled(s.runOf(held))
	older := s.settled(s.runOf(path))
	newer := s.settled(s.runOf(path))
	holds()

	c := s.console("overview")
	for _, words := range []string{"The file is open in a program", "The file cannot be found", "Another refresh is writing", `"broken.xlsx" cannot be opened`} {
		c.shows(words)
	}
	c.looksRight("overview")
	c.size(1280, 2400)
	c.keep("overview-whole")
	c.size(1280, 800)
	for block, says := range map[string][]string{
		"open":   {"Waiting: the file is open", "Close the file", "Try now", "next try", "data as of"},
		"moved":  {"Waiting: the file is not there", "Put the file back", "Try now", "next try"},
		"broken": {"Failed", "Correct the report or the sheet", "Retry"},
		"pane":   {"refreshed by the add-in only", "Open the spreadsheet and refresh there"},
		"good":   {"Up to date as of"},
		"held":   {"Waiting: another refresh is writing", "Nothing to do"},
	} {
		holds()
		report := id
		if block == "held" {
			report = heldID
		}
		c.goTo(fmt.Sprintf("placements/%d/%s", report, block))
		for _, words := range says {
			c.shows(words)
		}
		c.until(fmt.Sprintf(`!!document.querySelector("#refresh") === %t`, block != "pane" && block != "held")) // but for moments in which it is tried
		if shown := c.text("#main"); block == "broken" && strings.Contains(shown, "next try") {
			t.Errorf("a final failure promises another try:\n%s", shown)
		}
		if block == "good" {
			c.until(`document.querySelector(".changes details[open] table")`) // the last change, row by row
			c.until(`/0–\d+ (s|min)/.test(document.querySelector(".strip").innerText)`)
			c.shows("No schedule refreshes this block")
		}
		c.looksRight("block-" + block)
		c.size(1280, 800)
	}
	for _, run := range []struct{ name, id, says string }{{"older", older.ID, "Taken over by a newer run"}, {"newer", newer.ID, "Waiting: the file is open"}} {
		c.goTo("runs/" + url.PathEscape(run.id))
		c.shows(run.says)
		c.shows("Correct the report or the sheet")
		c.shows("refreshed by the add-in only")
		c.looksRight("run-" + run.name)
		c.size(1280, 2400)
		c.keep("run-" + run.name + "-whole")
		c.size(1280, 800)
	}
	c.click("Stop")
	c.until(`document.querySelector("#main").innerText.includes("Stopped")`)
	c.looksRight("run-stopped")
	c.size(1280, 800)
	c.goTo("runs")
	c.looksRight("runs")
	c.size(1280, 800)
	c.goTo("placements")
	c.looksRight("placements")
}
