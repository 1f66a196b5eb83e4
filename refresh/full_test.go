package refresh

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

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
	address := storagetest.Server(t, "maxmemory-policy noeviction")
	rdb := redis.NewClient(&redis.Options{Addr: address})
	defer rdb.Close()
	r := newRig(t, storagetest.Open(t, "redis://"+address))
	r.connect("Sheet1!B2")
	run, err := r.engine.Start(t.Context(), r.d, Request{Target: record.RunTarget{ReportID: r.report}, By: record.Actor{ID: 7}})
	must(t, err)
	must(t, rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())

	complains := &firstLine{ch: make(chan struct{})}
	r.engine = New(Config{Store: r.engine.records, Tenants: r.engine.tenants, Log: slog.New(slog.NewTextHandler(complains, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	stop := r.serve()
	<-complains.ch
	got, err := r.engine.queue.Run(t.Context(), r.d, run.ID)
	must(t, err)
	if got.EndedAt != "" || got.ErrorClass != "" {
		t.Errorf("with a full storage the run is %s, %s", got.State, got.Error)
	}
	must(t, rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	r.eventually("the run has ended", func() bool {
		got, err = r.engine.queue.Run(t.Context(), r.d, run.ID)
		must(t, err)
		return got.EndedAt != ""
	})
	stop()
	if got.State != placements.RunSucceeded || got.RowsWritten != 4 {
		t.Errorf("the run is %s with %d rows written: %s", got.State, got.RowsWritten, got.Error)
	}
}
