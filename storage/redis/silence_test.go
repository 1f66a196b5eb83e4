package redis_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"mooring/storage/redis"
	"mooring/storage/storagetest"
)

// unnoticed is a context whose deadline a connection meets before the context itself ends.
type unnoticed struct {
	context.Context
	deadline time.Time
}

func (c unnoticed) Deadline() (time.Time, bool) { return c.deadline, true }

func TestACallersLimitDoesNotMakeAServerSilent(t *testing.T) {
	rdb, err := redis.Dial(storagetest.Redis(t), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rdb.Close()
	if err := rdb.Get(unnoticed{t.Context(), time.Now()}, "key").Err(); err == nil || errors.Is(err, redis.Nil) {
		t.Fatalf("a command under a limit that is over: %v", err)
	}
	if err := rdb.Get(t.Context(), "key").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("the next one: %v", err)
	}
}
