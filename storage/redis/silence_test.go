package redis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
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

// listenSilently accepts connections for the length of the test and answers nothing.
func listenSilently(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	return l.Addr().String()
}

func TestASilentServerIsGivenUpAfterItsAddressesPatience(t *testing.T) {
	for _, form := range []string{"redis://%s?read_timeout=50ms", "%s,?read_timeout=50ms"} {
		address := fmt.Sprintf(form, listenSilently(t))
		rdb, err := redis.Dial(address, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer rdb.Close()
		if err := rdb.Get(t.Context(), "key").Err(); err == nil || errors.Is(err, redis.Nil) {
			t.Errorf("%s: a silent server answered %v", address, err)
		}
	}
}
