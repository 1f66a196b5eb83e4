package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"
)

// demoPage is the page of a running demo in a browser.
type demoPage struct {
	*page
	p   *process
	dir string
	url string // with the token
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

// startDemo starts the demo and returns its folder and the address of its page.
func startDemo(t *testing.T) (p *process, dir, url string) {
	t.Helper()
	dir = t.TempDir()
	p = start(t, "demo", "--listen", "127.0.0.1:0", "--dir", dir)
	p.waitFor("Serving on")
	for line := range strings.Lines(p.out.String()) {
		if strings.Contains(line, "/demo/#token=") {
			return p, dir, strings.TrimSpace(line)
		}
	}
	t.Fatalf("no address of a page:\n%s", p.out)
	return nil, "", ""
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

func (d *demoPage) workbook() string { return filepath.Join(d.dir, "sheets", demoWorkbook) }

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
		value, err := f.GetCellValue(demoSheet, fmt.Sprintf("%s%d", name, row), excelize.Options{RawCellValue: true})
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

func TestDemoPageLooksRight(t *testing.T) {
	d := startDemoPage(t)
	d.saved()
	d.looksRight("page")
	d.size(1280, 800)
	d.click("Leave the tour")
	d.click("Summary")
	d.looksRight("summary")
}

// Each button does what it says to the real file.
func TestDemoPageButtons(t *testing.T) {
	d := startDemoPage(t)
	before := d.cell(demoSheet, "D6")
	d.click("Change the source")
	d.said("Alabama", "refresh")
	d.click("Refresh")
	d.said("Refreshed: 4 rows written.")
	if after := d.cell(demoSheet, "D6"); after == before {
		t.Errorf("Alabama still has %s in 2020", after)
	}
	d.until(`document.querySelector(".cell.changed")`)

	d.click("Type into the block")
	d.said("Typed “about", "into D8")
	d.saved()
	typed := d.cell(demoSheet, "D8")
	if !strings.HasPrefix(typed, "about ") || d.shown("D8") != typed {
		t.Errorf("the file has %q, the grid %q", typed, d.shown("D8"))
	}
	d.click("Refresh")
	d.said("1 row with cells of yours kept")
	if got := d.cell(demoSheet, "D8"); got != typed {
		t.Errorf("D8 holds %q after a refresh, want %q", got, typed)
	}

	d.click("Insert a row above")
	d.said("Inserted a row above row 5")
	d.saved()
	if got := d.cell(demoSheet, "A6"); got != "State" {
		t.Errorf("A6 holds %q, want the header", got)
	}
	if got, err := d.file().GetCellFormula("Summary", "B4"); err != nil || got != "SUMIF(States!$B$7:$B$57,$A4,States!C$7:C$57)" {
		t.Errorf("the formula is %s, %v: it did not follow", got, err)
	}

	order := d.column("A", 7)
	d.click("Sort the block")
	d.said("Sorted the block from Z to A")
	d.saved()
	if got := d.column("A", 7); got[0] != "Wyoming" || got[50] != "Alabama" || got[len(got)-2] != order[1] {
		t.Errorf("the rows are %q", got)
	}
	d.click("Refresh")
	d.said("put back in order")
	if got := d.column("A", 7); strings.Join(got, ",") != strings.Join(order, ",") {
		t.Errorf("after a refresh the rows are %q", got)
	}

	d.click("Stop the agent")
	d.said("The agent has stopped")
	d.click("Change the source")
	d.said("Changed in the database")
	d.click("Refresh")
	d.said("waits for an agent")
	d.click("Start the agent")
	d.said("Refreshed: 4 rows written")
	checkUntouched(t, d.file())
}

// The pane beside the sheet refreshes by itself: it reads the grid, has the server plan, and writes into the file what an agent would.
func TestDemoPagePane(t *testing.T) {
	d := startDemoPage(t)
	before := d.cell(demoSheet, "D6")
	d.click("Change the source")
	d.said("Alabama")
	d.click("Type into the block")
	d.said("into D8")
	d.click("Sort the block")
	d.said("Z to A")
	d.saved()
	d.click("Stop the agent")
	d.said("The agent has stopped")

	d.refreshInPane()
	d.shows("1 cell of yours kept")
	d.within("")
	d.saved()
	if got := d.column("A", 6); got[0] != "Alabama" || got[50] != "Wyoming" {
		t.Errorf("the rows are not in order: %q", got)
	}
	if got := d.cell(demoSheet, "D6"); got == before {
		t.Errorf("Alabama still has %s in 2020", got)
	}
	if got := d.cell(demoSheet, "D8"); !strings.HasPrefix(got, "about ") {
		t.Errorf("D8 holds %q, want what was typed", got)
	}

	d.click("Start the agent")
	d.said("The agent runs")
	d.click("Refresh")
	d.said("nothing was written")
}

// refreshInPane refreshes all blocks from the pane, and goes on there.
func (d *demoPage) refreshInPane() {
	d.t.Helper()
	d.within("#pane")
	d.click("Refresh")
	d.click("All blocks")
	d.until(`document.querySelector("#notice").textContent`)
}

// checkUntouched looks for what Mooring and the page have to leave alone: the note, the chart and the drop-down list.
func checkUntouched(t *testing.T, f *excelize.File) {
	t.Helper()
	if notes, err := f.GetComments(demoSheet); err != nil || len(notes) != 1 || notes[0].Cell != "A6" {
		t.Errorf("notes %v, %v; want one that has moved to A6", notes, err)
	}
	if lists, err := f.GetDataValidations("Summary"); err != nil || len(lists) != 1 {
		t.Errorf("drop-down lists %v, %v", lists, err)
	}
	if chart, ok := f.Pkg.Load("xl/charts/chart1.xml"); !ok || chart == nil {
		t.Error("the chart is gone")
	}
}

// What is typed is saved, also while an agent writes the same file: neither is lost.
func TestDemoPageTypesWhileAgentsWrite(t *testing.T) {
	d := startDemoPage(t)
	const rounds = 6
	for i := range rounds {
		d.eval(`document.querySelector("#do-change").click()`)
		d.eval(`document.querySelector("#do-refresh").click()`)
		d.choose(fmt.Sprintf("G%d", 7+i))
		d.press(fmt.Sprintf("round %d\r", i))
		d.until(`!/Refreshing|waits/.test(document.querySelector("#said").textContent)`)
	}
	d.saved()
	for i := range rounds {
		if i == 3 { // a remark stood there
			continue
		}
		if got, want := d.cell(demoSheet, fmt.Sprintf("G%d", 7+i)), fmt.Sprintf("round %d", i); got != want {
			t.Errorf("G%d holds %q, want %q", 7+i, got, want)
		}
	}
	d.click("Refresh")
	d.said("Refreshed")
	d.click("Refresh")
	d.said("nothing was written")
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

// The page is used without a mouse.
func TestDemoPageByKeyboard(t *testing.T) {
	d := startDemoPage(t)
	d.eval(`document.querySelector("#pane").remove()`) // it has tests of its own
	names := d.focusOrder()
	for _, want := range []string{"Next", "Leave the tour", "Change the source", "Refresh", "Content of the cell", "Undo", "Redo", "Sheet States", "States"} {
		found := false
		for _, name := range names {
			found = found || name == want || strings.HasPrefix(name, want)
		}
		if !found {
			t.Errorf("Tab does not lead to %q: %q", want, names)
		}
	}
	d.eval(`document.querySelector("[role=grid]").focus()`)
	d.eval(`document.querySelector("[role=grid]").dispatchEvent(new KeyboardEvent("keydown", {key: "Home", ctrlKey: true, bubbles: true}))`)
	d.press("typed\r")
	d.until(`document.querySelector(".address").textContent === "A2"`)
	if got := d.cellSoon(demoSheet, "A1", "typed"); got != "typed" {
		t.Errorf("A1 holds %q", got)
	}
	d.eval(`document.querySelector("[role=grid]").dispatchEvent(new KeyboardEvent("keydown", {key: "z", ctrlKey: true, bubbles: true}))`)
	d.until(`document.getElementById("cell-0-0").textContent === "Residents of the United States"`)
	d.saved()
	if got := d.cellSoon(demoSheet, "A1", "Residents of the United States"); got != "Residents of the United States" {
		t.Errorf("A1 holds %q after undo", got)
	}
}

// The tour has six steps, is left and taken up again where it was, also after the page was loaded again.
func TestDemoPageTour(t *testing.T) {
	d := startDemoPage(t)
	for i := 1; i < 3; i++ {
		d.shows(fmt.Sprintf("Step %d of 6", i))
		d.click("Next")
	}
	d.click("Leave the tour")
	d.until(`document.querySelector("#tour").hidden`)
	d.open()
	d.click("Take the tour")
	d.shows("Step 3 of 6")
	for i := 3; i < 6; i++ {
		d.click("Next")
	}
	d.shows("Step 6 of 6")
	d.click("Finish")
	d.until(`document.querySelector("#tour").hidden && document.activeElement.textContent === "Take the tour"`)
}

// Texts and names of sheets of a hostile file are shown as text.
func TestDemoPageEscapes(t *testing.T) {
	const attack = `<img src=x onerror="document.title='owned'">`
	d := startDemoPage(t)
	f := d.file()
	for _, err := range []error{f.SetSheetName("Summary", `<b>"&'x`), f.SetCellValue(demoSheet, "A2", attack), f.SaveAs(d.workbook())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d.until(fmt.Sprintf(`document.getElementById("cell-1-0").textContent === %q`, attack))
	d.until("[...document.querySelectorAll('[role=tab]')].some((tab) => tab.textContent === `<b>\"&'x`)")
	d.click(`<b>"&'x`)
	d.until("document.querySelector('[role=grid]').getAttribute('aria-label') === `Sheet <b>\"&'x`")
	if title := evalAs[string](d.page, "document.title"); strings.Contains(title, "owned") {
		t.Error("a cell's text ran as a script")
	}
}

// The token stands in no address that a server or a log sees, and leaves the address bar.
func TestDemoPageKeepsItsToken(t *testing.T) {
	d := startDemoPage(t)
	if at := evalAs[string](d.page, "location.href"); strings.Contains(at, "token") {
		t.Errorf("the address is %s", at)
	}
	_, token, _ := strings.Cut(d.url, "#token=")
	if n := strings.Count(d.p.out.String(), token); n != 2 { // for the page and for curl
		t.Errorf("the token is printed %d times", n)
	}
}

// The actions answer the demo's own page on this machine only.
func TestDemoActionsRefuse(t *testing.T) {
	_, _, url := startDemo(t)
	server, token, _ := strings.Cut(url, "/demo/#token=")
	tests := []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"the page itself", func(*http.Request) {}, http.StatusOK},
		{"by the name localhost", func(r *http.Request) { r.Host = "localhost:1" }, http.StatusOK},
		{"without a token", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusForbidden},
		{"with another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, http.StatusForbidden},
		{"by a name that resolves to this machine", func(r *http.Request) { r.Host = "evil.example.com" }, http.StatusForbidden},
		{"by an address of the network", func(r *http.Request) { r.Host = "192.168.1.5:8080" }, http.StatusForbidden},
		{"from a page of another origin", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example.com") }, http.StatusForbidden},
		{"from another site", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		{"from another port", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+"/demo/actions/state", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			tt.change(r)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if text, _ := io.ReadAll(answer.Body); answer.StatusCode != tt.status {
				t.Errorf("status %d, want %d: %s", answer.StatusCode, tt.status, text)
			}
		})
	}
}

// A sheet of 20,000 rows scrolls: there are only those elements that are in sight.
func TestDemoPageScrollsManyRows(t *testing.T) {
	const rows = 20_000
	d := startDemoPage(t)
	f := d.file()
	for row := 60; row <= rows; row++ {
		if err := f.SetSheetRow(demoSheet, fmt.Sprintf("A%d", row), &[]any{fmt.Sprint("row ", row), row, row * 2, row * 3}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SaveAs(d.workbook()); err != nil {
		t.Fatal(err)
	}
	d.until(`Number(document.querySelector("[role=grid]").getAttribute("aria-rowcount")) > 20000`)
	type figures struct {
		Cells   int
		Longest float64
		Last    string
	}
	got := evalAs[figures](d.page, `(async () => {
		const grid = document.querySelector("[role=grid]");
		const frames = []; let cells = 0, longest = 0, last = performance.now();
		for (let i = 0; i <= 60; i++) {
			grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * i / 60;
			await new Promise(requestAnimationFrame);
			cells = Math.max(cells, grid.querySelectorAll("[role=gridcell]").length);
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
			frames.push(Math.round(longest));
		}
		console.log(JSON.stringify(frames));
		document.title = JSON.stringify(frames);
		grid.focus();
		grid.dispatchEvent(new KeyboardEvent("keydown", {key: "End", ctrlKey: true, bubbles: true}));
		return {Cells: cells, Longest: longest, Last: document.getElementById("cell-19999-3")?.textContent ?? ""};
	})()`)
	t.Log(evalAs[string](d.page, "document.title"))
	t.Logf("at most %d cells in the page, longest frame %.0f ms", got.Cells, got.Longest)
	if got.Cells > 1500 || got.Last != "60000" {
		t.Errorf("%d cells, the last row holds %q", got.Cells, got.Last)
	}
	d.press("typed at the end\r")
	d.saved()
	d.until(`!document.querySelector(".editor")`)
	if got := d.cellSoon(demoSheet, "G20000", "typed at the end"); got != "typed at the end" {
		t.Errorf("G20000 holds %q", got)
	}
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

// The address is opened in the browser if that is asked for; a browser that does not open is only said.
func TestDemoOpensTheBrowser(t *testing.T) {
	for _, tt := range []struct{ name, script, says string }{
		{"opened", "#!/bin/sh\necho \"$1\" > \"$(dirname \"$0\")/opened\"\n", ""},
		{"not opened", "#!/bin/sh\nexit 3\n", "The browser could not be opened"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(tt.script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			p := start(t, "demo", "--open", "--listen", "127.0.0.1:0", "--dir", t.TempDir())
			if tt.says != "" {
				p.waitFor(tt.says)
				return
			}
			opened := filepath.Join(bin, "opened")
			for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
				if text, err := os.ReadFile(opened); err == nil && strings.Contains(string(text), "/demo/#token=") {
					return
				}
				if time.Now().After(deadline) {
					t.Fatal("the browser was not opened")
				}
			}
		})
	}
}

func TestBrowserCommand(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open [at]", "darwin": "open [at]", "windows": "rundll32 [url.dll,FileProtocolHandler at]",
	} {
		if program, args := browserCommand(system, "at"); fmt.Sprint(program, " ", args) != want {
			t.Errorf("%s: %s %v, want %s", system, program, args, want)
		}
	}
}
