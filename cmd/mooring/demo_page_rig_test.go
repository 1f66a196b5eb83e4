package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/cmd/mooring/demo"

	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"
)

// demoPage is the page of a running demo in a browser.
type demoPage struct {
	*page
	p   *program
	dir string
	url string // the link that signs in once
}

// startDemoPage starts the demo in a folder, and opens its page at the address that it prints.
func startDemoPage(t *testing.T) *demoPage {
	t.Helper()
	p, dir, url := startDemo(t)
	d := &demoPage{page: newPage(t), p: p, dir: dir, url: url}
	d.size(1280, 800)
	d.open()
	return d
}

// startDemo starts the demo and returns its folder and the link that it prints.
func startDemo(t *testing.T) (p *program, dir, url string) {
	t.Helper()
	dir = t.TempDir()
	p = start(t, "demo", "--listen", "127.0.0.1:0", "--dir", dir)
	p.waitFor("Serving on")
	for line := range strings.Lines(p.out.String()) {
		if strings.Contains(line, "/demo/#enter=") {
			return p, dir, strings.TrimSpace(line)
		}
	}
	t.Fatalf("no address of a page:\n%s", p.out)
	return nil, "", ""
}

// tokenOf is the token that a demo prints for other programs.
func tokenOf(p *program) string {
	_, token, _ := strings.Cut(p.waitFor("TOKEN="), "TOKEN=")
	return strings.TrimSpace(token)
}

func (d *demoPage) open() {
	d.t.Helper()
	d.do(chromedp.Navigate("about:blank"), chromedp.Navigate(d.url)) // a change of the fragment alone loads nothing
	d.until(`document.querySelector("[role=grid] [role=gridcell]")`)
}

// said waits until the page has said something that holds all of these words.
func (d *demoPage) said(words ...string) {
	d.t.Helper()
	for _, w := range words {
		d.until(fmt.Sprintf(`document.querySelector("#said").textContent.includes(%q)`, w))
	}
}

// saved waits until what was done in the page is in the file.
func (d *demoPage) saved() {
	d.t.Helper()
	d.until(`document.querySelector("#state").textContent.includes("Saved")`)
}

func (d *demoPage) workbook() string { return filepath.Join(d.dir, "sheets", demo.Workbook) }

// file is the workbook as another program reads it.
func (d *demoPage) file() *excelize.File {
	d.t.Helper()
	f, err := excelize.OpenFile(d.workbook())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { f.Close() })
	return f
}

func (d *demoPage) cell(sheet, name string) string {
	d.t.Helper()
	value, err := d.file().GetCellValue(sheet, name, excelize.Options{RawCellValue: true})
	if err != nil {
		d.t.Fatal(err)
	}
	return value
}

// column is what a column of the sheet States holds from a row on, as far as it is filled.
func (d *demoPage) column(name string, from int) (values []string) {
	d.t.Helper()
	f := d.file()
	for row := from; ; row++ {
		value, err := f.GetCellValue(demo.Sheet, fmt.Sprintf("%s%d", name, row), excelize.Options{RawCellValue: true})
		if err != nil {
			d.t.Fatal(err)
		}
		if value == "" {
			return values
		}
		values = append(values, value)
	}
}

// shown is what the grid shows in a cell, which is in sight.
func (d *demoPage) shown(name string) string {
	d.t.Helper()
	column, row, err := excelize.CellNameToCoordinates(name)
	if err != nil {
		d.t.Fatal(err)
	}
	return evalAs[string](d.page, fmt.Sprintf(`document.getElementById("cell-%d-%d")?.textContent ?? "(not in sight)"`, row-1, column-1))
}

// cellSoon is what a cell of the file holds, once that is what is wanted or patience ends.
func (d *demoPage) cellSoon(sheet, name, want string) (got string) {
	d.t.Helper()
	for deadline := time.Now().Add(patience / 3); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if got = d.cell(sheet, name); got == want {
			break
		}
	}
	return got
}

// idle waits until no button is at work.
func (d *demoPage) idle() {
	d.t.Helper()
	d.until(`!document.querySelector("#actions [aria-disabled]")`)
}

// choose makes a cell in sight the active one by the mouse.
func (d *demoPage) choose(name string) {
	d.t.Helper()
	column, row, err := excelize.CellNameToCoordinates(name)
	if err != nil {
		d.t.Fatal(err)
	}
	at := evalAs[struct{ X, Y float64 }](d.page, fmt.Sprintf(
		`(r => ({X: r.x + 8, Y: r.y + 8}))(document.getElementById("cell-%d-%d").getBoundingClientRect())`, row-1, column-1))
	d.do(chromedp.MouseClickXY(at.X, at.Y))
}

// refreshInPane refreshes all blocks from the pane, and goes on there.
func (d *demoPage) refreshInPane() {
	d.t.Helper()
	d.within("#pane")
	d.click("Refresh")
	d.click("All blocks")
	d.until(`document.querySelector("#notice").textContent`)
}
