package refresh

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// noAccess is why a document cannot be written that nobody waits for: access to it is refused.
const noAccess placements.Reason = "access"

// ebb is a time in which a document cannot be reached.
type ebb struct {
	from, to time.Time
	reason   placements.Reason // or noAccess
}

func (o ebb) at(t time.Time) bool { return !t.Before(o.from) && t.Before(o.to) }

// tides is a host whose documents come and go.
type tides struct {
	*shelf
	faults  map[placements.Reason]placements.Fault
	outages map[string][]ebb
	absent  map[string]bool // never there
	opens   map[string][]time.Time
}

// Open fails while the document is out of reach.
func (s *tides) Open(ctx context.Context, document string) (host.Session, error) {
	s.mu.Lock()
	now := time.Now()
	s.opens[document] = append(s.opens[document], now)
	out, gone := s.out(document, now)
	s.mu.Unlock()
	if gone {
		fault := s.faults[out.reason]
		return nil, &fault
	}
	return s.shelf.Open(ctx, document)
}

// out is the outage of the document at a time, but for those that are no fault of the host. It is called under the lock.
func (s *tides) out(document string, at time.Time) (ebb, bool) {
	if s.absent[document] {
		return ebb{reason: placements.ReasonMissing}, true
	}
	for _, o := range s.outages[document] {
		if o.at(at) && o.reason != placements.ReasonHeld {
			return o, true
		}
	}
	return ebb{}, false
}

// opened is how often the document was looked for since then.
func (s *tides) opened(document string, since time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, at := range s.opens[document] {
		if !at.Before(since) {
			n++
		}
	}
	return n
}

// hostFaults are the faults of documents that cannot be reached: those of files are what the host of files says of real ones.
func hostFaults(t *testing.T) map[placements.Reason]placements.Fault {
	t.Helper()
	dir := t.TempDir()
	files, err := (&xlsx.Config{Dir: dir}).Open(t.Context(), nil)
	must(t, err)
	f := excelize.NewFile()
	must(t, f.SaveAs(filepath.Join(dir, "book.xlsx")))
	must(t, f.Close())
	must(t, os.WriteFile(filepath.Join(dir, "~$book.xlsx"), nil, 0o600))
	found := map[placements.Reason]placements.Fault{
		placements.ReasonQuota: {Class: placements.Quota, Message: "The account has no requests left.", RetryAfter: 40 * time.Second},
		noAccess:               {Class: placements.Auth, Message: "The service may not open the spreadsheet: share it with the service."},
	}
	for reason, name := range map[placements.Reason]string{placements.ReasonLocked: "book.xlsx", placements.ReasonMissing: "none.xlsx"} {
		s, err := files.Open(t.Context(), name)
		if err == nil {
			_, err = s.Read(t.Context(), []host.Wanted{{Block: host.Block{Document: name, PlacementID: "p", Sheet: "Sheet1"}}})
			must(t, s.Close())
		}
		fault := asFault(err)
		if err == nil || fault.Message == "" {
			t.Fatalf("a file that is %s: %v", reason, err)
		}
		found[reason] = *fault
	}
	return found
}

// sundial is a source whose rows say when it was asked, or, of a query that begins with "steady", in which quarter of a day that was.
type sundial struct {
	mu   sync.Mutex
	down map[string][]ebb         // by query
	lag  map[string]time.Duration // by query
}

const steady = "steady"

func (s *sundial) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	now := time.Now()
	s.mu.Lock()
	down, lag := s.down[q.SQL], s.lag[q.SQL]
	s.mu.Unlock()
	if slices.ContainsFunc(down, func(o ebb) bool { return o.at(now) }) {
		return nil, &placements.Fault{Class: placements.Transient, Message: "The source does not answer."}
	}
	if err := sleep(ctx, lag); err != nil {
		return nil, err
	}
	for _, row := range sundialTable(q.SQL, now) {
		b.Append(row...)
	}
	return []source.Column{{Name: "key"}, {Name: "asked"}}, q.Memory.Grow(b.Size())
}

func (*sundial) Check(context.Context) error { return nil }
func (*sundial) Close() error                { return nil }

func sundialTable(query string, asked time.Time) [][]checksum.Cell {
	if len(query) >= len(steady) && query[:len(steady)] == steady {
		asked = asked.Truncate(6 * time.Hour)
	}
	at := checksum.Num(float64(asked.UnixMilli()))
	return [][]checksum.Cell{
		{checksum.Str("key"), checksum.Str("asked")},
		{checksum.Str(query), at},
		{checksum.Str(query + "'"), at},
	}
}

// harbour is a storage, agents that work on it, and documents that come and go, on a simulated clock.
type harbour struct {
	*testing.T
	store   *storage.Store
	engine  *Engine
	crew    []*agent
	books   *tides
	source  *sundial
	reports []int64
	dead    bool // an agent died: its entries are looked for
}

// newHarbour returns one with that many agents, each a process of its own. It must be called within synctest.Test; faults outside.
func newHarbour(t *testing.T, agents int, faults map[placements.Reason]placements.Fault) *harbour {
	t.Helper()
	s, err := storage.Open(t.Context(), storage.Config{Address: "embedded", Partitions: 1, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	h := &harbour{
		T: t, store: s, source: &sundial{down: map[string][]ebb{}, lag: map[string]time.Duration{}},
		books: &tides{
			shelf: &shelf{books: map[string]*memoryBook{}}, faults: faults,
			outages: map[string][]ebb{}, absent: map[string]bool{}, opens: map[string][]time.Time{},
		},
	}
	must(t, h.store.Work().Prepare(t.Context()))
	work, end := context.WithCancel(context.WithoutCancel(t.Context()))
	for i := range agents {
		e := h.process()
		h.crew = append(h.crew, &agent{Engine: e, name: string(rune('a' + i)), slots: make(chan struct{}, 64), work: work})
	}
	t.Cleanup(func() {
		end()
		for _, a := range h.crew {
			a.running.Wait()
		}
	})
	h.engine = h.process()
	return h
}

// process is an engine as another process has it. It reaches one of the two hosts.
func (h *harbour) process() *Engine {
	return New(Config{
		Store: h.store, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]Tenant{"acme": {
			Deployments: map[int64]Deployment{1: {Source: h.source, Location: time.UTC}},
			Hosts:       map[placements.Host]host.Host{placements.SheetsB: h.books},
		}},
	})
}

// report makes a report of that query.
func (h *harbour) report(query string) int {
	h.Helper()
	r, err := h.store.CreateReport(h.Context(), deskDeployment, record.ReportInput{
		Name: placements.Sent(query), SQLQuery: placements.Sent(query), Source: placements.Sent("SHEETS_B"),
	}, record.Actor{ID: 7})
	must(h.T, err)
	h.reports = append(h.reports, r.ID)
	return len(h.reports) - 1
}

// place places the i-th report in a document, or moves its placement of that id there.
func (h *harbour) place(i int, id, document string, by record.Actor, on placements.Host) placements.Placement {
	h.Helper()
	c, err := h.store.Connect(h.Context(), deskDeployment, h.reports[i], placements.Connection{
		ExternalWorkbookID: document, ResultLocation: "Data!" + placements.Anchor{Column: 3 * i}.String(), AddressOnly: true,
		PlacementID: id, Host: on,
	}, by, nil, on != "")
	must(h.T, err)
	return *c.Placement
}

// clerk places reports and asks for runs.
var clerk = record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}

func (h *harbour) schedule(i int, document, cron, overlap string) *record.Schedule {
	h.Helper()
	c, err := h.engine.CreateSchedule(h.Context(), deskDeployment, record.ScheduleSpec{
		Name: cron, Target: record.RunTarget{ReportID: h.reports[i], ExternalWorkbookID: document}, Cron: []string{cron}, Timezone: "UTC",
		Overlap: overlap,
	}, clerk)
	must(h.T, err)
	return c
}

// start asks for a run of the i-th report, or of one placement.
func (h *harbour) start(i int, placement string, o placements.Options) (*record.Run, error) {
	return h.engine.Start(h.Context(), deskDeployment, Request{
		Target: record.RunTarget{ReportID: h.reports[i], PlacementID: placement}, By: clerk, Options: o,
	})
}

// ask is start for what must not be refused.
func (h *harbour) ask(i int, placement string, o placements.Options) string {
	h.Helper()
	run, err := h.start(i, placement, o)
	must(h.T, err)
	return run.ID
}

func (h *harbour) run(id string) *record.Run {
	h.Helper()
	run, err := h.store.Queue().Run(h.Context(), deskDeployment, id)
	must(h.T, err)
	return run
}

// outcome is what a run says of a placement.
func (h *harbour) outcome(run *record.Run, placement string) record.RunPlacement {
	for _, o := range run.Placements {
		if o.PlacementID == placement {
			return o
		}
	}
	return record.RunPlacement{}
}

// standing is the placement of the i-th report with that id.
func (h *harbour) standing(i int, id string) (p storage.Placed) {
	h.Helper()
	r, err := h.store.Report(h.Context(), deskDeployment, h.reports[i])
	must(h.T, err)
	for _, p := range r.Placements {
		if p.ID == id {
			return p
		}
	}
	return storage.Placed{}
}

// asked is when the source was asked for what the block of the i-th report shows; zero where there is none.
func (h *harbour) asked(i int, document string) time.Time {
	h.books.mu.Lock()
	defer h.books.mu.Unlock()
	c := h.books.book(document).cells[[2]int{1, 3*i + 1}]
	if c.Kind != checksum.Number {
		return time.Time{}
	}
	return time.UnixMilli(int64(c.Number)).UTC()
}

// pass lets a time pass, in which the agents work.
func (h *harbour) pass(d time.Duration) {
	h.Helper()
	h.until(time.Now().Add(d))
}

// How soon the agents look again.
const (
	busyLook  = time.Second     // while an attempt is at work, which may leave something in the queues
	sweepLook = 2 * time.Second // after the entries of a dead agent
)

// until lets the agents work by turns until then; the clock jumps from one event to the next.
func (h *harbour) until(to time.Time) {
	h.Helper()
	for turn := 0; ; turn++ {
		synctest.Wait()
		a := h.crew[turn%len(h.crew)]
		list, now, next, err := a.queue.PopDue(h.Context(), dueLimit, dueLease)
		must(h.T, err)
		if len(list) > 0 {
			must(h.T, a.dispatch(h.Context(), list, now))
		}
		if h.take(h.crew[(turn+1)%len(h.crew)]) || len(list) > 0 {
			continue
		}
		wait := to.Sub(now)
		if wait <= 0 {
			return
		}
		if !next.IsZero() {
			wait = min(wait, max(time.Millisecond, next.Sub(now)))
		}
		if h.dead {
			wait = min(wait, sweepLook)
		}
		if h.busy() {
			wait = min(wait, busyLook)
		}
		time.Sleep(wait)
	}
}

// take starts what is in the queues, and reports whether that was something.
func (h *harbour) take(a *agent) bool {
	h.Helper()
	list, err := a.queue.Take(h.Context(), a.name, cap(a.slots)-len(a.slots), -1)
	must(h.T, err)
	if h.dead {
		orphans, err := a.queue.Orphans(h.Context(), a.name, orphanAfter, 8)
		must(h.T, err)
		list = append(list, orphans...)
	}
	a.start(h.Context(), list, time.Now())
	return len(list) > 0
}

func (h *harbour) busy() bool {
	return slices.ContainsFunc(h.crew, func(a *agent) bool { return len(a.slots) > 0 })
}

// die has an agent take all that is queued, begin on every second of it, and die.
func (h *harbour) die() int {
	h.Helper()
	list, err := h.store.Work().Take(h.Context(), "mortal", 64, -1)
	must(h.T, err)
	for i, entry := range list {
		if i%2 == 0 {
			_, err := h.store.Work().Begin(h.Context(), "mortal", entry)
			if err != queue.ErrEnded {
				must(h.T, err)
			}
		}
	}
	h.dead = h.dead || len(list) > 0
	return len(list)
}

// guest is an add-in that has a document open.
type guest struct {
	*harbour
	report   int
	id       string
	document string
	lease    Lease
	planned  *ClientPlan
}

// arrive begins a client run.
func (g *guest) arrive() error {
	p := g.standing(g.report, g.id).Placement
	lease, err := g.engine.StartClient(g.Context(), deskDeployment, Request{
		Executor: record.ExecutorClient, By: clerk, Target: record.RunTarget{ReportID: g.reports[g.report], PlacementID: g.id},
	}, p)
	g.lease = lease
	return err
}

func (g *guest) step() ClientStep {
	return ClientStep{Deployment: deskDeployment, Run: g.harbour.run(g.lease.RunID), Fence: g.lease.Fence, By: clerk}
}

func (g *guest) stay() {
	g.Helper()
	_, err := g.engine.RenewClient(g.Context(), g.step())
	must(g.T, err)
}

// plan has the service plan what to write.
func (g *guest) plan() {
	g.Helper()
	s := Sheet{Name: "Data", Anchor: placements.Anchor{Column: 3 * g.report}, Extent: checksum.Extent{Rows: 20, Columns: 2}}
	g.books.mu.Lock()
	b := g.books.book(g.document)
	if r, ok := b.markers[g.id]; ok {
		s.Marked = checksum.Extent{Rows: r.Bottom - r.Top + 1, Columns: r.Right - r.Left + 1}
	}
	s.Cells = b.table(s.Anchor, s.Extent)
	g.books.mu.Unlock()
	plan, err := g.engine.PlanClient(g.Context(), g.step(), s)
	must(g.T, err)
	g.planned = plan
}

// depart writes what was planned, and ends the run.
func (g *guest) depart() *record.Run {
	g.Helper()
	g.books.mu.Lock()
	g.books.book(g.document).apply(g.planned.Patch)
	g.books.mu.Unlock()
	g.planned.Close()
	run, err := g.engine.CompleteClient(g.Context(), g.step(), g.planned.Checksum, Uncovered{})
	must(g.T, err)
	return run
}

// instants returns n moments in a time, in order, no two nearer than apart.
func instants(r *rand.Rand, from time.Time, within time.Duration, n int, apart time.Duration) (list []time.Time) {
	room := within - time.Duration(n)*apart
	for range n {
		list = append(list, from.Add(time.Duration(r.Int64N(int64(room)))))
	}
	slices.SortFunc(list, time.Time.Compare)
	for i := range list {
		list[i] = list[i].Add(time.Duration(i) * apart)
	}
	return list
}
