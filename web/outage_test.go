package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/storage/storagetest"
)

// hanging is a proxy before a redis-server that can stop forwarding: it goes on accepting and never answers.
type hanging struct {
	net.Listener
	to   string
	hung chan struct{} // closed when nothing is forwarded any more

	mu    sync.Mutex
	conns []net.Conn
	ended bool
}

// newHanging starts a proxy for the server at redis://host:port.
func newHanging(t *testing.T, address string) *hanging {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &hanging{Listener: l, to: storagetest.HostPort(t, address), hung: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(func() { h.accept(&running) })
	t.Cleanup(func() {
		_ = l.Close()
		h.mu.Lock()
		h.ended = true
		for _, c := range h.conns {
			_ = c.Close()
		}
		h.mu.Unlock()
		running.Wait()
	})
	return h
}

// address is that of the Redis, which a storage finds silent after longer than a busy machine keeps it waiting.
func (h *hanging) address() string { return "redis://" + h.Addr().String() + "?read_timeout=20s" }

func (h *hanging) accept(running *sync.WaitGroup) {
	for {
		in, err := h.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", h.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		h.mu.Lock()
		h.conns = append(h.conns, in, out)
		if h.ended {
			_, _ = in.Close(), out.Close()
		}
		h.mu.Unlock()
		running.Go(func() { h.forward(out, in) })
		running.Go(func() { h.forward(in, out) })
	}
}

func (h *hanging) forward(to io.Writer, from io.Reader) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		select {
		case <-h.hung: // swallowed
		default:
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
}

// Of 60 requests, more than there are connections, each waits for Redis once at most; one after the other they would take 20 minutes.
func TestRequestsWaitForAHungRedisSideBySide(t *testing.T) {
	steps := []step{
		{method: "GET", path: "/reports/{{id}}"},
		{method: "GET", path: "/api/v1/tenant/settings"},
		{method: "GET", path: "/reports"},
		{method: "POST", path: "/reports", body: `{"name":"Other"}`, header: map[string]string{"Idempotency-Key": "one"}},
		{method: "PUT", path: "/reports/{{id}}", body: `{"name":"Other"}`},
		{method: "PUT", path: "/reports/by-public-id/Fault0000001", body: `{"name":"Other"}`},
		{method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"externalWorkbookId":"d","resultLocation":"S!A1"}`},
		{method: "PUT", path: "/workbooks/by-slug/sales", body: `{"name":"W"}`},
		{method: "POST", path: "/reports/{{id}}/refreshes", body: `{}`},
		{method: "GET", path: "//readyz"},
	}
	for _, state := range []struct {
		fact string
		rate int           // requests a minute
		age  time.Duration // of the list of revoked tokens
	}{
		{"in a handler", 0, 0},
		{"at the rate limit", 100_000, 0},
		{"at the list of revoked tokens", 0, time.Minute},
	} {
		t.Run(state.fact, func(t *testing.T) {
			t.Parallel()
			proxy := newHanging(t, storagetest.Redis(t))
			store := storagetest.Open(t, proxy.address())
			a := newAPI(t, store, func(c *Config) { c.RatePerMinute = state.rate })
			a.run(t, []step{report("Sales")})
			now := time.Now()
			a.server.now = func() time.Time { return now.Add(state.age) }
			close(proxy.hung)
			var running sync.WaitGroup
			for i := range 60 {
				running.Go(func() {
					s, start := steps[i%len(steps)], time.Now()
					want503(t, s.method+" "+s.path, a.send(s))
					if took := time.Since(start); took > storagetest.Patience {
						t.Errorf("%s %s took %s", s.method, s.path, took)
					}
				})
			}
			running.Wait()
		})
	}
}

func want503(t *testing.T, what string, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"retryable":true`) {
		t.Errorf("%s: %d, Retry-After %q: %s", what, w.Code, w.Header().Get("Retry-After"), w.Body)
	}
}

// A Redis at its memory limit refuses writes and answers reads.
func TestAFullRedisIsSaidToBeFull(t *testing.T) {
	address := storagetest.Server(t, "maxmemory-policy noeviction")
	a := newAPI(t, storagetest.Open(t, storagetest.Addr(address)))
	a.run(t, []step{report("Sales")})
	rdb := storagetest.Client(t, address)
	defer rdb.Close()
	limit := func(bytes string) {
		t.Helper()
		if err := rdb.ConfigSet(t.Context(), "maxmemory", bytes).Err(); err != nil {
			t.Fatal(err)
		}
	}
	limit("1")
	for _, s := range []step{
		{method: "GET", path: "//readyz"},
		{method: "POST", path: "/reports", body: `{"name":"Other"}`},
		{method: "POST", path: "/reports", body: `{"name":"Other"}`, header: map[string]string{"Idempotency-Key": "one"}},
		{method: "PUT", path: "/reports/{{id}}", body: `{"name":"Other"}`},
		{method: "PUT", path: "/reports/by-public-id/Fault0000001", body: `{"name":"Other"}`},
		{method: "PUT", path: connectPath, body: `{"externalWorkbookId":"d","resultLocation":"S!A1"}`},
		{method: "PUT", path: "/workbooks/by-slug/sales", body: `{"name":"W"}`},
	} {
		w := a.send(s)
		want503(t, s.method+" "+s.path, w)
		if body := w.Body.String(); !strings.Contains(body, `"storage_full"`) || !strings.Contains(body, "storage is full: ") {
			t.Errorf("%s %s: %s", s.method, s.path, body)
		}
	}
	for _, path := range []string{"/reports/{{id}}", "/reports", "/api/v1/tenant/settings", "//healthz"} {
		if w := a.send(step{method: "GET", path: path}); w.Code != http.StatusOK {
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		}
	}
	limit("0")
	if w := a.send(step{method: "GET", path: "//readyz"}); w.Code != http.StatusOK {
		t.Errorf("with room again: %d %s", w.Code, w.Body)
	}
}
