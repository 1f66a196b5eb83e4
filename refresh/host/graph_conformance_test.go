package host_test

import (
	"testing"

	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/host/hosttest/graphfake"
)

// graphRig is a host, the fake it talks to, and a workbook there of two sheets.
type graphRig struct {
	*graphfake.Server
	bookEditor
	host  *host.Graph
	clock *clock
}

const graphDoc = "01CYZLFJGUJ7JHBSZDFZFL25KSZGQTVAUN"

func newGraphRig(t testing.TB, options ...func(*host.GraphOptions)) graphRig {
	t.Helper()
	fake := graphfake.Start()
	t.Cleanup(fake.Close)
	fake.Add(graphDoc, book.New(graphfake.Rows, graphfake.Columns, "Data", "Other"))
	c := newClock()
	o := host.GraphOptions{
		TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret, Drive: graphfake.Drive,
		Endpoint: fake.URL, TokenEndpoint: fake.TokenURL, PerMinute: -1, Now: c.Now,
	}
	for _, option := range options {
		option(&o)
	}
	h, err := host.NewGraph(o)
	if err != nil {
		t.Fatal(err)
	}
	return graphRig{
		Server: fake, host: h, clock: c,
		bookEditor: bookEditor{func(edit func(*book.Book)) { fake.Edit(graphDoc, edit) }},
	}
}

func TestGraphConforms(t *testing.T) {
	for _, row := range []struct {
		fact string
		set  func(graphRig)
		rows int
	}{
		{"as documented", func(graphRig) {}, 0},
		{"tags that lag", func(r graphRig) { r.LagTags(graphDoc) }, 5_000},
		{"no sessions for applications", func(r graphRig) { r.RefuseSessions() }, 5_000},
		{"cells of the format @", func(r graphRig) { r.TextCells(graphDoc, 60, 40) }, 5_000},
	} {
		t.Run(row.fact, func(t *testing.T) {
			hosttest.Run(t, func(t *testing.T) hosttest.Book {
				r := newGraphRig(t)
				row.set(r)
				return hosttest.Book{
					Host: r.host, Document: graphDoc, Sheet: "Data", Other: "Other", Editor: r.bookEditor, State: r.state,
					Deny: func(testing.TB) { r.Deny(graphDoc) }, LargestRows: row.rows,
				}
			})
		})
	}
}
