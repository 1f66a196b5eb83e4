//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
	"mooring/storage/record"
)

// freshSite is a PostgreSQL server whose changes the built program watches, with a report in a workbook.
type freshSite struct {
	*site
	db    *sourcetest.Postgres
	path  string // of the report
	agent *program
}

const freshSample = `
CREATE ROLE reader LOGIN PASSWORD 'read-only';
CREATE TABLE orders (id integer, amount integer);
CREATE TABLE prices (n integer);
INSERT INTO orders SELECT i, i FROM generate_series(1, 1000) AS i;
INSERT INTO prices VALUES (0);
GRANT SELECT ON orders, prices TO reader;`

const freshConfig = `
listen: 127.0.0.1:0
redis: ${REDIS}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
      1: {source: {kind: postgres, url: "${PG}", freshness: [${FRESHNESS}]}}
    spreadsheets:
      SHEETS_B: {kind: xlsx, dir: sheets}
`

// newFreshSite serves it from two processes, and returns once one of them watches.
func newFreshSite(t *testing.T, freshness string) *freshSite {
	t.Helper()
	s := &freshSite{db: sourcetest.StartPostgres(t)}
	s.db.Exec(t, freshSample)
	s.db.Exec(t, announcing(t))
	s.site = newEmptySite(t, freshConfig, "${PG}", s.db.URL("reader", "read-only", "postgres"), "${FRESHNESS}", freshness)
	s.agent = start(t, "agent", "--config", s.config)
	var id int64
	s.path, id = s.report("1", "SELECT sum(amount) AS amount, (SELECT max(n) FROM prices) AS n FROM orders")
	s.connect(s.path, "book.xlsx", "Sheet1!A1")
	body := map[string]any{"name": "yearly", "key": "yearly", "cron": "@yearly", "target": map[string]any{"reportId": id}}
	if err := s.client.do(t.Context(), http.MethodPost, "/api/v1/deployments/1/refresh-schedules", body, nil); err != nil {
		t.Fatal(err)
	}
	s.eventually("a first value is kept", func() bool { return s.stored("*:probe:*", "HGET", "changes") == "1" })
	return s
}

// stored is what a command says of the one key that matches; empty without such a key.
func (s *freshSite) stored(pattern, command string, args ...any) string {
	s.t.Helper()
	options, err := redis.ParseURL(s.redis)
	if err != nil {
		s.t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	keys, err := client.Keys(s.t.Context(), pattern).Result()
	if err != nil {
		s.t.Fatal(err)
	}
	isLease := func(key string) bool { return strings.HasSuffix(key, ":lease") }
	keys = slices.DeleteFunc(keys, func(key string) bool { return isLease(key) != isLease(pattern) })
	if len(keys) == 0 {
		return ""
	}
	text, _ := client.Do(s.t.Context(), append([]any{command, keys[0]}, args...)...).Text() // empty: the key is gone
	return text
}

func (s *freshSite) eventually(what string, done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("still not so: %s\n%s\n%s", what, s.server.out, s.agent.out)
		}
	}
}

// announcing is what the page on sources says makes the table prices announce its changes.
func announcing(t *testing.T) string {
	t.Helper()
	_, block, ok := strings.Cut(source.Readme(), "```sql\nCREATE FUNCTION prices_changed")
	block, _, _ = strings.Cut(block, "```")
	if !ok {
		t.Fatal("the page on sources shows no trigger")
	}
	return "CREATE FUNCTION prices_changed" + block
}

// change commits a change.
func (s *freshSite) change(n int) {
	s.t.Helper()
	s.db.Exec(s.t, fmt.Sprintf("UPDATE prices SET n = %d", n))
}

// shows reports whether a change stands in the workbook.
func (s *freshSite) shows(n int) bool {
	f, err := excelize.OpenFile(s.workbook())
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	text, err := f.GetCellValue("Sheet1", "B2")
	return err == nil && text == strconv.Itoa(n)
}

// heavy is how often the report's query was run, as the server has counted it: what it counts is seen up to a second later.
func (s *freshSite) heavy() int {
	s.t.Helper()
	n, err := strconv.Atoi(s.db.Exec(s.t, "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'orders'")[0][0])
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// runs are the report's.
func (s *freshSite) runs() []*record.Run {
	s.t.Helper()
	_, text := s.send(http.MethodGet, s.path+"/refreshes", "")
	var page struct{ Items []*record.Run }
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		s.t.Fatalf("%v: %s", err, text)
	}
	return page.Items
}

func TestChangesInPostgresReachTheSheet(t *testing.T) {
	t.Parallel()
	for name, freshness := range map[string]string{
		"announced":            "{listen: prices, debounce: 50ms}",
		"asked for":            "{query: SELECT max(n) FROM prices, every: 200ms, debounce: 50ms, schedules: [yearly, gone]}",
		"announced, then seen": "{query: SELECT max(n) FROM prices, every: 1h, listen: prices, debounce: 50ms}",
	} {
		t.Run(name, func(t *testing.T) {
			s := newFreshSite(t, freshness)
			before := s.heavy()
			for n := 1; n <= 5; n++ {
				s.change(n)
				s.eventually("the change is in the sheet", func() bool { return s.shows(n) })
			}
			s.eventually("the runs have ended", func() bool {
				return !slices.ContainsFunc(s.runs(), func(r *record.Run) bool { return r.EndedAt == "" })
			})
			s.eventually("the server has counted", func() bool { return s.heavy() >= before+5 })
			time.Sleep(2 * time.Second) // nothing depends on how long: more would only be seen then
			most := 5
			if !strings.Contains(freshness, "query") {
				most = 6 // an announcement has no value to know it by: who listens anew, after a stall, makes one run more
			}
			if n, runs := s.heavy()-before, s.runs(); n < 5 || n > most || len(runs) != n {
				t.Errorf("%d heavy queries and %d runs for 5 changes", n, len(runs))
			}
			for _, run := range s.runs() {
				if run.Trigger != record.TriggerChange {
					t.Errorf("trigger %s", run.Trigger)
				}
			}
			status, stdout, _ := mooring(t, "check", "--config", s.config)
			if status != process.ExitDone || !strings.Contains(stdout, "ok      tenant acme: source of deployment 1: freshness 1") {
				t.Errorf("status %d\n%s", status, stdout)
			}
			if named := strings.Contains(freshness, "gone"); named != strings.Contains(stdout, "has no schedule with the key gone: a change does not run it") {
				t.Errorf("check prints\n%s", stdout)
			}
		})
	}
}

// An agent that watches is killed, and the data changes before another one takes its place.
func TestAChangeWhileTheAgentThatWatchesDies(t *testing.T) {
	for name, freshness := range map[string]string{
		"announced": "{listen: prices}",
		"asked for": "{query: SELECT max(n) FROM prices, every: 200ms}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for a lease
			s := newFreshSite(t, freshness)
			holder := s.stored("*:probe:*:lease", "GET")
			victim := s.server
			if strings.Contains(holder, fmt.Sprintf("-%d-", s.agent.cmd.Process.Pid)) {
				victim = s.agent
			}
			if err := victim.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-victim.ended
			s.change(1)
			s.eventually("the change is in the sheet", func() bool { return s.shows(1) })
		})
	}
}

// TestFreshnessFigures prints how long a change takes from its commit to the cell; scripts/bench-freshness calls it. It checks what is in
// the sheet, not how long it takes.
func TestFreshnessFigures(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOORING_BENCH_FRESHNESS") == "" {
		t.Skip("run scripts/bench-freshness")
	}
	for _, row := range []struct{ name, freshness string }{
		{"announced by `NOTIFY`, debounce 1s", "{listen: prices}"},
		{"a query every 1s, debounce 1s", "{query: SELECT max(n) FROM prices, every: 1s}"},
		{"a query every 1s, debounce 500ms", "{query: SELECT max(n) FROM prices, every: 1s, debounce: 500ms}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			printFreshness(t, row.name, row.freshness)
		})
	}
}

// printFreshness prints how long changes of one site take. Sites that are measured side by side mostly wait.
func printFreshness(t *testing.T, name, freshness string) {
	const changes, rest = 40, 20 * time.Second
	s := newFreshSite(t, freshness)
	time.Sleep(2 * time.Second)
	before := s.heavy()
	time.Sleep(rest)
	idle := s.heavy() - before
	var took []time.Duration
	for n := 1; n <= changes; n++ {
		time.Sleep(rand.N(time.Second)) // a change may come at any time between two looks
		s.change(n)
		committed := time.Now()
		s.eventually("the change is in the sheet", func() bool { return s.shows(n) })
		took = append(took, time.Since(committed))
	}
	slices.Sort(took)
	fmt.Printf("| %s | p50 %d ms, p95 %d ms, longest of %d %d ms; queries of the report in %s without a change: %d | p95 <= 2 s, 0 |\n", name,
		took[changes/2].Milliseconds(), took[changes*95/100-1].Milliseconds(), changes, took[changes-1].Milliseconds(), rest, idle)
}
