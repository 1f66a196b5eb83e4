package refresh_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
	"mooring/storage"
)

// The environment of an agent process.
const (
	agentAddress = "MOORING_TEST_AGENT" // the storage
	agentDir     = "MOORING_TEST_DIR"   // where sources and documents are
	agentKill    = "MOORING_TEST_KILL"  // how likely a step of a run is the process's last
	agentPause   = "MOORING_TEST_PAUSE" // or its last for a while
	agentLag     = "MOORING_TEST_LAG"   // how long every query takes
	agentDrain   = "MOORING_TEST_DRAIN" // how long a shutdown may take
	calmFile     = "calm"               // in agentDir: from now on nothing happens to anyone
	fastTenant   = "fast"               // files of our own
	realTenant   = "real"               // SQLite and xlsx
)

// moreTenants are enough for every node of a cluster to have some.
const moreTenants = 18

func fastTenantOf(i int) string { return fmt.Sprintf("%s-%d", fastTenant, i) }

// runAgent is an agent process: it works until it is told to end.
func runAgent(address string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := openPatiently(ctx, address, log)
	if err != nil {
		log.Error("storage", "error", err)
		return 1
	}
	defer s.Close()
	tenants, err := tenantsOf(ctx, os.Getenv(agentDir), newTrouble())
	if err != nil {
		log.Error("tenants", "error", err)
		return 1
	}
	limit, _ := time.ParseDuration(os.Getenv(agentDrain))
	fmt.Println("ready")
	if err := refresh.New(refresh.Config{Store: s, Tenants: tenants, Log: log, DrainLimit: limit}).Run(ctx); err != nil {
		log.Error("agent", "error", err)
		return 1
	}
	return 0
}

// openPatiently waits for a storage that is away, as a supervisor that restarts a process does.
func openPatiently(ctx context.Context, address string, log *slog.Logger) (s *storage.Store, err error) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		s, err = storage.Open(ctx, storage.Config{Address: address, Log: log})
		if err == nil || ctx.Err() != nil {
			return s, err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, err
}

// tenantsOf are two tenants over the files in dir, with trouble at every step.
func tenantsOf(ctx context.Context, dir string, t *trouble) (map[string]refresh.Tenant, error) {
	db, err := (&sqlite.Config{Path: filepath.Join(dir, "shop.db")}).Open(ctx)
	if err != nil {
		return nil, err
	}
	books, err := (&xlsx.Config{Dir: dir}).Open(ctx, nil)
	if err != nil {
		return nil, err
	}
	tenant := func(src source.Source, h host.Driver) refresh.Tenant {
		return refresh.Tenant{
			Deployments: map[int64]refresh.DeploymentSource{1: {Source: troubledSource{src, t}, Location: time.UTC}},
			Hosts:       []refresh.Spreadsheets{{Kind: placements.SheetsB, Driver: troubledHost{h, t}}},
		}
	}
	tenants := map[string]refresh.Tenant{
		fastTenant: tenant(fileSource{dir}, fileHost{dir}),
		realTenant: tenant(db, books),
	}
	for i := range moreTenants {
		tenants[fastTenantOf(i)] = tenants[fastTenant]
	}
	return tenants, nil
}

// trouble ends or pauses its own process at the steps of a run.
type trouble struct {
	kill, pause float64
	lag         time.Duration
	calm        string
}

func newTrouble() *trouble {
	t := &trouble{calm: filepath.Join(os.Getenv(agentDir), calmFile)}
	t.kill, _ = strconv.ParseFloat(os.Getenv(agentKill), 64)
	t.pause, _ = strconv.ParseFloat(os.Getenv(agentPause), 64)
	t.lag, _ = time.ParseDuration(os.Getenv(agentLag))
	return t
}

// step is a place where a process may end. The line that it prints says which, since the process cannot say so afterwards.
func (t *trouble) step(name string) {
	dice := rand.Float64()
	if dice >= t.kill+t.pause {
		return
	}
	if _, err := os.Stat(t.calm); err == nil {
		return
	}
	what, signal := "kill", syscall.SIGKILL
	if dice >= t.kill {
		what, signal = "pause", syscall.SIGSTOP
	}
	fmt.Println(what, name)
	_ = syscall.Kill(os.Getpid(), signal)
}

type troubledSource struct {
	source.Source
	*trouble
}

func (s troubledSource) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.step("before-query")
	select {
	case <-time.After(s.lag):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	columns, err := s.Source.Query(ctx, q, b)
	s.step("after-query")
	return columns, err
}

type troubledHost struct {
	host.Driver
	*trouble
}

func (h troubledHost) Open(ctx context.Context, document string) (host.Session, error) {
	s, err := h.Driver.Open(ctx, document)
	return troubledSession{s, h.trouble}, err
}

type troubledSession struct {
	host.Session
	*trouble
}

func (s troubledSession) Read(ctx context.Context, wanted []host.Wanted) ([]host.Found, error) {
	s.step("before-read")
	found, err := s.Session.Read(ctx, wanted)
	s.step("after-read")
	return found, err
}

func (s troubledSession) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	s.step("before-write")
	w, err := s.Session.Write(ctx, patches)
	s.step("after-write")
	return w, err
}
