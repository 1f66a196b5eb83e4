package web

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/storage/storagetest"
)

// The load of TestPlacementFigures.
const (
	connections = 50
	round       = time.Second
	rounds      = 7
	many        = 10_000
)

// TestPlacementFigures measures connect and disconnect against a bare gin handler that does one EVAL on the plain pool, in turns of one run, on a
// real Redis of its own, and both on a report of 10,000 placements against the same on a report of few. scripts/bench-placements runs it.
func TestPlacementFigures(t *testing.T) {
	if os.Getenv("MOORING_BENCH") == "" {
		t.Skip("a measurement: run scripts/bench-placements")
	}
	address := storagetest.Redis(t)
	a := newAPI(t, observedStore(t, address))
	a.sut = a.server.Handler() // without the checks of answers: it is measured
	ours := listen(t, a.sut)
	report := a.made(t)
	full := a.made(t)
	a.fillReport(t, full, "full", many)

	defer runtime.KeepAlive(make([]byte, heapFloor))
	rig := rig{redis: storagetest.CPUTime(t, address)}
	eval := storagetest.Eval(t, address)
	connect := func(report, document, prefer string) func(int, int) []byte {
		return func(worker, _ int) []byte {
			return a.request("PUT", "/api/v1/deployments/1/reports/"+report+"/connect-workbook", prefer, connectBody(worker, document))
		}
	}
	inTurn := func(report, document, prefer string) func(int, int) []byte {
		place := connect(report, document, prefer)
		return func(worker, n int) []byte {
			if n%2 == 0 {
				return place(worker, n)
			}
			return a.request("DELETE", "/api/v1/deployments/1/reports/"+report+"/connect-workbook", prefer, targetBody(worker, document))
		}
	}
	one := measured{"connect, one placement on the report", ours, oneEach(a, t, connect)}
	turns := measured{"connect and disconnect in turn", ours, inTurn(report, "turn", "return=minimal")}
	rig.compare(t, yardstick(t, a, eval, one), one, ">= 0.65")
	rig.compare(t, yardstick(t, a, eval, turns), turns, ">= 0.5")
	whole := measured{"connect and disconnect, answered with all placements of the report", ours, inTurn(report, "turn", "")}
	rig.compare(t, yardstick(t, a, eval, whole), whole, "")
	rig.compare(t, one, measured{"connect at 10,000 placements, against one", ours, connect(full, "full", "return=minimal")}, ">= 0.9")
	rig.compare(t, turns, measured{"in turn at 10,000 placements, against 50", ours, inTurn(full, "full", "return=minimal")}, ">= 0.9")
	printMemory(t)
}

// oneEach gives every worker a report of its own, which then has one placement.
func oneEach(a *api, t *testing.T, connect func(report, document, prefer string) func(int, int) []byte) func(int, int) []byte {
	workers := make([]func(int, int) []byte, connections)
	for i := range workers {
		workers[i] = connect(a.made(t), "one", "")
	}
	return func(worker, n int) []byte { return workers[worker](worker, n) }
}

// measured is a server and the requests that a worker sends to it.
type measured struct {
	name    string
	address string
	request func(worker, n int) []byte // n is 0 and 1 in turn
}

// rig measures; redis gives the CPU time that the redis-server has used so far.
type rig struct{ redis func() time.Duration }

// cost is the CPU time that some requests took: of this process, which is the server and the load, and of the redis-server. Other work on the
// machine hardly changes it.
type cost struct {
	requests    int
	here, redis time.Duration
}

func (r rig) spent(t *testing.T) cost {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return cost{here: time.Duration(u.Utime.Nano() + u.Stime.Nano()), redis: r.redis()}
}

// measure loads m for one turn and adds to c what that took.
func (r rig) measure(t *testing.T, m measured, c *cost) (answered int, waits []time.Duration) {
	before := r.spent(t)
	answered, waits = load(t, m, round)
	after := r.spent(t)
	c.requests, c.here, c.redis = c.requests+answered, c.here+after.here-before.here, c.redis+after.redis-before.redis
	return answered, waits
}

func (c cost) each() (here, redis float64) {
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(max(c.requests, 1)) }
	return each(c.here), each(c.redis)
}

// compare measures both in turns and prints the ratio of each pair of turns, the middle one first, and the CPU time of a request of either.
func (r rig) compare(t *testing.T, yardstick, m measured, goal string) {
	t.Helper()
	var ratios []float64
	var waits []time.Duration
	var bare, ours cost
	load(t, m, round/2)
	for range rounds {
		base, _ := r.measure(t, yardstick, &bare)
		n, w := r.measure(t, m, &ours)
		ratios, waits = append(ratios, float64(n)/float64(base)), append(waits, w...)
	}
	slices.Sort(ratios)
	slices.Sort(waits)
	here, redis := ours.each()
	bareHere, bareRedis := bare.each()
	fmt.Printf("| %s | %.2f (%.2f to %.2f), %.2f by CPU; %d/s, p50 %.1f ms, p99 %.1f ms; %.0f µs here and %.0f in Redis, the yardstick %.0f and %.0f | %s |\n", m.name,
		ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1], (bareHere+bareRedis)/(here+redis),
		int(float64(ours.requests)/(rounds*round.Seconds())), ms(waits[len(waits)/2]), ms(waits[len(waits)*99/100]),
		here, redis, bareHere, bareRedis, goal)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// heapFloor is the one of mooring serve; it serves the yardstick too.
const heapFloor = 32 << 20

// load sends requests on all connections for d; it gives how many were answered, and how long each took.
func load(t *testing.T, m measured, d time.Duration) (answered int, waits []time.Duration) {
	t.Helper()
	var all sync.Mutex
	var workers sync.WaitGroup
	end := time.Now().Add(d)
	for worker := range connections {
		workers.Go(func() {
			took, err := drive(m, worker, end)
			if err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
			all.Lock()
			defer all.Unlock()
			answered, waits = answered+len(took), append(waits, took...)
		})
	}
	workers.Wait()
	return answered, waits
}

// drive is one connection: a request, its answer, the next request.
func drive(m measured, worker int, end time.Time) (took []time.Duration, err error) {
	c, err := net.Dial("tcp", m.address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	in := bufio.NewReaderSize(c, 64<<10)
	// Made beforehand: the load shall cost as little as it can.
	requests := [2][]byte{m.request(worker, 0), m.request(worker, 1)}
	for n := 0; ; n++ {
		begun := time.Now()
		if begun.After(end) {
			return took, nil
		}
		if _, err := c.Write(requests[n%2]); err != nil {
			return took, err
		}
		if err := readAnswer(in); err != nil {
			return took, err
		}
		took = append(took, time.Since(begun))
	}
}

// readAnswer reads an answer with as little work as possible, which must be a 200.
func readAnswer(in *bufio.Reader) error {
	length := 0
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.Contains(line, []byte(" 200 ")) {
			return fmt.Errorf("answer %q", line)
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
		if len(line) == 2 {
			break
		}
		if bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked")) {
			length = -1
		}
	}
	if length >= 0 {
		_, err := in.Discard(length)
		return err
	}
	return discardChunks(in)
}

func discardChunks(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return err
		}
		if _, err := in.Discard(int(size) + 2); err != nil || size == 0 {
			return err
		}
	}
}

func (a *api) request(method, path, prefer, body string) []byte {
	if prefer != "" {
		prefer = "Prefer: " + prefer + "\r\n"
	}
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, a.tokens["viewer"], prefer, len(body), body)
}

func connectBody(worker int, document string) string {
	return fmt.Sprintf(`{"externalWorkbookId":%q,"workbookName":"Figures","resultLocation":"Sheet1!B%d:D%d","sheetId":"0",`+
		`"resultChecksum":{"v":2,"chunks":[{"from":0,"to":16,"hash":"00112233445566778899aabbccddeeff"}]}}`, document, 20*worker+1, 20*worker+10)
}

func targetBody(worker int, document string) string {
	return fmt.Sprintf(`{"externalWorkbookId":%q,"sheetName":"Sheet1","anchorCell":"B%d"}`, document, 20*worker+1)
}

// yardstick is a bare gin handler that does one EVAL, gets the requests of m with their headers and bodies, and gives answers as long as m's.
func yardstick(t *testing.T, a *api, eval func(ctx context.Context, field string, value []byte) error, m measured) measured {
	t.Helper()
	length := 0
	for n := range 2 {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(m.request(0, n))))
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		a.sut.ServeHTTP(w, r)
		length += w.Body.Len() / 2
	}
	answer := []byte(`{"answer":"` + strings.Repeat("x", length-len(`{"answer":""}`)) + `"}`)
	return measured{"bare gin handler, one EVAL", listen(t, bareHandler(eval, answer)), func(worker, n int) []byte {
		_, rest, _ := bytes.Cut(m.request(worker, n), []byte("\r\n"))
		return append([]byte("PUT /bare/"+strconv.Itoa(worker)+" HTTP/1.1\r\n"), rest...)
	}}
}

// bareHandler writes the body into a hash.
func bareHandler(eval func(ctx context.Context, field string, value []byte) error, answer []byte) http.Handler {
	router := gin.New()
	router.PUT("/bare/:id", func(c *gin.Context) {
		body, err := io.ReadAll(c.Request.Body)
		if err == nil {
			err = eval(c.Request.Context(), c.Param("id"), body)
		}
		if err != nil {
			c.String(http.StatusInternalServerError, err.Error())
			return
		}
		c.Data(http.StatusOK, "application/json; charset=utf-8", answer)
	})
	return router
}

// listen serves h on a free loopback port for the length of the test.
func listen(t *testing.T, h http.Handler) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return l.Addr().String()
}

// made creates a report of usual size and gives its id.
func (a *api) made(t *testing.T) string {
	t.Helper()
	a.run(t, []step{{
		name: "create", method: "POST", path: "/reports", status: 200, keep: map[string]string{"made": "id"},
		body: `{"name":"Revenue by region","sqlQuery":"SELECT region, sum(revenue) FROM orders GROUP BY region","meta":{"chart":"bar"}}`,
	}})
	return a.vars["made"]
}

// fillReport connects a report at n addresses of a spreadsheet.
func (a *api) fillReport(t *testing.T, report, document string, n int) {
	t.Helper()
	for i := range n {
		s := step{
			method: "PUT", path: "/reports/" + report + "/connect-workbook", as: "viewer", body: connectBody(i, document), // as request sends them
			header: map[string]string{"Prefer": "return=minimal"},
		}
		if w := a.send(s); w.Code != http.StatusOK {
			t.Fatalf("placement %d: %d %s", i, w.Code, w.Body)
		}
	}
}

// printMemory prints what a placement with a checksum of 50 chunks takes in Redis, indexes included.
func printMemory(t *testing.T) {
	t.Helper()
	const placed = 1000
	address := storagetest.Redis(t)
	a := newAPI(t, storagetest.Open(t, address))
	a.sut = a.server.Handler()
	report := a.made(t)
	// The events of a deployment are bounded however many placements it has.
	used := func() int64 {
		return storagetest.MemoryOf(t, address, "mooring:*") - storagetest.MemoryOf(t, address, "mooring:*:events")
	}
	before := used()
	var chunks []string
	for i := range 50 {
		chunks = append(chunks, fmt.Sprintf(`{"from":%d,"to":%d,"hash":"00112233445566778899aabbccddeeff"}`, 16*i, 16*i+16))
	}
	sum := `{"v":2,"chunks":[` + strings.Join(chunks, ",") + `]}`
	for i := range placed {
		body := fmt.Sprintf(`{"externalWorkbookId":"1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms","workbookName":"Figures","sheetId":"0",`+
			`"resultLocation":"Sheet1!B%d:K%d","resultChecksum":%s}`, 1000*i+1, 1000*i+800, sum)
		s := step{method: "PUT", path: "/reports/" + report + "/connect-workbook", body: body, header: map[string]string{"Prefer": "return=minimal"}}
		if w := a.send(s); w.Code != http.StatusOK {
			t.Fatalf("placement %d: %d %s", i, w.Code, w.Body)
		}
	}
	fmt.Printf("| memory of Redis a placement with a digest of 50 chunks (%d bytes of JSON) | %d bytes, indexes included | |\n", len(sum), (used()-before)/placed)
}
