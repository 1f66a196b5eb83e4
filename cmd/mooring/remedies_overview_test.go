package main

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/xuri/excelize/v2"
)

// twoBlocks are two blocks in a workbook each.
func (s *site) twoBlocks(c *console) []*remediedBlock {
	s.t.Helper()
	return []*remediedBlock{s.block(c, "one", "SELECT name, amount FROM t"), s.block(c, "other", "SELECT name, amount FROM t")}
}

// all waits until the overview, without anything asked anew, says that nothing is wrong with two blocks.
func (c *console) all() {
	c.t.Helper()
	c.until(`location.hash.endsWith("/overview") && document.querySelector(".sentence")?.innerText === "All 2 blocks are up to date." && !document.querySelector(".cause")`)
}

// Blocks that have no room get it from the overview, where they are seen to be refreshed.
func TestConsoleOverviewMakesRoom(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.console("overview")
	blocks := s.twoBlocks(c)
	for _, b := range blocks {
		b.cells(func(f *excelize.File) error { return f.SetCellStr("States", "J6", "mine") })
		s.must(http.MethodPut, b.path, `{"sqlQuery": "SELECT name, amount FROM t UNION ALL SELECT 'd', 4"}`)
		s.settled(s.runOf(b.path))
	}
	c.goTo("overview")
	c.shows("0 of 2 blocks are up to date. 2 need you.")
	c.shows("There is no room for the new rows")
	c.shows("2 blocks in 2 documents")
	c.until(remedies("There is no room") + ` === "Make room"`)
	c.looksRight("overview")
	c.size(1280, 800)
	c.click("Make room")
	c.shows("Make room for 2 blocks?")
	c.looksRight("sure")
	c.size(1280, 800)
	blocks[0].sure("Make room")
	c.shows("Refreshes asked for 2 blocks.")
	c.all()
	for _, b := range blocks {
		b.cells(func(f *excelize.File) error {
			if below, err := f.GetCellValue("States", "J7"); err != nil || below != "mine" {
				t.Errorf("%s: what was typed below is %q: %v", b.workbook, below, err)
			}
			return nil
		})
	}
}

// A cause that is mended file by file leads to all blocks that have it, each with its remedy beside it.
func TestConsoleOverviewLeadsToAllFilesThatAreMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.console("overview")
	blocks := s.twoBlocks(c)
	file := func(b *remediedBlock) (here, away string) {
		here = filepath.Join(s.dir, "sheets", b.workbook)
		return here, filepath.Join(s.dir, "away-"+b.workbook)
	}
	for _, b := range blocks {
		here, away := file(b)
		rename(t, here, away)
		s.settled(s.runOf(b.path))
	}
	c.goTo("overview")
	c.until(remedies("The file cannot be found") + ` === "Show the blocks, Try now"`)
	c.click("Show the blocks")
	c.until(`location.hash.endsWith("/placements?status=WAITING&reason=missing") && document.querySelector("#main h2").textContent === "Placements"`)
	c.settled()
	const rows = `document.querySelectorAll("#main tbody tr:not(:has(.empty))").length === `
	c.until(rows + "2") // but for moments in which they are tried
	for n, b := range blocks {
		here, away := file(b)
		rename(t, away, here)
		c.clickUntil(`document.getElementById("retry-`+b.id+`")`, rows+[]string{"1", "0"}[n]) // it may have been tried by itself
	}
	c.goTo("overview")
	c.all()
}
