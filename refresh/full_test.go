package refresh

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/placements"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// firstLine is closed at the first line of a log.
type firstLine struct {
	once sync.Once
	ch   chan struct{}
	text bytes.Buffer
}

func (f *firstLine) Write(p []byte) (int, error) {
	f.once.Do(func() {
		f.text.Write(p)
		close(f.ch)
	})
	return len(p), nil
}

// A full storage costs a run time and nothing else.
func TestAnAgentWaitsWhileStorageIsFull(t *testing.T) {
	t.Parallel()
	address := storagetest.Server(t, "maxmemory-policy noeviction")
	rdb := storagetest.Client(t, address)
	r := newRig(t, storagetest.Open(t, storagetest.Addr(address)))
	r.connect("Sheet1!B2")
	run, err := r.engine.Start(t.Context(), r.d, Request{Target: record.RunTarget{ReportID: r.report}, By: record.Actor{ID: 7}})
	must(t, err)
	must(t, rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())

	complains := &firstLine{ch: make(chan struct{})}
	r.engine = New(Config{Store: r.engine.records, Tenants: r.engine.tenants, Log: slog.New(slog.NewTextHandler(complains, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	stop := r.serve()
	<-complains.ch
	got, err := r.engine.queue.Queue.Runs.Get(t.Context(), r.d, run.ID)
	must(t, err)
	if got.EndedAt != "" || got.ErrorClass != "" {
		t.Errorf("with a full storage the run is %s, %s", got.State, got.Error)
	}
	must(t, rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	r.eventually("the run has ended", func() bool {
		got, err = r.engine.queue.Queue.Runs.Get(t.Context(), r.d, run.ID)
		must(t, err)
		return got.EndedAt != ""
	})
	stop()
	if got.State != placements.RunSucceeded || got.RowsWritten != 4 {
		t.Errorf("the run is %s with %d rows written: %s", got.State, got.RowsWritten, got.Error)
	}
}

// allLines is a log that tests count in while it grows.
type allLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *allLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *allLines) count(of string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), of)
}

// Many runs wait in the queue together, without a line of the log for each, and each has one attempt once there is room.
func TestRunsStayInTheQueueWhileStorageIsFull(t *testing.T) {
	t.Parallel()
	const waiting = 100
	address := storagetest.Server(t, "maxmemory-policy noeviction")
	rdb := storagetest.Client(t, address)
	r := newRig(t, storagetest.Open(t, storagetest.Addr(address)))
	must(t, r.engine.queue.Queue.Prepare(t.Context()))
	var ids []string
	for i := range waiting {
		p := r.connect(fmt.Sprintf("Sheet1!B%d", 2+10*i))
		run, err := r.engine.Start(t.Context(), r.d, Request{Target: record.RunTarget{ReportID: r.report, PlacementID: p.ID}, By: record.Actor{ID: 7}})
		must(t, err)
		ids = append(ids, run.ID)
	}
	queues := rdb.Keys(t.Context(), "mooring:{p*}:runs*").Val()
	for _, key := range queues { // the agent is to start before storage is full, and to find the runs after
		must(t, rdb.Rename(t.Context(), key, "aside:"+key).Err())
	}
	log := &allLines{}
	r.engine = New(Config{Store: r.engine.records, Tenants: r.engine.tenants, Log: slog.New(slog.NewTextHandler(log, nil))})
	defer r.serve()()
	r.eventually("the agent has started", func() bool { return log.count("agent started") > 0 })
	must(t, rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())
	for _, key := range queues {
		must(t, rdb.Rename(t.Context(), "aside:"+key, key).Err())
	}
	r.eventually("the agent waits", func() bool { return log.count("agent waits for the storage") > 0 })
	time.Sleep(3 * backOff) // several rounds of each loop
	if n := log.count("level=ERROR"); n != 1 {
		t.Errorf("%d lines, want one in the log while storage is full:\n%s", n, log.text.String())
	}
	for _, id := range ids {
		run, err := r.engine.queue.Queue.Runs.Get(t.Context(), r.d, id)
		must(t, err)
		if run.State != placements.RunQueued || run.Attempt != 0 {
			t.Errorf("run %s is %s after %d attempts, while storage is full", id, run.State, run.Attempt)
		}
	}
	must(t, rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	for _, id := range ids {
		var run *record.Run
		r.eventually("the run has ended", func() (ended bool) {
			var err error
			run, err = r.engine.queue.Queue.Runs.Get(t.Context(), r.d, id)
			must(t, err)
			return run.EndedAt != ""
		})
		if run.State != placements.RunSucceeded {
			t.Errorf("run %s is %s after %d attempts: %s", id, run.State, run.Attempt, run.Error)
		}
	}
}
