package storage_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/standing"
	"mooring/storage/storagetest"
)

// What TestBenchOverview fills its storage with.
const (
	overviewReports    = 1000
	overviewPlacements = 100_000
	overviewDocuments  = 5000
)

// overviewRuns makes runs as the scripts of package queue leave them, many in a step, since those would take an hour.
//
//	KEYS   prefix of the deployment
//	ARGV   first, count, µs of the first, µs between two, run JSON
var overviewRuns = redis.NewScript(`
local prefix, root = KEYS[1], KEYS[1] .. 'runs:'
local first, count, start, step, json = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
for i = first, first + count - 1 do
  local id = string.format('RUN%023d', i)
  local place = string.format('%.0f', start + i * step) .. ':' .. id
  local report, owner = i % 1000 + 1, i * 7 % 200 + 1
  local states = {'state:SUCCEEDED'}
  if i % 25 == 0 then states = {'state:FAILED'} end
  if i % 100 == 0 then states = {'state:FAILED', 'state:CONFLICT'} end
  if i % 1000 == 1 then states = {'open'} end
  local lists = {'all', 'report:' .. report, 'owner:' .. owner, 'document:book-' .. i * 3 % 5000, i % 2 == 0 and 'host:SHEETS_A' or 'host:SHEETS_B'}
  for _, state in ipairs(states) do lists[#lists + 1] = state end
  for _, list in ipairs(lists) do redis.call('ZADD', root .. list, 0, place) end
  redis.call('HSET', prefix .. 'run:' .. id, 'run', json, 'state', states[1] == 'open' and 'QUEUED' or string.sub(states[1], 7), 'fence', 1,
    'report', report, 'listed', 1, 'startedAt', 0, 'place', place, 'facets', table.concat(lists, ' '))
end
return 1`)

// TestBenchOverview measures on a Redis that scripts/bench-overview has started what the console asks of a deployment of 100,000 placements.
func TestBenchOverview(t *testing.T) {
	address := os.Getenv("MOORING_BENCH_REDIS")
	if address == "" {
		t.Skip("scripts/bench-overview runs this on a Redis of its own")
	}
	runs, err := strconv.Atoi(os.Getenv("MOORING_BENCH_RUNS"))
	must(t, err)
	s := storagetest.Open(t, address)
	placeMany(t, s)
	makeRuns(t, s, runs)
	memory, err := s.Client().Info(t.Context(), "memory").Result()
	must(t, err)
	var used int64
	_, _ = fmt.Sscanf(memory[len("# Memory\r\nused_memory:"):], "%d", &used)
	fmt.Printf("| memory of Redis | %d MB | |\n", used>>20)

	ask := func(name string, call func() (any, error)) {
		var took []time.Duration
		var size int
		for range 50 {
			start := time.Now()
			out, err := call()
			took = append(took, time.Since(start))
			must(t, err)
			text, err := json.Marshal(out)
			must(t, err)
			size = len(text)
		}
		slices.Sort(took)
		fmt.Printf("| %s | p50 %.1f ms, longest of 50 %.1f ms; %.1f kB | |\n", name, took[25].Seconds()*1e3, took[49].Seconds()*1e3, float64(size)/1e3)
	}
	for _, hours := range []int{24, 7 * 24, 30 * 24} {
		ask(fmt.Sprintf("counts of %d hours", hours), func() (any, error) { return s.Queue().Runs.Stats(t.Context(), shop, hours) })
	}
	ask("counts of placements and documents", func() (any, error) {
		placed, documents, err := s.Standing().Counts(t.Context(), shop)
		return []any{placed, documents}, err
	})
	for name, f := range map[string]record.RunFilter{
		"runs": {}, "runs, SUCCEEDED": {State: placements.RunSucceeded}, "runs, CONFLICT": {State: record.RunConflict},
		"runs, QUEUED": {State: placements.RunQueued}, "runs, RUNNING (none)": {State: placements.RunRunning}, "runs, report": {Report: 7},
		"runs, owner": {Owner: 7}, "runs, document": {Documents: []string{"book-7"}}, "runs, host": {Host: placements.SheetsB},
		"runs, FAILED, report": {State: placements.RunFailed, Report: 1}, "runs, owner, host": {Owner: 7, Host: placements.SheetsA},
		"runs, FAILED, host":           {State: placements.RunFailed, Host: placements.SheetsA},
		"runs, FAILED, SHEETS_B (few)": {State: placements.RunFailed, Host: placements.SheetsB},
		"runs, document, SUCCEEDED":    {Documents: []string{"book-6"}, State: placements.RunSucceeded}, "runs, report, owner (none)": {Report: 7, Owner: 8},
	} {
		ask(name, func() (any, error) { return s.Queue().Runs.List(t.Context(), shop, f, "", 100, false) })
	}
	for name, f := range map[string]standing.Filter{
		"placements": {}, "placements, UNKNOWN": {Status: placements.Unknown}, "placements, FAILED": {Status: placements.Failed},
		"placements, host": {Host: placements.SheetsA}, "placements, document": {Document: "book-7"}, "placements, report": {Report: 7},
		"placements, owner": {Owner: ada.ID}, "placements, UNKNOWN, host": {Status: placements.Unknown, Host: placements.SheetsA},
	} {
		ask(name, func() (any, error) { return s.Standing().Placements(t.Context(), shop, f, "", 100) })
	}
	ask("documents", func() (any, error) { return s.Standing().Documents(t.Context(), shop, "", "", "", 100) })
}

// placeMany makes reports, and places each in a hundred spreadsheets.
func placeMany(t *testing.T, s *storage.Store) {
	t.Helper()
	ids := make(chan int64, overviewReports)
	for i := range overviewReports {
		ids <- create(t, s, shop, named("Report "+strconv.Itoa(i), "select "+strconv.Itoa(i))).ID
	}
	close(ids)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for id := range ids {
				for i := range overviewPlacements / overviewReports {
					n := int(id)*100 + i
					_, err := s.Placements().Connect(t.Context(), shop, id, placements.Connection{
						ExternalWorkbookID: "book-" + strconv.Itoa(n%overviewDocuments), AddressOnly: true, PlacementID: "p" + strconv.Itoa(n),
						ResultLocation: "Data!A" + strconv.Itoa(1+n/overviewDocuments*10), Host: placements.SheetsA,
					}, ada, nil, false)
					if err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	group.Wait()
}

// makeRuns makes runs over the last 29 days.
func makeRuns(t *testing.T, s *storage.Store, runs int) {
	t.Helper()
	const step = 1000
	k, start := keys.Of(shop, storage.DefaultPartitions), time.Now().Add(-29*24*time.Hour)
	between := (29 * 24 * time.Hour).Microseconds() / int64(runs)
	text, err := record.EncodeRun(&record.Run{
		ID: "RUN", ReportID: 1, PlacementID: "p100", RequestedBy: ada, Trigger: record.TriggerSchedule, State: placements.RunSucceeded,
		FireTime: placements.Time(start), StartedAt: placements.Time(start), EndedAt: placements.Time(start), Attempt: 1,
		Placements: []record.RunPlacement{{PlacementID: "p100", RunAsUserID: 7, State: placements.RunSucceeded}},
	})
	must(t, err)
	for first := 0; first < runs; first += step {
		err := overviewRuns.Run(t.Context(), s.Client(), []string{k.Prefix}, first, step, start.UnixMicro(), between, text).Err()
		must(t, err)
	}
}
