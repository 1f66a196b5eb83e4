package storagetest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/storage"
	"mooring/storage/keep"
	"mooring/storage/record"
	"mooring/storage/work"
)

// Each runs test on the embedded storage and on a real Redis, each empty.
func Each(t *testing.T, test func(t *testing.T, s *storage.Store)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { test(t, Open(t, "embedded")) })
	t.Run("redis", func(t *testing.T) { test(t, Open(t, Redis(t))) })
}

// Open connects to address for the length of the test.
func Open(t testing.TB, address string) *storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), storage.Config{Address: address, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Patience is how long tests wait for what must come. It is longer than the busiest machine needs: only what is broken takes it.
const Patience = 10 * time.Minute

// Addr returns the address of servers for a program or a storage that waits for them with Patience: so nothing but a fault of theirs ends
// a wait. servers is an address without options, or one or more host:port.
func Addr(servers string) string {
	if !strings.Contains(servers, "://") {
		servers = "redis://" + servers
	}
	limit := strconv.Itoa(int(Patience.Seconds()))
	return servers + "?dial_timeout=" + limit + "&read_timeout=" + limit
}

// HostPort returns where the single server of an address listens.
func HostPort(t testing.TB, address string) string {
	t.Helper()
	return options(t, address).Addr
}

// Client connects to the single server at address, a host:port or as Addr returns it, for the length of the test.
func Client(t testing.TB, address string) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(options(t, address))
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

func options(t testing.TB, address string) *redis.Options {
	t.Helper()
	if !strings.Contains(address, "?") {
		address = Addr(address)
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	o.ContextTimeoutEnabled, o.MaxRetries = true, -1
	return o
}

// Redis starts an empty redis-server for the length of the test and returns its address. Without a redis-server on the machine the test is
// skipped, or fails when MOORING_TEST_REQUIRE is set.
func Redis(t testing.TB) string {
	t.Helper()
	return Addr(Server(t))
}

// Binary finds a program that a test needs.
func Binary(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("MOORING_TEST_REQUIRE") != "" {
		t.Fatalf("%s is needed: %v", name, err)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// Enqueue makes one manual run.
func Enqueue(ctx context.Context, q *work.Work, d record.Deployment, run *record.Run) error {
	refused, err := q.Queue.Runs.Enqueue(ctx, d.Tenant, record.Order{DeploymentID: d.ID, Run: run})
	return errors.Join(append(refused, err)...)
}

// Import records placements of one report.
func Import(ctx context.Context, s *storage.Store, d record.Deployment, report int64, list []storage.Placed) error {
	all := make([]keep.Imported, len(list))
	for i, p := range list {
		all[i] = keep.Imported{ReportID: report, Placed: p}
	}
	return s.Imports().Import(ctx, d, all, record.Actor{})
}
