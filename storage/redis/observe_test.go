package redis_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"mooring/storage/redis"
	"mooring/storage/storagetest"
)

// heard is an Observer that remembers.
type heard struct {
	mu   sync.Mutex
	told []string // kind, and what failed
}

func (h *heard) Exchanged(kind string, took time.Duration, failure string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if took <= 0 {
		failure += " in no time"
	}
	h.told = append(h.told, kind+" "+failure)
}

// take returns what was told since the last call.
func (h *heard) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := h.told
	h.told = nil
	return told
}

func observedClient(t *testing.T, address string) (redis.UniversalClient, *heard) {
	t.Helper()
	h := new(heard)
	rdb, err := redis.Dial(address, nil, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb, h
}

func TestAnObserverIsToldOfEveryExchange(t *testing.T) {
	rdb, h := observedClient(t, storagetest.Redis(t))
	ctx := t.Context()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	script := redis.NewScript("return 1")
	for _, row := range []struct {
		name string
		do   func()
		want []string
	}{
		{"a command", func() { rdb.Set(ctx, "k", "v", 0) }, []string{"command "}},
		{"a key that is missing is an answer", func() { rdb.Get(ctx, "none") }, []string{"command "}},
		{"a command that does not fit", func() { rdb.HGetAll(ctx, "k") }, []string{"command other"}},
		{"a script, loaded at first", func() { script.Run(ctx, rdb, nil) }, []string{"script ", "script "}},
		{"a script that fails", func() { rdb.Eval(ctx, "return redis.call('HGET', 'k', 'f')", nil) }, []string{"script other"}},
		{"a pipeline is one exchange", func() {
			p := rdb.Pipeline()
			p.Get(ctx, "none")
			p.HGetAll(ctx, "k")
			p.Get(ctx, "k")
			_, _ = p.Exec(ctx)
		}, []string{"pipeline other"}},
		{"one that waits for news", func() {
			rdb.XRead(ctx, &redis.XReadArgs{Streams: []string{"s", "$"}, Block: time.Millisecond})
		}, []string{"wait "}},
		{"a caller that went away is no failure", func() { rdb.Get(gone, "k") }, []string{"command "}},
		{"a server without room", func() {
			rdb.Do(ctx, "config", "set", "maxmemory", "1")
			h.take()
			rdb.Set(ctx, "k2", "v", 0)
			rdb.Eval(ctx, "return redis.call('SET', 'k2', 'v')", nil)
		}, []string{"command full", "script full"}},
		{"a replica", func() {
			rdb.Do(ctx, "config", "set", "maxmemory", "0")
			rdb.Do(ctx, "replicaof", "127.0.0.1", "1")
			h.take()
			rdb.Set(ctx, "k2", "v", 0)
		}, []string{"command readonly"}},
	} {
		row.do()
		if got := h.take(); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestAnObserverIsToldOfAServerThatIsNotThere(t *testing.T) {
	rdb, h := observedClient(t, storagetest.FreeAddr(t))
	rdb.Get(t.Context(), "k")
	if got := h.take(); !slices.Equal(got, []string{"command unreachable"}) {
		t.Errorf("%q", got)
	}
}

// The commands that a pipelined client sends in batches count as pipelines, and those of a cluster as one however many nodes are asked.
func TestAnObserverIsToldOfBatchesAndClusters(t *testing.T) {
	rdb, h := observedClient(t, storagetest.Cluster(t))
	hot, err := redis.Pipeline(rdb, false)
	if err != nil {
		t.Fatal(err)
	}
	h.take()
	if err := redis.NewScript("return 1").Run(t.Context(), hot, []string{"k"}).Err(); err != nil {
		t.Fatal(err)
	}
	for _, told := range h.take() {
		if told != "pipeline " && told != "script " {
			t.Errorf("%q", told)
		}
	}
	p := rdb.Pipeline()
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		p.Set(t.Context(), key, "v", 0)
	}
	if _, err := p.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.take(); !slices.Equal(got, []string{"pipeline "}) {
		t.Errorf("%q", got)
	}
}
