package graph_test

import (
	"testing"

	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// rig is a host, the fake it talks to, and a workbook there of two sheets.
type rig struct {
	*graphfake.Server
	hosttest.BookEditor
	host  *graph.Workbooks
	clock *hosttest.Clock
}

const doc = "01CYZLFJGUJ7JHBSZDFZFL25KSZGQTVAUN"

func newRig(t testing.TB, options ...func(*graph.Settings)) rig {
	t.Helper()
	fake := graphfake.Start()
	t.Cleanup(fake.Close)
	fake.Add(doc, book.New(graphfake.Rows, graphfake.Columns, "Data", "Other"))
	c := hosttest.NewClock()
	o := graph.Settings{
		TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret, Drives: []string{graphfake.Drive},
		Endpoint: fake.URL, TokenEndpoint: fake.TokenURL, PerMinute: -1, Now: c.Now,
	}
	for _, option := range options {
		option(&o)
	}
	h, err := graph.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return rig{
		Server: fake, host: h, clock: c,
		BookEditor: hosttest.BookEditor{Change: func(edit func(*book.Book)) { fake.Edit(doc, edit) }},
	}
}

func TestConforms(t *testing.T) {
	for _, row := range []struct {
		fact string
		set  func(rig)
		rows int
	}{
		{"as documented", func(rig) {}, 30_000}, // two batches of ranges to read, and two to write
		{"tags that lag", func(r rig) { r.LagTags(doc) }, 5_000},
		{"no sessions for applications", func(r rig) { r.RefuseSessions() }, 5_000},
		{"cells of the format @", func(r rig) { r.TextCells(doc, 60, 40) }, 5_000},
	} {
		t.Run(row.fact, func(t *testing.T) {
			hosttest.Run(t, func(t *testing.T) hosttest.Spreadsheet {
				r := newRig(t)
				row.set(r)
				return hosttest.Spreadsheet{
					Host: r.host, Document: doc, Sheet: "Data", Other: "Other", Editor: r.BookEditor, State: r.State,
					Deny: func(testing.TB) { r.Deny(doc) }, LargestRows: row.rows,
					Count1904: func(testing.TB) { r.Edit(doc, func(b *book.Book) { b.Date1904 = true }) },
				}
			})
		})
	}
}
