package simulation

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
)

var deployment = record.Deployment{Tenant: tenant, ID: 1}

const partitions = 1

// settings decide a world.
type settings struct {
	seed    uint64
	length  time.Duration
	without map[string]bool // kinds of events that do not happen
	keep    bool            // the lines of the trace
}

// world is all that a seed decides: processes, Redis, the source, documents, and people.
type world struct {
	*testing.T
	settings
	trace   *trace
	log     *slog.Logger
	mu      sync.Mutex     // of what several processes use; nobody waits who holds it
	seen    map[string]int // how often each thing has happened
	network *network
	keys    *auth.Keyring
	tokens  map[string]string
	rhythm  refresh.Rhythm // of the agents of processes that start
	calm    *storage.Store
	procs   []*process // nil where one is not running
	old     []*process // that have crashed or ended

	tables    map[string]*table // by query
	books     map[string]*book
	reports   []int64
	placed    []*placed
	schedules []*scheduled
	typed     float64 // the number that a person typed last

	sourceDown, quotaOut, doubtful, stalled time.Time // until when

	auditor
}

// placed is a placement, with what people did to its block.
type placed struct {
	id     string
	report int // index
	book   *book
	column int
	// typed are cells of people, by the key of their row and their column.
	typed    map[cellOf]*typedCell
	removed  map[string]time.Time // keys of rows that a person has deleted
	beside   map[[2]int]checksum.Cell
	run      time.Time // when its last run that has succeeded may have begun at the earliest
	emptied  time.Time // when the last cell of a person has gone with its row
	lost     time.Time // when the last writes were lost; zero: never
	version  int       // of its table that it showed last
	overrule bool      // a run was asked for that overwrites edits, and has not ended yet
}

// cellOf is a cell of a block.
type cellOf struct {
	key    string
	column int
}

// typedCell is what a person typed into a cell.
type typedCell struct {
	value float64
	maybe bool // it may have been given back, or overwritten by a run that was asked to
}

// scheduled is a schedule.
type scheduled struct {
	id     int64
	report int
	every  int // minutes; 0: daily
	first  int // minute of the hour
	from   time.Time
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// saw notes that something has happened.
func (w *world) saw(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[what]++
}

// result is what a world came to.
type result struct {
	hash   string
	events int
	lines  []string
	seen   map[string]int
	faults []string
}

// simulate lets a world of some settings run to its end.
func simulate(t *testing.T, s settings) (r result) {
	t.Helper()
	t.Run("world", func(t *testing.T) {
		cryptotest.SetGlobalRandom(t, s.seed)
		synctest.Test(t, func(t *testing.T) {
			from := time.Date(2026, 11, 23, 22, 0, 0, 0, time.UTC)
			switch s.seed % 3 { // half of the worlds have a night in which the clocks change
			case 1:
				from = time.Date(2026, 10, 24, 20, 0, 0, 0, time.UTC)
			case 2:
				from = time.Date(2026, 3, 28, 20, 0, 0, 0, time.UTC)
			}
			time.Sleep(time.Until(from))
			w := newWorld(t, s)
			w.play()
			w.end()
			r = result{w.trace.hash(), w.trace.count, w.trace.lines, w.seen, w.faults}
		})
	})
	for range 2 { // empties each sync.Pool: the client library keeps timers there, which belong to their bubble
		runtime.GC()
	}
	return r
}

// The processes and documents of a world.
const (
	processes = 2
	documents = 3
	tablesOf  = 3
)

func newWorld(t *testing.T, s settings) *world {
	tr := newTrace(s.keep)
	w := &world{
		T: t, settings: s, trace: tr, log: newLog(tr), seen: map[string]int{}, tables: map[string]*table{}, books: map[string]*book{},
		tokens: map[string]string{}, typed: firstTyped, auditor: newAuditor(),
	}
	look := time.Duration(30+mixed(s.seed, 9)%270) * time.Second // else a quiet hour would be thousands of looks
	w.rhythm = refresh.Rhythm{Take: 5 * time.Minute, Due: look, Sweep: look, Beat: 5 * time.Minute}
	w.network = newNetwork(w)
	w.signIn()
	var err error
	w.calm, err = storage.Open(t.Context(), storage.Config{Address: "redis://127.0.0.1:6379", Dial: w.network.dial(nil), Partitions: partitions, Log: w.log})
	must(t, err)
	for i := range processes {
		w.procs = append(w.procs, w.start(fmt.Sprintf("p%d", i)))
	}
	for i := range documents {
		name := fmt.Sprintf("d%d", i)
		w.books[name] = newBook(name)
	}
	w.setUp()
	return w
}

// signIn makes the tokens.
func (w *world) signIn() {
	var err error
	w.keys, err = auth.NewKeyring("mooring", []auth.TokenKey{{ID: "main", Algorithm: "HS256", Secret: []byte("a secret of at least thirty-two bytes")}})
	must(w.T, err)
	w.tokens[owner], err = newToken(w.keys, 7, record.ActionReportEdit)
	must(w.T, err)
	w.tokens[reader], err = newToken(w.keys, 9, record.ActionReportRead)
	must(w.T, err)
}

// setUp makes reports, placements and schedules.
func (w *world) setUp() {
	p := w.procs[0]
	for i := range tablesOf {
		query := fmt.Sprintf("q%d", i)
		w.tables[query] = newTable(4 + i*3)
		a := p.send(owner, "PUT", fmt.Sprintf("/deployments/1/reports/by-public-id/report00000%d", i),
			fmt.Sprintf(`{"name":"Report %d","sqlQuery":%q,"source":"SHEETS_B","rowKey":["key"]}`, i, query))
		var made struct{ ID int64 }
		w.decode(a, &made)
		w.reports = append(w.reports, made.ID)
	}
	for i := range tablesOf {
		for d := range documents {
			if (i+d)%3 != 2 {
				w.place(i, w.books[fmt.Sprintf("d%d", d)])
			}
		}
	}
	for i, every := range []int{20, 60, 0} {
		w.schedule(i, every)
	}
	w.schedule(0, 0)
	time.Sleep(maxLag) // none of this is lost
}

func (w *world) decode(a response, into any) {
	w.Helper()
	if a.status >= 300 || a.status == 0 {
		w.Fatalf("a request that must succeed: %d %s", a.status, a.text)
	}
	must(w.T, json.Unmarshal([]byte(a.text), into))
}

// place places a report in a document.
func (w *world) place(report int, b *book) {
	p := &placed{
		id: fmt.Sprintf("p-%d-%s", report, b.name), report: report, book: b, column: 6 * report, typed: map[cellOf]*typedCell{},
		removed: map[string]time.Time{}, beside: map[[2]int]checksum.Cell{},
	}
	w.decode(w.procs[0].send(owner, "PUT", w.path(report)+"/connect-workbook", w.connection(p)), &struct{}{})
	w.placed = append(w.placed, p)
}

// connection is the body of the connect of a placement.
func (w *world) connection(p *placed) string {
	return fmt.Sprintf(`{"externalWorkbookId":%q,"resultLocation":"Data!%s","host":"SHEETS_B","addressOnly":true,"placementId":%q}`, p.book.name,
		placements.Anchor{Row: 1, Column: p.column}, p.id)
}

func (w *world) path(report int) string {
	return fmt.Sprintf("/deployments/1/reports/%d", w.reports[report])
}

// schedule makes a schedule of a report, for each so many minutes; 0: for half past two in the night, in Berlin.
func (w *world) schedule(report, every int) {
	s := &scheduled{report: report, every: every, first: 3 + 2*report, from: time.Now()}
	cron, zone := fmt.Sprintf("%d-59/%d * * * *", s.first, every), "UTC"
	switch every {
	case 0:
		cron, zone = "30 2 * * *", "Europe/Berlin"
	case 60:
		cron = fmt.Sprintf("%d * * * *", s.first)
	}
	a := w.procs[0].send(owner, "POST", "/deployments/1/refresh-schedules", fmt.Sprintf(
		`{"name":"S%d","cron":%q,"timezone":%q,"overlap":%q,"target":{"reportId":%d}}`, report, cron, zone, []string{"skip", "queue"}[report%2],
		w.reports[report]))
	var made struct{ ID int64 }
	w.decode(a, &made)
	s.id = made.ID
	w.schedules = append(w.schedules, s)
}

// play lets things happen until the length of the world is over.
func (w *world) play() {
	until := time.Now().Add(w.length)
	for n := uint64(0); ; n++ {
		r := rand.New(rand.NewPCG(w.seed, n))
		gap := time.Duration(r.ExpFloat64() * float64(12*time.Second))
		if r.IntN(50) == 0 { // nothing but the schedules
			gap += time.Duration(r.Int64N(int64(2 * time.Hour)))
		}
		if time.Now().Add(gap).After(until) {
			time.Sleep(time.Until(until))
			return
		}
		time.Sleep(gap)
		w.happen(r)
		if n%4 == 3 {
			w.audit()
		}
		if n%64 == 63 {
			w.auditRuns()
		}
		if n%24 == 23 {
			synctest.Wait()
			runtime.GC() // nowhere else: it would change which goroutine is first
		}
	}
}

// end has the faults end, and checks that everything is true soon after.
func (w *world) end() {
	w.trace.note("faults end")
	w.heal()
	w.settle()
	w.auditRuns()
	w.auditTicks()
	synctest.Wait()
	for _, p := range w.procs {
		p.end()
	}
	for _, p := range append(w.old, w.procs...) {
		<-p.ended
	}
	must(w.T, w.calm.Close())
	w.network.close()
	time.Sleep(time.Minute) // what waited at Redis ends
}

// heal ends all faults, and starts a process whose agent looks for work as often as in production.
func (w *world) heal() {
	var past time.Time
	w.network.down, w.network.slow, w.network.lossy = past, past, past
	w.sourceDown, w.quotaOut, w.doubtful, w.stalled = past, past, past, past
	for i := range documents {
		b := w.books[fmt.Sprintf("d%d", i)]
		b.gone, b.locked = false, false
	}
	for i, p := range w.procs {
		if p != nil {
			p.frozen, p.trap = past, nil
		}
		w.revive(i)
	}
	w.rhythm = refresh.Rhythm{}
	w.procs = append(w.procs, w.start(fmt.Sprintf("p%d", processes)))
}

// revive starts the i-th process, unless it is running.
func (w *world) revive(i int) {
	p := w.procs[i]
	if p != nil && !p.dead {
		return
	}
	if p != nil {
		w.old = append(w.old, p)
	}
	w.procs[i] = w.start(fmt.Sprintf("p%d", i))
}

// running are the processes that take requests.
func (w *world) running() (list []*process) {
	for _, p := range w.procs {
		if p != nil && !p.dead && !time.Now().Before(p.frozen) {
			list = append(list, p)
		}
	}
	return list
}

// settle asks for a refresh of everything, and waits for at most a minute until everything is true.
func (w *world) settle() {
	limit := time.Now().Add(time.Minute)
	asked := map[int]bool{}
	for {
		for i := range w.reports {
			if !asked[i] {
				a := w.procs[i%processes].send(owner, "POST", w.path(i)+"/refreshes", `{}`)
				asked[i] = a.status == 202
			}
		}
		wrong := w.unsettled()
		if len(wrong) == 0 && len(asked) == len(w.reports) && !slices.Contains([]bool{asked[0], asked[1], asked[2]}, false) {
			break
		}
		if time.Now().After(limit) {
			for _, what := range wrong {
				w.fault("a minute after the faults ended: %s", what)
			}
			return
		}
		time.Sleep(3 * time.Second)
	}
	w.saw("settled")
	w.audit()
}
