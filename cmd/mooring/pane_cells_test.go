package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// handled is a pane beside a spreadsheet with the sheets Data and Setup, and a person's hands on that.
type handled struct {
	*page
	framed  bool // by a page that is not Mooring's
	follows bool // names follow the cells that rows move
	asks    bool // the file is one that this device has not seen
}

// handsOnPort are a person's hands on the tests' port, and handsOnBook those on a fake of a program, whose selection it has, over a Book: what they
// select, type and see, at addresses of cells. To type, a person selects the cell.
const (
	handsOnPort = `{
		select: window.book.select,
		selected: () => window.book.selected,
		type: (location, value) => { window.book.select(location); window.book.set(location, value); window.book.tell("cells"); },
		cell: window.book.cell,
	}`
	handsOnBook = `((book, program, tell) => {
		const at = (location) => {
			const [, sheet, column, row] = /^(.+)!([A-Z])(\d+)$/.exec(location);
			return {sheet: book.sheet(sheet), row: row - 1, column: column.charCodeAt(0) - 65};
		};
		const select = (location) => {
			const {sheet, row, column} = at(location);
			program.selected = {sheet, area: {row, column, rows: 1, columns: 1}};
			tell("selected");
		};
		return {
			select,
			selected: () => ({...program.selected.area, sheet: program.selected.sheet.title}),
			type: (location, value) => {
				const {sheet, row, column} = at(location);
				select(location);
				sheet.set(row, column, {value, formula: ""});
				tell("changed");
			},
			cell: (location) => {
				const {sheet, row, column} = at(location);
				return sheet.cell(row, column).value;
			},
			deleteRow: (sheet, row) => { book.sheet(sheet).deleteRows(row - 1, 1); select(sheet + "!D10"); tell("changed"); },
			insertRow: (sheet) => { book.sheet(sheet).insertRows(0, 1); select(sheet + "!D9"); tell("changed"); },
		};
	})`
)

// handle opens the pane beside each kind of spreadsheet, as Bob.
func (s *paneSite) handle(kind string) handled {
	s.t.Helper()
	var p *page
	hands := handsOnPort
	switch kind {
	case "Excel":
		p = s.openInExcel(`window.officeAtStart = {sheets: ["Data", "Setup"], identity: "6f1f6b6e-6b0e-4a6e-9d58-0a1b2c3d4e5f abcdefghijklmnopqrstuv"}`)
		hands = handsOnBook + `(window.book, window.fake, (event) => window.fake.tell(event))`
	case "Google Sheets":
		p = newPage(s.t, append(elsewhere(s.t, s.proxy.URL), chromedp.Flag("disable-web-security", true))...) // the test looks into the frame
		p.allow("favicon.ico")
		p.beforeLoad(fmt.Sprintf(`window.sheetsAtStart = ["Data", "Setup"];
			location.pathname.startsWith("/addin/") && localStorage.setItem("mooring.session:" + (location.ancestorOrigins[0] ?? location.origin),
				JSON.stringify({access: %q, expires: 1e15}))`, s.bobs))
		p.do(chromedp.Navigate("https://n-0lu-script.googleusercontent.com/"))
		p.within("iframe")
		hands = handsOnBook + `(window.parent.book, window.parent.file, () => {})`
	default:
		p = s.open(s.bobs, `{sheets: {Data: [], Setup: []}}`)
	}
	p.shows("No report stands in this document yet")
	p.eval("(window.hands = " + hands + ", undefined)")
	return handled{page: p, framed: kind == "Google Sheets", follows: kind != "the tests’ port", asks: kind == "Excel"}
}

// selects selects a cell of the sheet.
func (p handled) selects(location string) {
	p.t.Helper()
	p.eval(fmt.Sprintf("(window.hands.select(%q), undefined)", location))
}

// enters types a value into a cell, of which the program may tell.
func (p handled) enters(location string, value any) {
	p.t.Helper()
	p.eval(fmt.Sprintf("(window.hands.type(%q, %s), undefined)", location, jsonOf(p.t, value)))
}

// finds waits until a cell holds a value.
func (p handled) finds(location string, want any) {
	p.t.Helper()
	p.until(fmt.Sprintf("window.hands.cell(%q) === %s", location, jsonOf(p.t, want)))
}

// A report is placed for what stands in a cell; the block tells when the cell says something else, refreshes then, by itself where the person says so,
// and leads to a cell that is refused. Afterwards the person has it shown for a value, and for another cell, beside every kind of spreadsheet.
func TestAReportIsPlacedForACell(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"the tests’ port", "Excel", "Google Sheets"} {
		t.Run(kind, func(t *testing.T) {
			s := newPaneSite(t)
			s.send("POST", "1/reports", `{"name": "Orders of one", "sqlQuery": "SELECT customer, amount FROM orders WHERE customer = @who",
				"parameters": [{"name": "who", "title": "Customer", "type": "text", "allowed": ["Ada", "Ben"], "fromCells": true}]}`)
			p := s.handle(kind)
			p.allow("409") // of the value that is refused
			p.enters("Setup!B2", "Ben")
			p.placesForTheCell()
			p.followsTheCell()
			p.meetsARefusal()
			p.isShownForAnother()
			p.followsARow()
		})
	}
}

// A cell that changes while it is read for the first time is read again.
func TestACellThatChangesWhileItIsReadIsReadAgain(t *testing.T) {
	t.Parallel()
	s := newPaneSite(t)
	s.send("POST", "1/reports", `{"name": "Orders of one", "sqlQuery": "SELECT customer, amount FROM orders WHERE customer = @who",
		"parameters": [{"name": "who", "title": "Customer", "type": "text", "fromCells": true}]}`)
	p := s.handle("the tests’ port")
	p.enters("Setup!B2", "Ben")
	p.placesForTheCell()
	p.eval(`(window.book.onRead = () => { window.book.onRead = null; window.hands.type("Setup!B2", "Ada"); }, undefined)`)
	p.open1("Orders of one")
	p.shows("Setup!B2 says Ada, shown: Ben")
}

// looksRight checks the page where all of it is Mooring's, and keeps pictures.
func (p handled) looksRight(name string) {
	p.t.Helper()
	if p.framed {
		p.keep(name)
		return
	}
	p.page.looksRight(name)
}

// placesForTheCell takes the selected cell as the one that the report is placed for.
func (p handled) placesForTheCell() {
	p.t.Helper()
	p.click("Place a report")
	p.click("Orders of one")
	p.shows("Say what it is to be shown for: Customer.")
	p.choose("Customer: from", "cell")
	p.selects("Setup!B2")
	p.click("Take the selected cell")
	p.until(named("Customer: cell") + `.value === "Setup!B2"`)
	p.selects("Data!B2")
	p.shows("It fills Data!B2:C3.")
	p.shows("These cells are empty.")
	p.looksRight("from a cell")
	p.click("Place it here")
	if p.asks {
		p.click("Refresh here")
	}
	p.shows("“Orders of one” is placed.")
	p.finds("Data!B3", "Ben")
}

// followsTheCell refreshes what the cell says, by hand and by itself.
func (p handled) followsTheCell() {
	p.t.Helper()
	p.open1("Orders of one")
	p.shows("from Setup!B2, shown: Ben")
	p.enters("Setup!B2", "Ada")
	p.shows("Setup!B2 says Ada, shown: Ben")
	p.looksRight("says")
	p.clickOn(`document.getElementById("refresh-values")`)
	p.finds("Data!B3", "Ada")
	p.shows("from Setup!B2, shown: Ada")
	p.tabTo(`document.getElementById("by-itself")`)
	p.press(" ")
	p.until(`window.localStorage.getItem("mooring.follows") && !document.getElementById("by-itself").ariaBusy`)
	p.enters("Setup!B2", "Ben")
	p.finds("Data!B3", "Ben")
}

// meetsARefusal leads to the cell whose value is not allowed; the block stays as it is.
func (p handled) meetsARefusal() {
	p.t.Helper()
	p.enters("Setup!B2", "Cleo")
	p.shows("Setup!B2 holds a value that is not allowed: Ada, Ben")
	p.shows("Setup!B2 says Cleo, shown: Ben")
	p.until(`document.getElementById("refresh-values").closest("[hidden]")`) // it would be refused again
	p.selects("Data!D9")
	p.click("Go to Setup!B2")
	p.until(`JSON.stringify([window.hands.selected().sheet, window.hands.selected().row]) === '["Setup",1]'`)
	p.looksRight("refused")
	p.finds("Data!B3", "Ben")
}

// isShownForAnother has the block shown for a value, and then for another cell: what the name of the first one still stands at does not count.
func (p handled) isShownForAnother() {
	p.t.Helper()
	p.click("Change what it is shown for")
	p.choose("Customer: from", "value")
	p.choose("Customer", "0") // Ada
	p.click("Save the values")
	p.shows("Values changed")
	p.shows("Ada, shown: Ben")
	p.clickOn(`document.getElementById("refresh-values")`)
	p.finds("Data!B3", "Ada")
	p.enters("Setup!C5", "Ben")
	p.choose("Customer: from", "cell")
	p.click("Take the selected cell")
	p.until(named("Customer: cell") + `.value === "Setup!C5"`)
	p.click("Save the values")
	p.shows("Setup!C5 says Ben, shown: Ada")
	p.clickOn(`document.getElementById("refresh-values")`)
	p.finds("Data!B3", "Ben")
	p.shows("from Setup!C5, shown: Ben")
}

// followsARow finds the cell again that a row moved which a person inserts, and no other one in the place of the one that is deleted.
func (p handled) followsARow() {
	p.t.Helper()
	if !p.follows {
		return
	}
	p.eval(`(window.hands.insertRow("Setup"), undefined)`)
	p.shows("from Setup!C6, shown: Ben")
	p.enters("Setup!C6", "Ada")
	p.finds("Data!B3", "Ada")
	p.keep("moved")
	p.shows("from Setup!C6, shown: Ada")
	p.enters("Setup!C7", "Ben")
	p.eval(`(window.hands.deleteRow("Setup", 6), undefined)`)
	p.shows("Setup!C6 was deleted, shown: Ada")
	p.shows("Setup!C6, from which a parameter takes its value, was deleted")
	p.finds("Data!B3", "Ada")
}
