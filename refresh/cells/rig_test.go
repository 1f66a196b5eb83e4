package cells

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	_ "modernc.org/sqlite" // the test fills the source

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/host/google"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/host/hosttest/workbook"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	filesource "mooring/refresh/source/files"
	"mooring/refresh/source/sqlite"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func TestMain(m *testing.M) {
	sqlite.RunAsChild()
	filesource.RunAsChild()
	os.Exit(m.Run())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var (
	deployment = record.Deployment{Tenant: "acme", ID: 1}
	owner      = record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}
)

// documents are those of one host, which counts what is asked of it.
type documents struct {
	kind   placements.Host
	driver host.Driver
	add    func(name string) hosttest.Spreadsheet // of the sheets Data and Other
	asked  func() int                             // requests, or files opened, since it was last called
	unname func(document string)                  // takes the names of parameters' cells away
}

// everyHost makes the documents of each host.
var everyHost = map[string]func(*testing.T) documents{"xlsx": files, "google": sheets, "graph": workbooks}

func files(t *testing.T) documents {
	dir := t.TempDir()
	h, err := xlsx.New(dir)
	must(t, err)
	o := &hosttest.CountingDriver{Driver: h}
	return documents{placements.SheetsB, o, func(name string) hosttest.Spreadsheet {
		path := filepath.Join(dir, name)
		workbook.New(t, path, "Data", "Other")
		return hosttest.Spreadsheet{
			Document: name, Sheet: "Data", Other: "Other", Editor: workbook.Editor{Path: path}, SeesMerges: true,
			State: func(t testing.TB) string {
				text, err := os.ReadFile(path)
				must(t, err)
				return fmt.Sprintf("%x", sha256.Sum256(text))
			},
			Count1904: func(t testing.TB) { workbook.Count1904(t, path) },
			Deny:      func(t testing.TB) { must(t, os.WriteFile(path, []byte("no workbook"), 0o600)) },
		}
	}, func() int { return int(o.Opens.Swap(0)) }, func(name string) {
		workbook.Editor{Path: filepath.Join(dir, name)}.Edit(t, func(f *excelize.File) error {
			for _, n := range f.GetDefinedName() {
				if isOfParameter(n.Name) {
					must(t, f.DeleteDefinedName(&n))
				}
			}
			return nil
		})
	}}
}

func isOfParameter(name string) bool { return strings.HasPrefix(strings.ToLower(name), "_mooring_p_") }

// unnamed takes the names of parameters' cells out of a document of a fake.
func unnamed(b *book.Book) {
	for _, n := range slices.Clone(b.Names) {
		if isOfParameter(n.Name) {
			b.DeleteName(n.Name)
		}
	}
}

func sheets(t *testing.T) documents {
	_, of := googleSheets(t)
	return of
}

func googleSheets(t *testing.T) (*googlefake.Server, documents) {
	fake, err := googlefake.Start()
	must(t, err)
	t.Cleanup(fake.Close)
	h, err := google.New(google.Settings{Credentials: fake.ServiceAccount(), Endpoint: fake.URL, PerUser: -1, PerProject: -1})
	must(t, err)
	return fake, documents{placements.SheetsA, h, func(name string) hosttest.Spreadsheet {
		fake.Add(name, book.New(100, 30, "Data", "Other"))
		e := hosttest.BookEditor{Change: func(change func(*book.Book)) { fake.Edit(name, change) }}
		return hosttest.Spreadsheet{
			Document: name, Sheet: "Data", Other: "Other", Editor: e, State: e.State, SeesMerges: true, ForgetsNames: true,
			Deny: func(testing.TB) { fake.Deny(name) },
		}
	}, func() int { return len(fake.Requests()) }, func(name string) { fake.Edit(name, unnamed) }}
}

func workbooks(t *testing.T) documents {
	fake := graphfake.Start()
	t.Cleanup(fake.Close)
	h, err := graph.New(graph.Settings{
		TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret, Drives: []string{graphfake.Drive},
		Endpoint: fake.URL, TokenEndpoint: fake.TokenURL, PerMinute: -1,
	})
	must(t, err)
	return documents{placements.SheetsB, h, func(name string) hosttest.Spreadsheet {
		fake.Add(name, book.New(graphfake.Rows, graphfake.Columns, "Data", "Other"))
		e := hosttest.BookEditor{Change: func(change func(*book.Book)) { fake.Edit(name, change) }}
		return hosttest.Spreadsheet{
			Document: name, Sheet: "Data", Other: "Other", Editor: e, State: e.State,
			Deny:      func(testing.TB) { fake.Deny(name) },
			Count1904: func(testing.TB) { fake.Edit(name, func(b *book.Book) { b.Date1904 = true }) },
		}
	}, func() int { return len(fake.Requests()) }, func(name string) { fake.Edit(name, unnamed) }}
}

// bound is a real source that notes the values with which it is queried.
type bound struct {
	source.Source
	source.Binder
	mu      sync.Mutex
	queries []placements.Arguments
	during  func(n int) // what happens during the n-th query; nil: nothing
}

func (s *bound) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.mu.Lock()
	s.queries = append(s.queries, q.Parameters)
	n, during := len(s.queries), s.during
	s.mu.Unlock()
	columns, err := s.Source.Query(ctx, q, b)
	if during != nil {
		during(n)
	}
	return columns, err
}

func (*bound) PerUser() bool { return false }

// asked is how many queries were made since it was last called.
func (s *bound) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.queries)
	s.queries = nil
	return n
}

// rig is an engine between a source and documents, one of which it has.
type rig struct {
	*testing.T
	documents
	hosttest.Spreadsheet
	store   *storage.Store
	engine  *refresh.Engine
	source  *bound
	report  int64
	options placements.Options // of what is placed
}

// newRig makes one between a source and the documents of a host.
func newRig(t *testing.T, of documents, src source.Source) *rig {
	t.Helper()
	binder, ok := src.(source.Binder)
	if !ok {
		t.Fatalf("%T takes no parameters", src)
	}
	r := &rig{T: t, documents: of, store: storagetest.Open(t, "embedded"), source: &bound{Source: src, Binder: binder}}
	r.Spreadsheet = r.add("document.xlsx")
	r.engine = refresh.New(refresh.Config{
		Store: r.store, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]refresh.Tenant{deployment.Tenant: {
			Deployments: map[int64]refresh.DeploymentSource{deployment.ID: {Source: r.source, Location: time.UTC}},
			Hosts:       []refresh.Spreadsheets{{Kind: of.kind, Driver: of.driver}},
		}},
	})
	return r
}

// eachHost runs a test on each host, with a file of SQLite as the source: numbered texts.
func eachHost(t *testing.T, test func(r *rig)) {
	for name, of := range everyHost {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newRig(t, of(t), texts(t)))
		})
	}
}

// texts is a file of SQLite with numbered texts.
func texts(t *testing.T) source.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "texts.db")
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE texts (n INTEGER PRIMARY KEY, t TEXT);
		INSERT INTO texts (t) VALUES ('a'), ('b'), ('c'), ('d'), ('x'), ('y'), ('z'), ('cell'), ('moved'), ('North'), ('South')`)
	must(t, err)
	src, err := (&sqlite.Config{Path: path}).Open(t.Context())
	must(t, err)
	t.Cleanup(func() { must(t, src.Close()) })
	return src
}

// asks makes a report of a query and its parameters.
func (r *rig) asks(q source.Query, of ...placements.Parameter) {
	r.Helper()
	in := record.ReportInput{
		Name: placements.Sent("Texts"), Source: placements.Sent(string(r.kind)), Parameters: placements.Sent(of),
		Judge: func(d *record.Definition) []placements.Detail { return r.engine.ParameterFaults(deployment, d) },
	}
	if in.SQLQuery = placements.Sent(q.SQL); q.SQL == "" {
		in.SQLQuery, in.JSONQuery = placements.Optional[string]{}, placements.Sent(q.JSON)
	}
	report, err := r.store.Reports().Create(r.Context(), deployment, in, owner)
	must(r.T, err)
	r.report = report.ID
}

// asksSQL is asks of a sqlQuery.
func (r *rig) asksSQL(sql string, of ...placements.Parameter) {
	r.Helper()
	r.asks(source.Query{SQL: sql}, of...)
}

// place places the report in a document, at a cell of the sheet Data, or says anew what the placement there says of parameters.
func (r *rig) place(document, at string, said placements.ParameterSettings) placements.Placement {
	r.Helper()
	c, err := r.store.Placements().Connect(r.Context(), deployment, r.report, placements.Connection{
		ExternalWorkbookID: document, Host: r.kind, ResultLocation: "Data!" + at, AddressOnly: true, Parameters: placements.Sent(said), Options: r.options,
	}, owner, nil, true)
	must(r.T, err)
	return *c.Placement
}

// refresh lets an agent make a run of the report.
func (r *rig) refresh() *record.Run {
	r.Helper()
	run, err := r.engine.Execute(r.Context(), deployment, refresh.Request{Target: record.RunTarget{ReportID: r.report}, By: owner})
	must(r.T, err)
	return run
}

// succeeds is refresh for a run that does.
func (r *rig) succeeds() *record.Run {
	r.Helper()
	run := r.refresh()
	if run.State != placements.RunSucceeded {
		r.Fatalf("run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
	}
	return run
}

// conflicts is refresh for a run that fails with a conflict, and leaves the document as it is.
func (r *rig) conflicts(fact, want string) {
	r.Helper()
	before := r.State(r.T)
	run := r.refresh()
	if run.State != placements.RunFailed || run.ErrorClass != placements.Conflict || run.Error != want {
		r.Errorf("%s: run is %s (%s: %s), want a conflict: %s", fact, run.State, run.ErrorClass, run.Error, want)
	}
	if clash := run.Placements[0].Clash; clash == nil || clash.Values != (clash.Room == nil) {
		r.Errorf("%s: what ends the conflict is %+v: other values, unless the block has no room", fact, clash)
	}
	if r.State(r.T) != before {
		r.Errorf("%s: the document was changed", fact)
	}
}

// holds checks what a cell of the sheet Data holds.
func (r *rig) holds(fact, cell string, want checksum.Cell) {
	r.Helper()
	if got, _ := r.Editor.Get(r.T, r.Sheet, cell); got != want {
		r.Errorf("%s: %s holds %v, want %v", fact, cell, got, want)
	}
}

// stands is the first placement of the report as it is recorded.
func (r *rig) stands() placements.Placement {
	r.Helper()
	report, err := r.store.Reports().Get(r.Context(), deployment, r.report)
	must(r.T, err)
	return report.Placements[0].Placement
}

// fromCell is a parameter that may come from cells.
func fromCell(name string, is placements.ParameterType) placements.Parameter {
	return placements.Parameter{Name: name, Type: is, FromCells: true}
}

func (r *rig) types(cell, text string) {
	r.Helper()
	r.Editor.Set(r.T, r.Other, cell, checksum.Str(text))
}

// inCell says that one parameter comes from a cell of the sheet Other.
func inCell(name, cell string) placements.ParameterSettings {
	return placements.ParameterSettings{name: {Cell: "Other!" + cell}}
}

// declares gives the report other parameters.
func (r *rig) declares(of ...placements.Parameter) {
	r.Helper()
	r.update(record.ReportInput{Parameters: placements.Sent(of)})
}

func (r *rig) update(in record.ReportInput) {
	r.Helper()
	_, err := r.store.Reports().Update(r.Context(), deployment, r.report, in, owner, func(*storage.Report) error { return nil })
	must(r.T, err)
}
