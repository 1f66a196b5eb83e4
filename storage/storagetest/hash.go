package storagetest

import (
	"context"
	"testing"
)

// HGetAll stores fields as one hash and returns a function that reads it on the plain connection pool of a client of its own: the yardstick
// of benchmarks of reads.
func HGetAll(t testing.TB, address string, fields map[string]string) func(ctx context.Context) (map[string]string, error) {
	t.Helper()
	rdb := Client(t, address)
	const key = "mooring:{bench}:read"
	if err := rdb.HSet(t.Context(), key, fields).Err(); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) (map[string]string, error) { return rdb.HGetAll(ctx, key).Result() }
}
