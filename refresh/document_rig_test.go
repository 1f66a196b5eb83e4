package refresh

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
)

// desk is an engine between a source and documents in memory, which count what is done to them.
type desk struct {
	*testing.T
	store   *storage.Store
	address string // of the storage, if a test has set it
	engine  *Engine
	books   *shelf
	tables  *tables
	log     *lockedBuffer
	reports []int64
}

var deskDeployment = record.Deployment{Tenant: "acme", ID: 1}

// newDesk makes n reports, each with one placement in the document "book", side by side.
func newDesk(t *testing.T, s *storage.Store, n int) *desk {
	t.Helper()
	d := &desk{T: t, store: s, books: &shelf{books: map[string]*memoryBook{}}, tables: &tables{version: 1}, log: new(lockedBuffer)}
	d.engine = d.another()
	must(t, s.Work().Queue.Prepare(t.Context()))
	for i := range n {
		report, err := s.Reports().Create(t.Context(), deskDeployment, record.ReportInput{
			Name: placements.Sent(fmt.Sprint("Report ", i)), SQLQuery: placements.Sent(fmt.Sprint("q", i)),
			Source: placements.Sent("SHEETS_B"),
		}, record.Actor{ID: 7})
		must(t, err)
		d.reports = append(d.reports, report.ID)
		d.connect(i, "book", placements.Anchor{Column: 3 * i}.String())
	}
	return d
}

// another is an engine as another process has it.
func (d *desk) another(change ...func(*Config)) *Engine {
	c := Config{
		Store: d.store, Log: slog.New(slog.NewTextHandler(d.log, nil)),
		Tenants: map[string]Tenant{"acme": {
			Deployments: map[int64]DeploymentSource{1: {Source: d.tables, Location: time.UTC}},
			Hosts:       []Spreadsheets{{Kind: placements.SheetsB, Driver: d.books}},
		}},
	}
	for _, f := range change {
		f(&c)
	}
	return New(c)
}

// connect places the i-th report there.
func (d *desk) connect(i int, document, cell string) placements.Placement {
	d.Helper()
	c, err := d.store.Placements().Connect(d.Context(), deskDeployment, d.reports[i], placements.Connection{
		ExternalWorkbookID: document, ResultLocation: "Data!" + cell, AddressOnly: true,
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(d.T, err)
	return *c.Placement
}

// ask asks for a run of the i-th report.
func (d *desk) ask(i int, r Request) string {
	d.Helper()
	r.Target.ReportID, r.By = d.reports[i], record.Actor{ID: 7}
	run, err := d.engine.Start(d.Context(), deskDeployment, r)
	must(d.T, err)
	return run.ID
}

// askAll asks for a run of every report.
func (d *desk) askAll() []string {
	d.Helper()
	runs := make([]string, len(d.reports))
	for i := range d.reports {
		runs[i] = d.ask(i, Request{})
	}
	return runs
}

// agent is an agent of an engine that works on what it is given.
func (d *desk) agent(e *Engine, name string) *agent {
	return &agent{engine: e, name: name, slots: make(chan struct{}, 32), work: d.Context()}
}

// take claims up to count of what is queued for the agent.
func (d *desk) take(a *agent, count int) {
	d.Helper()
	list, err := d.store.Work().Queue.Take(d.Context(), a.name, count, -1)
	must(d.T, err)
	a.start(d.Context(), list, time.Now())
}

// work lets one agent end everything that is queued.
func (d *desk) work() {
	d.Helper()
	a := d.agent(d.engine, "a")
	d.take(a, 32)
	a.running.Wait()
}

func (d *desk) run(id string) *record.Run {
	d.Helper()
	run, err := d.store.Queue().Runs.Get(d.Context(), deskDeployment, id)
	must(d.T, err)
	return run
}

// succeeded checks that the runs did, at their first attempt, and that nothing was worth a warning.
func (d *desk) succeeded(runs ...string) {
	d.Helper()
	for _, id := range runs {
		if run := d.run(id); run.State != placements.RunSucceeded || run.Attempt != 1 {
			d.Errorf("run %s is %s after attempt %d (%s: %s), want SUCCEEDED after 1", id, run.State, run.Attempt, run.ErrorClass,
				run.Error)
		}
	}
	d.quiet()
}

func (d *desk) quiet() {
	d.Helper()
	if log := d.log.String(); strings.Contains(log, "level=WARN") || strings.Contains(log, "level=ERROR") {
		d.Errorf("the log says:\n%s", log)
	}
}

// shows checks that the i-th report's block shows its table, as of a version.
func (d *desk) shows(i, version int) {
	d.Helper()
	b := d.books.book("book")
	for row, cells := range deskTable(fmt.Sprint("q", i), version) {
		for col, want := range cells {
			if got := b.cells[[2]int{row, 3*i + col}]; got != want {
				d.Errorf("row %d, column %d of report %d holds %v, want %v", row, col, i, got, want)
			}
		}
	}
}

// eventually waits for something that an agent will do.
func (d *desk) eventually(what string, done func() bool) {
	d.Helper()
	for deadline := time.Now().Add(waitLimit); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	d.Fatalf("still not so: %s", what)
}

// tables is a source: a query's table is its name and the version.
type tables struct {
	mu      sync.Mutex
	version int
	lag     map[string]time.Duration // of a query
	asked   int                      // queries
	wide    bool                     // three columns instead of two
	bulk    int                      // bytes of a text in one row more
	noise   bool                     // which does not pack
	filters []source.Filter
}

func (s *tables) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
}

func (s *tables) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.mu.Lock()
	version, lag := s.version, s.lag[q.SQL]
	s.asked++
	s.mu.Unlock()
	if err := fault.Sleep(ctx, lag); err != nil {
		return nil, err
	}
	for _, row := range deskTable(q.SQL, version) {
		if s.wide {
			row = append(row, row[0])
		}
		b.Append(row...)
	}
	if s.bulk > 0 {
		text := strings.Repeat("x", s.bulk)
		if s.noise {
			random := make([]byte, s.bulk/2)
			_, _ = rand.Read(random)
			text = hex.EncodeToString(random)
		}
		b.Append(checksum.Str(text))
	}
	if err := q.Memory.Grow(b.Size()); err != nil {
		return nil, err
	}
	return []source.Column{{Name: "key"}, {Name: "value"}}, nil
}

// Filters implements source.Filterer.
func (s *tables) Filters(source.Query) ([]source.Filter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filters, nil
}

func (*tables) Check(context.Context) error { return nil }
func (*tables) Close() error                { return nil }

func deskTable(query string, version int) [][]checksum.Cell {
	return [][]checksum.Cell{
		{checksum.Str("key"), checksum.Str("value")},
		{checksum.Str(query), checksum.Num(float64(version))},
		{checksum.Str(query + "'"), checksum.Num(float64(-version))},
	}
}

// shelf is a host with sessions.
type shelf struct {
	mu    sync.Mutex
	books map[string]*memoryBook
	// refuse, when set, says why a patch is refused.
	refuse func(host.Patch) *placements.Fault
	// writing, when set, is called before each write.
	writing func()
	// lost, when set, is what is told of each write, whether it was made or, if dropped is set, was not.
	lost    error
	dropped bool
	shifts  int // how many places cells can be inserted and deleted at
}

// memoryBook is a document of one sheet.
type memoryBook struct {
	cells                map[[2]int]checksum.Cell
	markers              map[string]placements.Rect
	stamps               map[string]string // nil: it keeps none
	opened, read, writes int
	blocks               int // written
}

func (s *shelf) book(name string) *memoryBook {
	b := s.books[name]
	if b == nil {
		b = &memoryBook{cells: map[[2]int]checksum.Cell{}, markers: map[string]placements.Rect{}}
		s.books[name] = b
	}
	return b
}

// count returns what was done to a book: opened, read and written, blocks written.
func (s *shelf) count(name string) [4]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.book(name)
	return [4]int{b.opened, b.read, b.writes, b.blocks}
}

func (s *shelf) Open(_ context.Context, document string) (host.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book(document).opened++
	return &shelfSession{s, document}, nil
}

func (s *shelf) MaxShifts() int                  { return s.shifts }
func (*shelf) Has(context.Context, string) error { return nil }
func (*shelf) CanMove() bool                     { return false }
func (*shelf) Check(context.Context) error       { return nil }

type shelfSession struct {
	*shelf
	document string
}

func (s *shelfSession) Close() error { return nil }

func (s *shelfSession) Read(_ context.Context, list []host.Wanted) ([]host.Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.book(s.document)
	b.read++
	views := make([]host.Found, len(list))
	for i, w := range list {
		v := host.View{Sheet: w.Block.Sheet, Anchor: w.Block.Anchor}
		if r, ok := b.markers[w.Block.PlacementID]; ok {
			v.Marked, v.Anchor = true, placements.Anchor{Row: r.Top, Column: r.Left}
			v.Extent = checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
			v.Stamp = b.stamps[w.Block.PlacementID]
		}
		v.Cells = b.table(v.Anchor, v.Extent.Union(w.Extent))
		views[i].View = v
	}
	views[0].View.Calls = 1
	return views, nil
}

func (b *memoryBook) table(at placements.Anchor, size checksum.Extent) *checksum.Grid {
	var g checksum.Builder
	for row := range size.Rows {
		cells := make([]checksum.Cell, size.Columns)
		for col := range cells {
			cells[col] = b.cells[[2]int{at.Row + row, at.Column + col}]
		}
		g.Append(cells...)
	}
	return g.Grid()
}

func (s *shelfSession) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	if s.writing != nil {
		s.writing()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range patches {
		if s.refuse != nil {
			if fault := s.refuse(p); fault != nil {
				return nil, fault
			}
		}
	}
	if s.dropped {
		return nil, s.lost
	}
	b := s.book(s.document)
	b.writes++
	done := make([]host.Written, len(patches))
	for i, p := range patches {
		b.blocks++
		done[i] = b.apply(p)
	}
	done[0].Calls = 1
	if s.lost != nil {
		return nil, s.lost
	}
	return done, nil
}

func (b *memoryBook) apply(p host.Patch) (w host.Written) {
	at := p.Block.Anchor
	for _, span := range p.Rows {
		for row := span.From; row < span.To; row++ {
			cells := p.Grid.Cells(row, nil)
			for col := range p.Extent.Columns {
				delete(b.cells, [2]int{at.Row + row, at.Column + col})
				if col < len(cells) {
					b.cells[[2]int{at.Row + row, at.Column + col}] = cells[col]
				}
			}
			w.Rows++
			w.Cells += p.Extent.Columns
		}
	}
	for _, r := range p.Clear {
		for row := range r.Rows {
			for col := range r.Columns {
				delete(b.cells, [2]int{at.Row + r.Row + row, at.Column + r.Column + col})
			}
		}
	}
	if b.stamps != nil && p.Stamp != "" {
		b.stamps[p.Block.PlacementID] = p.Stamp
	}
	b.markers[p.Block.PlacementID] = placements.Rect{
		Top: at.Row, Left: at.Column, Bottom: at.Row + p.Extent.Rows - 1, Right: at.Column + p.Extent.Columns - 1,
	}
	return w
}

// type types into a cell as a person does.
func (s *shelf) enter(document string, row, col int, c checksum.Cell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book(document).cells[[2]int{row, col}] = c
}

// lockedBuffer is a log that several write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
