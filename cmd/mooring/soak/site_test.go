//go:build linux

package soak

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	_ "modernc.org/sqlite"

	"mooring/cmd/mooring/programtest"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

const configuration = `
listen: 127.0.0.1:0
ops: {listen: %q}
redis: %s
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
limits: {schedulesPerUser: 0, schedulesPerTenant: 0}
tenants:
  acme:
    deployments: {1: {source: {kind: sqlite, path: items.db}}}
    spreadsheets: {SHEETS_B: {kind: xlsx, dir: sheets}}
`

// query returns another row each minute.
const query = "SELECT name, amount FROM items UNION ALL SELECT 'as of', strftime('%H:%M', 'now')"

// Each report keeps 100 runs: with so many reports, all keep as many after some ten minutes. Its blocks stand in as many documents.
const (
	reports   = 20
	documents = 50
	blocks    = reports * documents
)

// jitter spreads the runs of a minute over most of it, in seconds.
const jitter = 45

const interfacePath = "/api/v1/deployments/1"

// site is the program with all that it works on.
type site struct {
	t             *testing.T
	dir           string
	config        string
	redis         string // its address
	server, agent watched
	base          string // of the interface
	token         string
	calendar      calendar
	reports       []int64
	schedules     map[int64]int // by their ids, the index in the calendar
}

// watched is a process and where operators look at it.
type watched struct {
	*programtest.Process
	ops string // base address
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newSite starts the servers, makes everything and has an agent begin.
func newSite(t *testing.T, schedules int) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), redis: storagetest.Redis(t), calendar: newCalendar(schedules), schedules: map[int64]int{}}
	s.makeSource()
	must(t, os.Mkdir(filepath.Join(s.dir, "sheets"), 0o755))
	ops := storagetest.FreeAddr(t)
	s.config = filepath.Join(s.dir, "mooring.yaml")
	must(t, os.WriteFile(s.config, fmt.Appendf(nil, configuration, ops, s.redis), 0o600))
	s.server.Process, s.base = programtest.Serve(t, s.config, "--agent=false")
	s.server.ops = "http://" + ops
	s.token = programtest.Key(t, s.config, "--user", "1", "--action", "All")
	s.makeBlocks()
	s.makeSchedules()
	ops = storagetest.FreeAddr(t)
	s.agent = watched{programtest.Start(t, "agent", "--config", s.config, "--listen", ops), "http://" + ops}
	s.agent.WaitFor("agent at work")
	return s
}

func (s *site) makeSource() {
	s.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.dir, "items.db"))
	must(s.t, err)
	_, err = db.Exec("CREATE TABLE items (name, amount); INSERT INTO items VALUES ('anchor', 1), ('buoy', 2), ('chain', 3), ('drum', 4)")
	must(s.t, err)
	must(s.t, db.Close())
}

// makeBlocks makes the reports, and places each in every document.
func (s *site) makeBlocks() {
	s.t.Helper()
	for i := range documents {
		f := excelize.NewFile()
		must(s.t, f.SaveAs(filepath.Join(s.dir, "sheets", document(i))))
		must(s.t, f.Close())
	}
	for i := range reports {
		var made struct{ ID int64 }
		must(s.t, s.send("POST", "/reports", map[string]any{"name": fmt.Sprintf("Items %d", i), "sqlQuery": query}, &made))
		s.reports = append(s.reports, made.ID)
	}
	s.each(blocks, func(i int) error {
		return s.send("PUT", fmt.Sprintf("/reports/%d/connect-workbook", s.report(i)), map[string]any{
			"externalWorkbookId": document(i / reports), "resultLocation": fmt.Sprintf("Sheet1!B%d", 2+10*(i%reports)),
			"host": "SHEETS_B", "addressOnly": true, "placementId": placement(i),
		}, nil)
	})
}

func document(i int) string  { return fmt.Sprintf("items-%02d.xlsx", i) }
func placement(i int) string { return fmt.Sprintf("p-%03d", i) }

// report is the id of the report of the i-th block.
func (s *site) report(i int) int64 { return s.reports[i%reports] }

// makeSchedules makes them as the server does, but for the warning of another schedule of the same at the same times: for that it reads all
// schedules of the report, which are thousands here.
func (s *site) makeSchedules() {
	s.t.Helper()
	store, err := storage.Open(s.t.Context(), storage.Config{Address: s.redis, Log: slog.New(slog.DiscardHandler)})
	must(s.t, err)
	engine := refresh.New(refresh.Config{Store: store, Log: slog.New(slog.DiscardHandler)})
	owner := record.Actor{ID: 1, Actions: []string{record.ActionAll}}
	var mu sync.Mutex
	s.each(s.calendar.schedules, func(i int) error {
		block := i % blocks
		made, err := engine.Schedules().Create(s.t.Context(), record.Deployment{Tenant: "acme", ID: 1}, record.ScheduleSpec{
			Name: fmt.Sprintf("Items %d", i), Cron: []string{s.calendar.cron(i)}, Timezone: "UTC", JitterSeconds: jitter,
			Target: record.RunTarget{ReportID: s.report(block), PlacementID: placement(block)},
		}, owner)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		s.schedules[made.ID] = i
		return nil
	})
	must(s.t, store.Close())
}

// each calls do for every index below n, several at a time, and ends the test at the first error.
func (s *site) each(n int, do func(i int) error) {
	s.t.Helper()
	var next atomic.Int64
	faults := make(chan error, n)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					faults <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(faults)
	for err := range faults {
		s.t.Fatal(err)
	}
}

// client keeps one connection, so that the server has as many at each sample.
var client = &http.Client{Timeout: programtest.Patience, Transport: &http.Transport{MaxIdleConnsPerHost: 1}}

// send sends a request below the deployment that must succeed, and reads the answer into out, unless that is nil.
func (s *site) send(method, path string, body, out any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+interfacePath+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode >= http.StatusMultipleChoices:
		return fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, text)
	case out == nil:
		return nil
	}
	return json.Unmarshal(text, out)
}

// run is one of the list of runs.
type run struct {
	ID         string
	ScheduleID int64
	State      string
	FireTime   time.Time
	Error      string
}

// runs lists those of the deployment that were made at a time or later.
func (s *site) runs(since time.Time) (list []run) {
	s.t.Helper()
	for after, more := "", true; more; {
		var page struct {
			Items    []run
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		params := url.Values{"first": {"100"}, "since": {since.UTC().Format(time.RFC3339)}}
		if after != "" {
			params.Set("after", after)
		}
		must(s.t, s.send("GET", "/refreshes?"+params.Encode(), nil, &page))
		list = append(list, page.Items...)
		after, more = page.PageInfo.EndCursor, page.PageInfo.HasNextPage
	}
	return list
}
