package marks

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/host/google"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// mooring is an engine between the records of models and documents of one host.
type mooring struct {
	*testing.T
	store   *storage.Store
	engine  *refresh.Engine
	records *records
	kind    placements.Host
	add     func(name string) (document, func(*mooredBlock) placed)
	file    bool // documents are workbooks on disk
}

var marksDeployment = record.Deployment{Tenant: "acme", ID: 1}

// newMooring makes an engine with a host.
func newMooring(t *testing.T, kind placements.Host, h host.Driver) *mooring {
	m := &mooring{T: t, store: storagetest.Open(t, "embedded"), records: &records{of: map[string][]*item{}}, kind: kind}
	m.engine = refresh.New(refresh.Config{
		Store: m.store, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]refresh.Tenant{"acme": {
			Deployments: map[int64]refresh.DeploymentSource{1: {Source: m.records, Location: time.UTC}},
			Hosts:       []refresh.Spreadsheets{{Kind: kind, Driver: h}},
		}},
	})
	return m
}

func byAgent(b *mooredBlock) placed { return b }

// mooringFiles has workbooks on disk.
func mooringFiles(t *testing.T) *mooring {
	dir := t.TempDir()
	h, err := xlsx.New(dir)
	must(t, err)
	m := newMooring(t, placements.SheetsB, h)
	m.file = true
	m.add = func(name string) (document, func(*mooredBlock) placed) { return newFile(t, dir, name), byAgent }
	return m
}

// mooringGoogle has documents of the fake of Google Sheets.
func mooringGoogle(t *testing.T) *mooring {
	fake, err := googlefake.Start()
	must(t, err)
	t.Cleanup(fake.Close)
	h, err := google.New(google.Settings{Credentials: fake.ServiceAccount(), Endpoint: fake.URL, PerUser: -1, PerProject: -1})
	must(t, err)
	m := newMooring(t, placements.SheetsA, h)
	m.add = func(name string) (document, func(*mooredBlock) placed) {
		fake.Requests() // which it keeps until then
		fake.Add(name, book.New(200, seenColumns, "Data", "Other"))
		return bookDocument{func(change func(*book.Book)) { fake.Edit(name, change) }}, byAgent
	}
	return m
}

// mooringGraph has workbooks of the fake of Microsoft Graph.
func mooringGraph(t *testing.T) *mooring {
	fake := graphfake.Start()
	t.Cleanup(fake.Close)
	h, err := graph.New(graph.Settings{
		TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret, Drives: []string{graphfake.Drive},
		Endpoint: fake.URL, TokenEndpoint: fake.TokenURL, PerMinute: -1,
	})
	must(t, err)
	m := newMooring(t, placements.SheetsB, h)
	m.add = func(name string) (document, func(*mooredBlock) placed) {
		fake.Add(name, book.New(graphfake.Rows, graphfake.Columns, "Data", "Other"))
		return bookDocument{func(change func(*book.Book)) { fake.Edit(name, change) }}, byAgent
	}
	return m
}

// mooredBlock is the block of a report in a document.
type mooredBlock struct {
	*mooring
	report   int64
	document string
	query    string
}

// place connects a report at the block of a model in a new document.
func (m *mooring) place(of *model) (document, placed) {
	m.Helper()
	b := &mooredBlock{mooring: m, query: fmt.Sprint("records ", m.records.len())}
	in := record.ReportInput{Name: placements.Sent(b.query), SQLQuery: placements.Sent(b.query), Source: placements.Sent(string(m.kind))}
	if of.keyed {
		in.RowKey = placements.Sent([]string{"key"})
	}
	report, err := m.store.Reports().Create(m.Context(), marksDeployment, in, record.Actor{ID: 7})
	must(m.T, err)
	b.report, b.document = report.ID, fmt.Sprintf("document_%d.xlsx", report.ID)
	d, by := m.add(b.document)
	c := placements.Connection{
		ExternalWorkbookID: b.document, Host: m.kind, ResultLocation: "Data!" + of.top.String(), AddressOnly: true,
		Options: placements.Options{ShiftRows: placements.Sent(true)},
	}
	first, _ := split(of.in(0, twiceColumn))
	last, _ := split(of.in(0, noteColumn))
	c.FillRight = placements.Sent(first + ":" + last)
	_, err = m.store.Placements().Connect(m.Context(), marksDeployment, b.report, c, marksActor, nil, true)
	must(m.T, err)
	return d, by(b)
}

var marksActor = record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}

// refresh lets an agent refresh the block.
func (b *mooredBlock) refresh(source []*item) (*record.Run, error) {
	b.records.set(b.query, source)
	return b.engine.Execute(b.Context(), marksDeployment, refresh.Request{Target: record.RunTarget{ReportID: b.report}, By: marksActor})
}

// records is a source whose queries name the records of a model.
type records struct {
	mu sync.Mutex
	of map[string][]*item
}

func (s *records) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.of)
}

func (s *records) set(query string, source []*item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[query] = source
}

// Query implements source.Source.
func (s *records) Query(_ context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.Append(checksum.Str("key"), checksum.Str("a"), checksum.Str("b"))
	for _, it := range s.of[q.SQL] {
		b.Append(checksum.Str(it.key), checksum.Num(float64(it.numbers[0])), checksum.Num(float64(it.numbers[1])))
	}
	return []source.Column{{Name: "key"}, {Name: "a"}, {Name: "b"}}, q.Memory.Grow(b.Size())
}

func (*records) PerUser() bool               { return false }
func (*records) Check(context.Context) error { return nil }
func (*records) Close() error                { return nil }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
