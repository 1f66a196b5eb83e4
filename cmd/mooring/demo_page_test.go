package main

import (
	"fmt"
	"strings"
	"testing"

	"mooring/cmd/mooring/demo"

	"github.com/xuri/excelize/v2"
)

func TestDemoPageLooksRight(t *testing.T) {
	t.Parallel()
	d := startDemoPage(t)
	d.saved()
	d.looksRight("page")
	d.size(1280, 800)
	d.click("Leave the tour")
	d.click("Summary")
	d.looksRight("summary")
}

// litBySheet counts the cells that are marked as changed: of the sheet that is shown, of the second one, and of the first again.
const litBySheet = `["", "1", "0"].map((tab) => {
	if (tab) document.getElementById("tab-" + tab).click();
	return document.querySelectorAll(".cell.changed").length;
})`

// Each button does what it says to the real file.
func TestDemoPageButtons(t *testing.T) {
	t.Parallel()
	d := startDemoPage(t)
	d.click("Leave the tour")
	before := d.cell(demo.Sheet, "D6")
	d.click("Change the source")
	d.said("Alabama", "refresh")
	d.eval("(() => { " + withoutTimer(5000) + " })()") // lit cells stay lit
	d.click("Refresh")
	d.said("Refreshed: 4 rows written.")
	if after := d.cell(demo.Sheet, "D6"); after == before {
		t.Errorf("Alabama still has %s in 2020", after)
	}
	d.until(`document.querySelector(".cell.changed")`)
	if lit := evalAs[[]int](d.page, litBySheet); lit[0] == 0 || lit[1] != 0 || lit[2] != lit[0] {
		t.Errorf("cells lit in States, in Summary and in States again: %v; want those that changed, in States", lit)
	}
	d.within("#pane")
	d.shows("4 rows changed")
	d.within("")
	d.picture("demo")

	d.click("Type into the block")
	d.said("Typed “about", "into D8")
	d.saved()
	typed := d.cell(demo.Sheet, "D8")
	if !strings.HasPrefix(typed, "about ") || d.shown("D8") != typed {
		t.Errorf("the file has %q, the grid %q", typed, d.shown("D8"))
	}
	d.click("Refresh")
	d.said("1 row with cells of yours kept")
	if got := d.cell(demo.Sheet, "D8"); got != typed {
		t.Errorf("D8 holds %q after a refresh, want %q", got, typed)
	}

	d.click("Insert a row above")
	d.said("Inserted a row above row 5")
	d.saved()
	if got := d.cell(demo.Sheet, "A6"); got != "State" {
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
	d.within("#pane")
	d.shows("50 rows put back in order")
	d.within("")

	d.click("Stop the agent")
	d.said("The agent has stopped")
	d.click("Change the source")
	d.said("new 2020 counts")
	d.click("Refresh")
	d.said("waits for an agent")
	d.click("Start the agent")
	d.said("Refreshed: 4 rows written")
	checkUntouched(t, d.file(), "A6") // a row was inserted above
}

// The pane beside the sheet refreshes by itself: it reads the grid, has the server plan, and writes into the file what an agent would.
func TestDemoPagePane(t *testing.T) {
	t.Parallel()
	d := startDemoPage(t)
	d.click("Leave the tour")
	before := d.cell(demo.Sheet, "D6")
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
	d.open1("Residents by state")
	d.shows("Edited cells")
	d.shows("Take the source's")
	d.within("")
	d.saved()
	d.theme("dark")
	d.picture("pane")
	d.theme("light")
	if got := d.column("A", 6); got[0] != "Alabama" || got[50] != "Wyoming" {
		t.Errorf("the rows are not in order: %q", got)
	}
	if got := d.cell(demo.Sheet, "D6"); got == before {
		t.Errorf("Alabama still has %s in 2020", got)
	}
	if got := d.cell(demo.Sheet, "D8"); !strings.HasPrefix(got, "about ") {
		t.Errorf("D8 holds %q, want what was typed", got)
	}

	d.click("Start the agent")
	d.said("The agent runs")
	d.click("Refresh")
	d.said("nothing was written")
}

// checkUntouched looks for what Mooring and the page have to leave alone: the note, the chart and the drop-down list.
func checkUntouched(t *testing.T, f *excelize.File, note string) {
	t.Helper()
	if notes, err := f.GetComments(demo.Sheet); err != nil || len(notes) != 1 || notes[0].Cell != note {
		t.Errorf("notes %v, %v; want one at %s", notes, err, note)
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
	t.Parallel()
	d := startDemoPage(t)
	const rounds = 6
	for i := range rounds {
		d.eval(`document.querySelector("#do-change").click()`)
		d.eval(`document.querySelector("#do-refresh").click()`)
		d.choose(fmt.Sprintf("G%d", 7+i))
		d.press(fmt.Sprintf("round %d\r", i))
		d.idle()
	}
	d.saved()
	for i := range rounds {
		if i == 3 { // a remark stood there
			continue
		}
		if got, want := d.cell(demo.Sheet, fmt.Sprintf("G%d", 7+i)), fmt.Sprintf("round %d", i); got != want {
			t.Errorf("G%d holds %q, want %q", 7+i, got, want)
		}
	}
	d.click("Refresh")
	d.idle()
	d.click("Refresh")
	d.said("nothing was written")
}

// The page is used without a mouse.
func TestDemoPageByKeyboard(t *testing.T) {
	t.Parallel()
	d := startDemoPage(t)
	d.eval(`document.querySelector("#pane").remove()`) // it has tests of its own
	names := d.focusOrder()
	for _, want := range []string{
		"Next", "Leave the tour", "Change the source", "Refresh", "Content of the cell", "Undo", "Redo", "Sheet States", "States",
	} {
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
	if got := d.cellSoon(demo.Sheet, "A1", "typed"); got != "typed" {
		t.Errorf("A1 holds %q", got)
	}
	d.eval(`document.querySelector("[role=grid]").dispatchEvent(new KeyboardEvent("keydown", {key: "z", ctrlKey: true, bubbles: true}))`)
	d.until(`document.getElementById("cell-0-0").textContent === "Residents of the United States"`)
	d.saved()
	if got := d.cellSoon(demo.Sheet, "A1", "Residents of the United States"); got != "Residents of the United States" {
		t.Errorf("A1 holds %q after undo", got)
	}
}

// The tour has six steps, is left and taken up again where it was, also after the page was loaded again.
func TestDemoPageTour(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	const attack = `<img src=x onerror="document.title='owned'">`
	d := startDemoPage(t)
	f := d.file()
	for _, err := range []error{f.SetSheetName("Summary", `<b>"&'x`), f.SetCellValue(demo.Sheet, "A2", attack), f.SaveAs(d.workbook())} {
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

// A sheet of 20,000 rows scrolls: there are only those elements that are in sight.
func TestDemoPageScrollsManyRows(t *testing.T) {
	t.Parallel()
	const rows = 20_000
	d := startDemoPage(t)
	f := d.file()
	for row := 60; row <= rows; row++ {
		if err := f.SetSheetRow(demo.Sheet, fmt.Sprintf("A%d", row), &[]any{fmt.Sprint("row ", row), row, row * 2, row * 3}); err != nil {
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
		let cells = 0, longest = 0, last = performance.now();
		for (let i = 0; i <= 60; i++) {
			grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * i / 60;
			await new Promise(requestAnimationFrame);
			cells = Math.max(cells, grid.querySelectorAll("[role=gridcell]").length);
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
		}
		grid.focus();
		grid.dispatchEvent(new KeyboardEvent("keydown", {key: "End", ctrlKey: true, bubbles: true}));
		return {Cells: cells, Longest: longest, Last: document.getElementById("cell-19999-3")?.textContent ?? ""};
	})()`)
	t.Logf("at most %d cells in the page, longest frame %.0f ms", got.Cells, got.Longest)
	if got.Cells > 1500 || got.Last != "60000" {
		t.Errorf("%d cells, the last row holds %q", got.Cells, got.Last)
	}
	d.press("typed at the end\r")
	d.saved()
	d.until(`!document.querySelector(".editor")`)
	if got := d.cellSoon(demo.Sheet, "G20000", "typed at the end"); got != "typed at the end" {
		t.Errorf("G20000 holds %q", got)
	}
}
