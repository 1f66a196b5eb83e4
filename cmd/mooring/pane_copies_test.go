package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"mooring/refresh/host"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"
	"mooring/storage/storagetest"
)

// The forms in which Office names a workbook, testing/addresses.mjs. The server looks at an address of the web: at the file that is there, or, where
// it is another program's address, at those of its name. Of the other forms it gets the name alone.
const addressForms = 12

const (
	finSite   = "https://contoso.sharepoint.com/sites/fin"
	copyID    = "6f1f6b6e-6b0e-4a6e-9d58-0a1b2c3d4e5f"
	copyNonce = "abcdefghijklmnopqrstuv"
	agentsToo = `document.getElementById("reach").innerText.includes("Agents refresh this workbook too (Finance)")`
)

// copySite is the built program with a library of SharePoint, in which there is a workbook that says which document it is. A block stands
// there, and a pane has the workbook open.
type copySite struct {
	*codeSite
	fake  *graphfake.Server
	drive string
	block string // its placement
	page  *page
}

func newCopySite(t *testing.T, file string) *copySite {
	t.Helper()
	fake := graphfake.Start()
	t.Cleanup(fake.Close)
	fake.AddSite(finSite, graphfake.Write, "Shared Documents")
	s := &copySite{fake: fake, drive: graphfake.DriveOf(finSite, "Shared Documents")}
	fake.AddTo(s.drive, file, "01PLAN", book.New(graphfake.Rows, graphfake.Columns, "Data"))
	fake.Edit("01PLAN", func(b *book.Book) {
		b.AddName(book.Name{Name: "_mooring_document", Text: copyID + " " + copyNonce, Hidden: true})
	})
	s.codeSite = newCodeSiteWith(t, storagetest.Redis(t), 1, fmt.Sprintf(
		"[{name: Finance, kind: graph, tenantId: %s, clientId: %s, clientSecret: %s, endpoint: %q, tokenEndpoint: %q, sites: [%s], requestsPerMinute: 900}]",
		graphfake.Tenant, graphfake.ClientID, graphfake.ClientSecret, fake.URL, fake.TokenURL, finSite))
	s.send("POST", "1/reports", `{"name": "Orders", "sqlQuery": "SELECT id, customer, amount FROM orders"}`)
	s.send("PUT", "1/reports/1/connect-workbook", fmt.Sprintf(
		`{"externalWorkbookId": %q, "nonce": %q, "resultLocation": "Data!B2", "host": "SHEETS_B", "addressOnly": true, "workbookName": "Plan.xlsx"}`, copyID, copyNonce))
	s.block = s.blocks(copyID)[0]
	p := newPage(t, elsewhere(t, s.base)...)
	p.allow("favicon.ico")
	p.beforeLoad(fmt.Sprintf(`if (location.pathname.startsWith("/addin/")) {
		localStorage.setItem("mooring.session:" + location.origin, JSON.stringify({access: %q, expires: 1e15}));
		localStorage.setItem("mooring.seen", JSON.stringify([JSON.stringify([%q, ""])])); // placed before it was stored
	}`, s.bobs, copyID+" "+copyNonce))
	s.page = p
	return s
}

// blocks are the ids of what stands in a document.
func (s *copySite) blocks(document string) (ids []string) {
	s.t.Helper()
	var list struct {
		Items []struct{ Placement struct{ ID string } }
	}
	if err := json.Unmarshal(s.account("GET", "external-documents/"+document+"/placements", ""), &list); err != nil {
		s.t.Fatal(err)
	}
	for _, item := range list.Items {
		ids = append(ids, item.Placement.ID)
	}
	return ids
}

// open opens the workbook in Excel, which says where it is: a member of window.officeAtStart.
func (s *copySite) open(where string) {
	s.t.Helper()
	s.page.beforeLoad(fmt.Sprintf(`window.officeAtStart = {%s, identity: %q, marks: {%q: {row: 1, column: 1, rows: 4, columns: 3}}}`,
		where, copyID+" "+copyNonce, host.MarkerName(s.block)))
	s.page.do(chromedp.Navigate(s.base + "/addin/?host=excel"))
	s.page.shows("Orders")
}

// asks refreshes, and reports whether a person is asked before anything is written.
func (s *copySite) asks() bool {
	s.t.Helper()
	p := s.page
	p.click("Refresh")
	p.click("All blocks")
	// Where the server takes longer to find out than the pane waits, the pane asks by itself later.
	p.until(`document.querySelector("dialog") || document.getElementById("notice").innerText.includes("1 block refreshed")`)
	if !evalAs[bool](p, `!!document.querySelector("dialog")`) {
		return false
	}
	if !evalAs[bool](p, `book.sheets[0].cell(1, 1).value === null`) {
		s.t.Error("it was written before")
	}
	return true
}

// Of no form of address a person is asked whether the file is a copy that is none.
func TestPaneAsksNothingOfAFileWhateverTheAddress(t *testing.T) {
	t.Parallel()
	s := newCopySite(t, "Pläne/Plan.xlsx")
	questions := 0
	for form := range addressForms {
		s.open(fmt.Sprintf(`name: "Plan.xlsx", form: %d`, form))
		s.page.until(agentsToo)
		if s.asks() {
			questions++
			t.Errorf("form %d: %s", form, s.page.text("dialog"))
		}
	}
	t.Logf("false questions: %d of %d forms", questions, addressForms)
}

// A copy in the library is told before anything is written, by its address or its name, and one on this computer if it is made while the pane is
// open.
func TestPaneKnowsCopiesByTheirAddress(t *testing.T) {
	t.Parallel()
	const question = "This is a copy: give it its own placements?"
	s := newCopySite(t, "Original.xlsx")
	p := s.page
	original := fmt.Sprintf(`name: "Original.xlsx", address: %q`, s.fake.Address("01PLAN"))
	s.open(original)
	p.until(agentsToo)

	s.fake.Copy("01PLAN", s.drive, "Pläne/Plan.xlsx")
	p.eval(`(Object.assign(window.file, window.forms[0]), 0)`) // Save As: the server has never been asked about that address
	if !s.asks() {
		t.Errorf("no question where it is saved in the site: %s", p.text("body"))
	}
	p.click("Not now")
	p.until("!document.querySelector(`dialog`)")
	if !s.asks() {
		t.Error("no question at the second time")
	}
	for _, local := range []int{3, 4, 5} {
		s.open(original)
		p.until(agentsToo)
		p.eval(fmt.Sprintf(`(Object.assign(window.file, window.forms[%d]), 0)`, local))
		if !s.asks() {
			t.Errorf("form %d: no question where it is saved on this computer", local)
		}
		p.shows(question)
	}

	told := 0
	for form := range addressForms {
		s.open(fmt.Sprintf(`name: "Plan.xlsx", form: %d`, form))
		p.shows(question)
		told++
	}
	t.Logf("copies told when they are opened: %d of %d forms", told, addressForms)

	s.open(`name: "Plan.xlsx", form: 0`)
	p.shows(question)
	p.looksRight("copy")
	p.click("Not now")
	p.until(`document.getElementById("reach").innerText.includes("This is a copy: agents refresh the original (Finance), not this file.")`)
	p.looksRight("copy-later")
	p.click("Look again")
	p.shows(question)
	p.click("Give it its own")
	p.shows("1 block now belongs to this copy.")
	own, _, _ := strings.Cut(strings.TrimPrefix(evalAs[string](p, "book.names.find(({name}) => name === `_mooring_document`).text"), `="`), " ")
	if got := s.blocks(own); own == copyID || len(got) != 1 || got[0] == s.block {
		t.Errorf("%s has %v", own, got)
	}
	if got := s.blocks(copyID); len(got) != 1 || got[0] != s.block {
		t.Errorf("the original has %v", got)
	}
}
