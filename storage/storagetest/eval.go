package storagetest

import (
	"context"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// plainEval is what the cheapest write through a script costs.
//
//	KEYS   hash
//	ARGV   field, value
//	result 1
var plainEval = redis.NewScript(`redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) return 1`)

// Eval gives a function that does one EVAL on the plain connection pool of a client of its own: the yardstick of benchmarks.
func Eval(t testing.TB, address string) func(ctx context.Context, field string, value []byte) error {
	rdb := client(t, address)
	return func(ctx context.Context, field string, value []byte) error {
		return plainEval.Run(ctx, rdb, []string{"mooring:{bench}:yardstick"}, field, value).Err()
	}
}

// MemoryOf sums what the keys that match a pattern take, in bytes.
func MemoryOf(t testing.TB, address, pattern string) (bytes int64) {
	t.Helper()
	rdb := client(t, address)
	scan := rdb.Scan(t.Context(), 0, pattern, 1000).Iterator()
	for scan.Next(t.Context()) {
		n, err := rdb.MemoryUsage(t.Context(), scan.Val(), 0).Result()
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return bytes
}

func client(t testing.TB, address string) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(address, "redis://"), ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}
