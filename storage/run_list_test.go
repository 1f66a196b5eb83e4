package storage_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// listed are the ids that a list of runs has, the latest first.
func listed(t *testing.T, s *storage.Store, d record.Deployment, f record.RunFilter) (ids []string) {
	t.Helper()
	for after := ""; ; {
		page, err := s.Queue().Runs.List(t.Context(), d, f, after, 7, false)
		must(t, err)
		for _, run := range page.Runs {
			ids = append(ids, run.ID)
		}
		if after = page.End; !page.HasNextPage {
			return ids
		}
	}
}

// Whatever is done to runs, each list has exactly the runs that are stored and fit its filter.
func TestListsOfRunsHaveWhatIsStored(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		other := create(c.T, c.s, c.d(), named("Other", "select 2"))
		reports, documents := []int64{c.report.ID, other.ID}, []string{"book", `a "b" \ é`, "q: 1/2"}
		for _, report := range reports {
			for i, document := range documents {
				host := []placements.Host{placements.SheetsA, placements.SheetsB}[i%2]
				_, err := c.s.Placements().Connect(c.Context(), c.d(), report, placements.Connection{
					ExternalWorkbookID: document, ResultLocation: "Data!A1", PlacementID: placementIn(report, i), Host: host, AddressOnly: true,
				}, ada, nil, false)
				must(c.T, err)
			}
		}
		for range 40 {
			switch rand.N(5) {
			case 0:
				c.fire(1 + rand.N(60))
			case 1:
				run := &record.Run{ReportID: reports[rand.N(2)], RequestedBy: record.Actor{ID: rand.Int64N(3)}}
				if rand.N(2) == 0 {
					run.PlacementID = placementIn(run.ReportID, rand.N(4)) // the last one does not exist
				} else if rand.N(2) == 0 {
					run.ExternalWorkbookID = documents[rand.N(3)]
				}
				_ = storagetest.Enqueue(c.Context(), c.q, c.d(), run) // one on that target may not have ended
			default:
				for _, e := range c.take("agent") {
					if a, err := c.q.Queue.Begin(c.Context(), "agent", e); err == nil {
						c.endSomehow(a)
					}
				}
			}
		}
		c.wantLists(documents)
		c.wantStats()
		must(c.T, c.s.Reports().Delete(c.Context(), c.d(), other.ID, ada, anyone))
		if left := listed(c.T, c.s, c.d(), record.RunFilter{Report: other.ID}); len(left) > 0 {
			c.Errorf("a deleted report has runs: %v", left)
		}
		c.wantLists(documents, other.ID)
	})
}

// A placement that cannot be read keeps no run from being made, since the runs of many schedules are made in one step.
func TestRunsAreMadeBesideAPlacementThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"no record", "1\t\t\t\t\t\n{", "1\t\t\t\t\t\n7", `1\n{"workbookId":"a\"b`} {
		eachClockwork(t, "queue", func(c *clockwork) {
			hash := strings.TrimSuffix(c.s.StandingKey(c.d()), "standing") + "report:" + strconv.FormatInt(c.report.ID, 10) + ":placements"
			must(c.T, c.s.Client().HSet(c.Context(), hash, "p:x", text).Err())
			fired := c.fire(1)
			if got := listed(c.T, c.s, c.d(), record.RunFilter{Report: c.report.ID}); !slices.Equal(got, fired) {
				c.Errorf("%q: listed %v, want %v", text, got, fired)
			}
			must(c.T, c.s.Client().HDel(c.Context(), hash, "p:x").Err())
		})
	}
}

// placementIn is the id of a report's placement in one of the documents.
func placementIn(report int64, document int) string {
	return "p" + strconv.FormatInt(report, 10) + "-" + strconv.Itoa(document)
}

// wantLists compares every list with what is stored; runs of deleted reports are in none.
func (c *clockwork) wantLists(documents []string, deleted ...int64) {
	c.Helper()
	want := map[string]map[string]bool{}
	add := func(list, id string) {
		if want[list] == nil {
			want[list] = map[string]bool{}
		}
		want[list][id] = true
	}
	for id, run := range c.storedRuns() {
		if slices.Contains(deleted, run.ReportID) {
			continue
		}
		lists := append(listsOfState(run), "all", "report:"+strconv.FormatInt(run.ReportID, 10))
		lists = append(lists, "owner:"+strconv.FormatInt(run.RequestedBy.ID, 10))
		for i, document := range documents {
			target := run.Target()
			if target.Has(placements.Placement{ID: placementIn(run.ReportID, i), WorkbookID: document}) {
				lists = append(lists, "document:"+document, "host:SHEETS_"+"AB"[i%2:i%2+1])
			}
		}
		for _, list := range lists {
			add(list, id)
		}
	}
	got := map[string]map[string]bool{}
	for key, members := range c.s.Dump(c.T) {
		if _, list, is := strings.Cut(key, ":d:1:runs:"); is {
			got[list] = map[string]bool{}
			for member := range members {
				_, id, _ := strings.Cut(member, ":")
				got[list][id] = true
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.Errorf("lists (-from scratch +kept):\n%s", diff)
	}
	if ids := listed(c.T, c.s, c.d(), record.RunFilter{}); len(ids) != len(want["all"]) {
		c.Errorf("%d runs are listed, %d are stored", len(ids), len(want["all"]))
	}
	for _, state := range []placements.RunState{placements.RunQueued, placements.RunRunning, placements.RunFailed, record.RunConflict} {
		both := record.RunFilter{State: state, Documents: []string{"book"}}
		var fit []string
		for id := range want["document:book"] {
			if run := c.run(id); run.State == state || state == record.RunConflict && want["state:CONFLICT"][id] {
				fit = append(fit, id)
			}
		}
		slices.Sort(fit)
		if diff := cmp.Diff(fit, slices.Sorted(slices.Values(listed(c.T, c.s, c.d(), both)))); diff != "" {
			c.Errorf("%+v (-want +got):\n%s", both, diff)
		}
	}
}

// listsOfState names the lists that a run is in because of its state.
func listsOfState(run *record.Run) []string {
	switch {
	case run.State == placements.RunQueued || run.State == placements.RunRunning:
		return []string{"open"}
	case run.State == placements.RunFailed && run.ErrorClass == placements.Conflict:
		return []string{"state:FAILED", "state:CONFLICT"}
	}
	return []string{"state:" + string(run.State)}
}

// storedRuns reads every run of the clockwork's deployment.
func (c *clockwork) storedRuns() map[string]*record.Run {
	c.Helper()
	runs := map[string]*record.Run{}
	for key := range c.s.Dump(c.T) {
		if _, id, is := strings.Cut(key, ":d:1:run:"); is {
			runs[id] = c.run(id)
		}
	}
	return runs
}

//go:embed testdata/layout_1.json
var layout1 []byte

// A storage of layout 1 gets its lists at the next start, also after one that was interrupted.
func TestLayout1(t *testing.T) {
	server, rdb := ofLayout(t, layout1)
	open := func() *storage.Store {
		s, err := storage.Open(t.Context(), storage.Config{Address: server})
		must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s := open()
	want := map[string]int{"": 5, "QUEUED": 3, "RUNNING": 1, "FAILED": 1}
	for state, n := range want {
		if ids := listed(t, s, shop, record.RunFilter{State: placements.RunState(state)}); len(ids) != n {
			t.Errorf("runs in state %q: %v, want %d", state, ids, n)
		}
	}
	for _, want := range []struct {
		f record.RunFilter
		n int
	}{
		{record.RunFilter{Documents: []string{"book"}}, 5},
		{record.RunFilter{Documents: []string{`a "b" \ é`}}, 3},
		{record.RunFilter{Owner: 8}, 1},
		{record.RunFilter{Report: 1}, 5},
		{record.RunFilter{Host: placements.SheetsB}, 0},
	} {
		if ids := listed(t, s, shop, want.f); len(ids) != want.n {
			t.Errorf("%+v: %v, want %d", want.f, ids, want.n)
		}
	}
	before := s.Dump(t)
	checkIndex(t, before)
	must(t, rdb.Set(t.Context(), "mooring:schema", 1, 0).Err())
	wantSameDump(t, before, open().Dump(t))

	must(t, rdb.Set(t.Context(), "mooring:schema", 99, 0).Err())
	if _, err := storage.Open(t.Context(), storage.Config{Address: server}); err == nil || !strings.Contains(err.Error(), "layout 99") {
		t.Errorf("a later layout: %v", err)
	}
}

// ofLayout starts a server that holds what a program of an earlier layout had stored.
func ofLayout(t *testing.T, stored []byte) (server string, rdb *redis.Client) {
	t.Helper()
	var keys map[string]json.RawMessage
	must(t, json.Unmarshal(stored, &keys))
	server = storagetest.Redis(t)
	rdb = storagetest.Client(t, server)
	p, ctx := rdb.Pipeline(), t.Context()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		var text string
		var hash map[string]string
		var set map[string]float64
		switch {
		case json.Unmarshal(keys[key], &text) == nil:
			p.Set(ctx, key, text, 0)
		case json.Unmarshal(keys[key], &hash) == nil:
			p.HSet(ctx, key, hash)
		case json.Unmarshal(keys[key], &set) == nil:
			for member, score := range set {
				p.ZAdd(ctx, key, redis.Z{Score: score, Member: member})
			}
		}
	}
	_, err := p.Exec(ctx)
	must(t, err)
	return server, rdb
}

// A step to another layout that cannot read what it lists has failed, and is done again at the next start.
func TestRunsThatTheStorageDoesNotAnswerAreNoLessListed(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		runs := append(c.fire(2), "forgotten")
		read := func(err error) { c.Errorf("unreadable: %v", err) }
		must(c.T, c.q.Queue.Runs.Adopt(c.Context(), c.d(), runs, read))
		c.s.Client().AddHook(noAnswers{})
		if err := c.q.Queue.Runs.Adopt(c.Context(), c.d(), runs, read); !errors.Is(err, storage.ErrUnavailable) {
			c.Errorf("without an answer: %v, want %v", err, storage.ErrUnavailable)
		}
	})
}

// noAnswers is a hook that breaks pipelines.
type noAnswers struct{}

func (noAnswers) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (noAnswers) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (noAnswers) ProcessPipelineHook(redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(_ context.Context, list []redis.Cmder) error {
		for _, cmd := range list {
			cmd.SetErr(io.ErrUnexpectedEOF)
		}
		return io.ErrUnexpectedEOF
	}
}

// Runs that are older than they are remembered are not listed, and their places go with those that come.
func TestOldRunsAreNotListed(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		id := c.manual()
		past := strconv.FormatInt(time.Now().Add(-91*24*time.Hour).UnixMicro(), 10) + ":gone"
		keys, err := c.s.Client().Keys(c.Context(), "*:runs:all").Result()
		must(c.T, err)
		must(c.T, c.s.Client().ZAdd(c.Context(), keys[0], redis.Z{Member: past}).Err())
		if diff := cmp.Diff([]string{id}, listed(c.T, c.s, c.d(), record.RunFilter{})); diff != "" {
			c.Errorf("-want +got:\n%s", diff)
		}
	})
}

// endSomehow ends an attempt in one of the ways in which attempts end, or leaves it running.
func (c *clockwork) endSomehow(a *queue.Attempt) {
	c.Helper()
	switch rand.N(6) {
	case 0:
		c.again(a)
	case 4:
		a.Run.ErrorClass = placements.Conflict
		must(c.T, c.end(a, placements.RunFailed))
	case 1:
		must(c.T, c.end(a, placements.RunFailed))
	case 2:
		must(c.T, c.end(a, placements.RunStopped))
	case 3:
		must(c.T, c.end(a, placements.RunSucceeded))
	}
}
