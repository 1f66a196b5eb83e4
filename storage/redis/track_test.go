package redis_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"mooring/storage/redis"
	"mooring/storage/storagetest"
)

// Whatever another connection wrote before Changed is called is among what it returns, however many write meanwhile.
func TestTracker(t *testing.T) {
	rdb, err := redis.Dial(storagetest.Redis(t), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rdb.Close()
	tracker, err := redis.Track(t.Context(), rdb, "mooring:{p00}:t:acme:")
	if err != nil {
		t.Fatal(err)
	}
	defer tracker.Close()
	noise, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for n := 0; noise.Err() == nil; n++ {
				rdb.Set(noise, fmt.Sprintf("mooring:{p00}:t:acme:noise:%d:%d", i, n%100), n, 0)
			}
		})
	}
	for n := range 2000 {
		key := fmt.Sprintf("mooring:{p00}:t:acme:k%d", n)
		if err := rdb.Set(t.Context(), key, n, 0).Err(); err != nil {
			t.Fatal(err)
		}
		if n == 1000 {
			time.Sleep(6 * time.Second)
		}
		names, err := tracker.Changed()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, name := range names {
			found = found || name == key
		}
		if !found {
			t.Fatalf("%s was written and not told", key)
		}
	}
	stop()
	group.Wait()

	// A hold keeps writers waiting, and not readers.
	if err := tracker.Hold(300 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := rdb.Get(t.Context(), "mooring:{p00}:t:acme:k1").Err(); err != nil || time.Since(began) > 200*time.Millisecond {
		t.Errorf("read: %v after %s", err, time.Since(began))
	}
	group.Go(func() {
		if err := rdb.Set(t.Context(), "mooring:{p00}:t:acme:k1", "x", 0).Err(); err != nil || time.Since(began) < 50*time.Millisecond {
			t.Errorf("write: %v after %s", err, time.Since(began))
		}
	})
	time.Sleep(60 * time.Millisecond)
	if err := tracker.Release(); err != nil {
		t.Error(err)
	}
	group.Wait()
	if took := time.Since(began); took > 280*time.Millisecond {
		t.Errorf("released after %s", took)
	}

	// A connection that was lost is an error, and not a quiet time.
	rdb.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	if names, err := tracker.Changed(); err == nil {
		t.Errorf("after a lost connection: %v", names)
	}
}
