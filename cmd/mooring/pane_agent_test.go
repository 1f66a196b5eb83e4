package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/source/sqlite"
	"mooring/storage/storagetest"
)

// officeBook is a workbook as the fake of Office.js has it.
type officeBook struct {
	Names []struct {
		Name, Text                 string
		Marks                      bool
		Row, Column, Rows, Columns int
	}
	Cells []struct {
		Row, Column int
		Value       any
	}
}

// upload puts what the fake of Office.js has into the file that it has open, as Excel does while it saves.
func upload(p *page, fake *graphfake.Server, item string) {
	is := evalAs[officeBook](p, `({
		Names: book.names.map(({name, text, sheet, area}) => ({Name: name, Text: (text ?? "").replace(/^="|"$/g, ""), Marks: !!sheet,
			Row: area?.row ?? 0, Column: area?.column ?? 0, Rows: area?.rows ?? 0, Columns: area?.columns ?? 0})),
		Cells: Array.from({length: 400}, (_, i) => [Math.floor(i / 20), i % 20]).map(([row, column]) => (
			{Row: row, Column: column, Value: book.sheets[0].cell(row, column).value})).filter((cell) => cell.Value !== null),
	})`)
	fake.Edit(item, func(b *book.Book) {
		for _, c := range is.Cells {
			b.Sheets[0].Set(c.Row, c.Column, c.Value)
		}
		for _, n := range is.Names {
			name := book.Name{Name: n.Name, Text: n.Text, Hidden: true}
			if n.Marks {
				name.Text, name.Sheet, name.Rect = "", b.Sheets[0], book.Region{Row: n.Row, Column: n.Column, Rows: n.Rows, Columns: n.Columns}
			}
			b.AddName(name)
		}
	})
}

// What is placed in Excel is refreshed by an agent at its tick, in the file that the pane had open, and the pane shows that run.
func TestAnAgentRefreshesWhatWasPlacedInExcel(t *testing.T) {
	t.Parallel()
	fake := graphfake.Start()
	t.Cleanup(fake.Close)
	fake.AddSite(teamSite, graphfake.Write, "Documents")
	fake.AddTo(graphfake.DriveOf(teamSite, "Documents"), "Plans/book.xlsx", "01BOOK", book.New(graphfake.Rows, graphfake.Columns, "Data"))
	s := newCodeSiteWith(t, storagetest.Redis(t), 1, fmt.Sprintf(
		"[{name: Finance, kind: graph, tenantId: %s, clientId: %s, clientSecret: %s, endpoint: %q, tokenEndpoint: %q, sites: [%s], requestsPerMinute: 900}]",
		graphfake.Tenant, graphfake.ClientID, graphfake.ClientSecret, fake.URL, fake.TokenURL, teamSite))
	s.send("POST", "1/reports", `{"name": "Orders", "sqlQuery": "SELECT id, customer, amount FROM orders ORDER BY id"}`)

	p := newPage(t, elsewhere(t, s.base)...)
	p.allow("favicon.ico")
	p.beforeLoad(fmt.Sprintf(`if (location.pathname.startsWith("/addin/")) {
		localStorage.setItem("mooring.session:" + location.origin, JSON.stringify({access: %q, expires: 1e15}));
		window.officeAtStart ??= {address: %q};
	}`, s.bobs, fake.Address("01BOOK")))
	p.do(chromedp.Navigate(s.base + "/addin/?host=excel"))
	p.shows("No report stands in this document yet")
	p.click("Place a report")
	p.click("Orders")
	p.click("Place it here")
	p.shows("“Orders” is placed.")
	upload(p, fake, "01BOOK")
	saved := time.Now()
	p.until(`document.getElementById("reach").innerText.includes("Agents refresh this workbook too (Finance)")`)
	t.Logf("saved to linked: %s", time.Since(saved).Round(time.Millisecond))
	p.looksRight("linked")
	identity := host.ParseIdentity(evalAs[string](p, `book.names.find(({name}) => name === "_mooring_document").text`))
	p.do(chromedp.Navigate("about:blank")) // closed

	if err := sqlite.Exec(t.Context(), filepath.Join(filepath.Dir(s.config), "shop.db"), []string{"INSERT INTO orders VALUES (4, 'Dora', 17)"}, nil); err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID       int
		Warnings []any
	}
	if err := json.Unmarshal(s.send("POST", "1/refresh-schedules", fmt.Sprintf(
		`{"cron": "* * * * *", "timezone": "UTC", "target": {"reportId": 1, "externalWorkbookId": %q}}`, identity.Document)), &made); err != nil {
		t.Fatal(err)
	}
	if len(made.Warnings) != 0 {
		t.Errorf("warnings %v", made.Warnings)
	}
	for until := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		var there []any
		fake.Edit("01BOOK", func(b *book.Book) {
			for row := range 5 {
				there = append(there, b.Sheets[0].Cell(row, 1).Value)
			}
		})
		if slices.Contains(there, any("Dora")) {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("no agent has refreshed the file: %v", there)
		}
	}
	marks := map[string]map[string]int{}
	fake.Edit("01BOOK", func(b *book.Book) {
		for _, n := range b.Names {
			if host.IsMarker(n.Name) {
				marks[n.Name] = map[string]int{"row": n.Rect.Row, "column": n.Rect.Column, "rows": n.Rect.Rows, "columns": n.Rect.Columns}
			}
		}
	})
	p.beforeLoad(fmt.Sprintf(`window.officeAtStart = {address: %q, identity: %q, marks: %s}`, fake.Address("01BOOK"), identity.String(), jsonOf(t, marks)))
	p.do(chromedp.Navigate(s.base + "/addin/?host=excel"))
	p.shows("Orders")
	p.until(`document.getElementById("reach").innerText.includes("Agents refresh this workbook too (Finance)")`)
	p.open1("Orders")
	p.shows("by schedule")
	p.looksRight("refreshed")
	var list struct {
		Items []struct {
			Placement placements.Placement
		}
	}
	if err := json.Unmarshal(s.account("GET", "external-documents/01BOOK/placements", ""), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Placement.WorkbookID != identity.Document {
		t.Errorf("under the item's id there is %+v", list.Items)
	}
}
