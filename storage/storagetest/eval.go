package storagetest

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// plainEval is what the cheapest write through a script costs.
//
//	KEYS   hash
//	ARGV   field, value
//	result 1
var plainEval = redis.NewScript(`redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) return 1`)

// Eval returns a function that does one EVAL on the plain connection pool of a client of its own: the yardstick of benchmarks.
func Eval(t testing.TB, address string) func(ctx context.Context, field string, value []byte) error {
	rdb := Client(t, address)
	return func(ctx context.Context, field string, value []byte) error {
		return plainEval.Run(ctx, rdb, []string{"mooring:{bench}:yardstick"}, field, value).Err()
	}
}

// MemoryOf sums what the keys that match a pattern take, in bytes.
func MemoryOf(t testing.TB, address, pattern string) (bytes int64) {
	t.Helper()
	rdb := Client(t, address)
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

// CPUTime returns a function that tells how much CPU time the redis-server has used so far.
func CPUTime(t testing.TB, address string) func() time.Duration {
	rdb := Client(t, address)
	return func() time.Duration { return UsedCPU(t, rdb) }
}

// UsedCPU is the CPU time that a redis-server has used so far.
func UsedCPU(t testing.TB, rdb *redis.Client) (used time.Duration) {
	t.Helper()
	info, err := rdb.InfoMap(t.Context(), "cpu").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"used_cpu_sys", "used_cpu_user"} {
		seconds, err := strconv.ParseFloat(info["CPU"][part], 64)
		if err != nil {
			t.Fatalf("%s: %v", part, err)
		}
		used += time.Duration(seconds * float64(time.Second))
	}
	return used
}

// Asked returns what do makes a redis-server do: how often it runs each command, within scripts too, and how many bytes it answers.
func Asked(t testing.TB, address string, do func()) (calls map[string]int64, bytes int64) {
	t.Helper()
	rdb := Client(t, address)
	calls, bytes = commands(t, rdb), -answered(t, rdb)
	do()
	bytes += answered(t, rdb)
	before := calls
	calls = commands(t, rdb)
	for name, n := range before {
		calls[name] -= n
	}
	maps.DeleteFunc(calls, func(name string, n int64) bool { return n == 0 || name == "cmdstat_info" })
	return calls, bytes
}

// commands returns how often each command was run.
func commands(t testing.TB, rdb *redis.Client) map[string]int64 {
	t.Helper()
	info, err := rdb.InfoMap(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int64{}
	for name, facts := range info["Commandstats"] {
		n, _, _ := strings.Cut(strings.TrimPrefix(facts, "calls="), ",")
		if calls[name], err = strconv.ParseInt(n, 10, 64); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return calls
}

// answered returns how many bytes were answered.
func answered(t testing.TB, rdb *redis.Client) int64 {
	t.Helper()
	info, err := rdb.InfoMap(t.Context(), "stats").Result()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(info["Stats"]["total_net_output_bytes"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
