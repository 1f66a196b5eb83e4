//go:build unix

package requests

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mooring/cmd/mooring/programtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	programtest.Remove()
	os.Exit(code)
}

// TestRequests sends the program 600 requests, or as many as MOORING_REQUESTS says, from the seed MOORING_REQUESTS_SEED.
func TestRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	number, seed, whole := int64(600), uint64(1), os.Getenv("MOORING_REQUESTS") != ""
	var err error
	if whole {
		number, err = strconv.ParseInt(os.Getenv("MOORING_REQUESTS"), 10, 64)
		must(t, err)
		seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv("MOORING_REQUESTS_SEED"); text != "" {
		seed, err = strconv.ParseUint(text, 10, 64)
		must(t, err)
	}
	f := newFlood(t, seed)
	began := time.Now()
	f.send(number)
	took := time.Since(began)
	f.checkWhole()
	report := f.report(seed, number, took)
	if whole {
		fmt.Print(report)
	}
	if len(f.faults) > 0 {
		t.Errorf("%d kinds of faults\n%s", len(f.faults), report)
	}
}

// flood is what is sent to a site, and what came back.
type flood struct {
	*site
	judge      *judge
	seed       uint64
	operations []*operation

	mu        sync.Mutex
	faults    map[string]*fault // by operation, status and reason
	statuses  map[int]int
	accepted  map[string]int // by operation
	ofNetHTTP int
}

// fault is a kind of answer that is not as it should be.
type fault struct {
	count   int
	example string
}

func newFlood(t *testing.T, seed uint64) *flood {
	t.Helper()
	c, s := readContract(t), newSite(t)
	return &flood{
		site: s, seed: seed, operations: operations(c), judge: newJudge(c, s.dir, strings.TrimPrefix(s.redis, "redis://")),
		faults: map[string]*fault{}, statuses: map[int]int{}, accepted: map[string]int{},
	}
}

// workers are how many send at a time, each from a seed of its own and with ids of its own.
const workers = 8

// send sends so many requests, beside the tour that it begins with: of that, all must be accepted.
func (f *flood) send(number int64) {
	f.makeTour()
	var left atomic.Int64
	left.Store(number)
	var group sync.WaitGroup
	for n := range workers {
		group.Go(func() {
			w := newWorker(f, n)
			for left.Add(-1) >= 0 && !f.server.HasEnded() {
				w.sendOne()
			}
			w.wire.close()
		})
	}
	group.Wait()
	if f.server.HasEnded() {
		f.t.Errorf("the server has ended: %s", f.server.Out)
	}
	for _, o := range f.operations {
		if f.accepted[o.id] == 0 {
			f.fault(o.id+" was never accepted", "see the other faults, or what it needs in the tour")
		}
	}
}

// makeTour sends the whole requests of the tour before any other request can take from them what they need.
func (f *flood) makeTour() {
	w := newWorker(f, workers)
	for w.next, w.spoils = tour(), false; len(w.next) > 0 && !f.server.HasEnded(); {
		w.sendStep(maker{Rand: w.rand})
	}
	w.wire.close()
}

// worker sends one request after another.
type worker struct {
	*flood
	rand   *rand.Rand
	wire   wire
	known  map[string]*ids // by tenant and deployment
	guide  *guide
	next   []step // what is sent before anything else
	spoils bool   // a step may be sent with something odd first
}

func newWorker(f *flood, n int) *worker {
	w := &worker{
		flood: f, rand: rand.New(rand.NewPCG(f.seed, uint64(n))), known: map[string]*ids{},
		wire: wire{address: strings.TrimPrefix(f.base, "http://")}, guide: newGuide(f.people[0], fmt.Sprintf("worker-%d", n)), spoils: true,
	}
	w.next = steps("createReport", "upsertReport", "createWorkbook", "upsertWorkbook", "connectWorkbook", "createSchedule", "createPlan", "startRun", "createDeviceCode")
	return w
}

// of is what is known of a deployment of a tenant.
func (w *worker) of(tenant string, deployment int64) *ids {
	key := fmt.Sprintf("%s/%d", tenant, deployment)
	if w.known[key] == nil {
		w.known[key] = newIDs()
	}
	return w.known[key]
}

// sendOne makes a request, sends it and judges the answer: the next step, or one of any user for any operation.
func (w *worker) sendOne() {
	m := maker{Rand: w.rand}
	if len(w.next) == 0 && m.chance(1) {
		w.next = pick(m, session, delivery, clientRun(w.guide.name))
	}
	if len(w.next) > 0 {
		w.sendStep(m)
		return
	}
	by, o, deployment := w.someone(m), choose(w.rand, w.operations), pick[int64](m, 1, 1, 1, 1, 1, 1, 2, 3)
	own := w.of(by.tenant, deployment)
	m.known = own
	if m.chance(8) { // ids of others
		m.known = w.of(pick(m, "acme", "globex"), pick[int64](m, 1, 2))
	}
	w.ask(m, m.compose(o, by, deployment), own)
}

// sendStep sends the next step, or one that is like it but for something odd in its body.
func (w *worker) sendStep(m maker) {
	s := w.next[0]
	o := w.operation(s.id)
	m.known = w.of(w.guide.by.tenant, 1)
	if s.typed {
		w.typeInto("orders.xlsx", "Sheet1", typedCell)
	}
	q := w.guide.request(m, o, s, 1)
	if w.spoils && m.chance(30) {
		w.guide.spoil(m, q)
		w.ask(m, q, m.known)
		return
	}
	a := w.ask(m, q, m.known)
	w.guide.learn(o, a)
	switch {
	case s.awaits && a.status < 300 && !ended(a):
		time.Sleep(20 * time.Millisecond)
		return
	case !w.spoils && (a.status == 0 || a.status >= 400):
		w.fault(o.id+" of the tour is not accepted", fmt.Sprintf("%s\n%d %s", q.curl(w.base), a.status, short(string(a.body))))
	}
	w.next = w.next[1:]
}

// ask sends a request, judges the answer and keeps the ids that it shows.
func (w *worker) ask(m maker, q *request, own *ids) answer {
	a, err := w.wire.send(q)
	v := verdict{}
	switch {
	case err == errHang:
		v.reason = err.Error()
	case err != nil:
		v = verdict{reason: "no connection, or no answer that can be read", detail: err.Error()}
	default:
		v = w.judge.judge(q, a)
	}
	w.note(q, a, v)
	if a.status != 0 && a.status < 300 {
		own.harvest(m, q.operation, a.header.Get("ETag"), a.body)
	}
	return a
}

// operation is the one of an id.
func (f *flood) operation(id string) *operation {
	return f.operations[slices.IndexFunc(f.operations, func(o *operation) bool { return o.id == id })]
}

// note counts an answer.
func (f *flood) note(q *request, a answer, v verdict) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.statuses[a.status]++
	if a.status != 0 && a.status < 400 && q.method == q.operation.method {
		f.accepted[q.operation.id]++
	}
	if v.ofNetHTTP {
		f.ofNetHTTP++
	}
	if v.reason == "" {
		return
	}
	f.fault(fmt.Sprintf("%s %d: %s", q.operation.id, a.status, v.reason),
		fmt.Sprintf("%s, by %s\n%s\n%v\n%s", v.detail, q.as, q.curl(f.base), a.header, short(string(a.body))))
}

// fault counts a fault of a kind, of which the first is shown. f.mu is held, or nothing else runs.
func (f *flood) fault(kind, example string) {
	if f.faults[kind] == nil {
		f.faults[kind] = &fault{example: example}
	}
	f.faults[kind].count++
}

// report says what was sent and what is wrong.
func (f *flood) report(seed uint64, number int64, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d requests in %.0f s, %d kinds of faults; %d answers of net/http to what is no request\n", seed, number, took.Seconds(), len(f.faults), f.ofNetHTTP)
	for _, status := range slices.Sorted(func(yield func(int) bool) {
		for s := range f.statuses {
			if !yield(s) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, " %d: %d", status, f.statuses[status])
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "%d of %d operations were accepted at least once\n", len(f.accepted), len(f.operations))
	kinds := sortedKeys(f.faults)
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(f.faults[b].count, f.faults[a].count) })
	for _, kind := range kinds {
		fmt.Fprintf(&b, "\nFAULT, %d times: %s\n%s\n", f.faults[kind].count, kind, f.faults[kind].example)
	}
	return b.String()
}
