package web

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mooring/refresh"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
	"mooring/storage/storagetest"
)

// largeText is a query of one row of that many bytes, in SQLite.
func largeText(bytes int) string { return fmt.Sprintf("SELECT printf('%%.*c', %d, 'x') AS x", bytes) }

// onTightMemory makes a server that holds one result of 24 MiB at a time, with clients that may be that slow, and returns its address and the
// path of a report of 16 MiB.
func onTightMemory(t *testing.T, slow time.Duration) (a *api, address, path string) {
	t.Helper()
	src, err := (&sqlite.Config{Path: emptyFile(t), Limits: source.Limits{MaxBytes: 24 << 20}}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	s := storagetest.Open(t, "embedded")
	a = newAPI(t, s, func(c *Config) {
		c.Limits.SlowRead = slow
		c.Engine = refresh.New(refresh.Config{
			Store: s, Log: slog.New(slog.DiscardHandler), ResultsInMemory: 24 << 20, RoomWait: time.Millisecond,
			Tenants: map[string]refresh.Tenant{"acme": {Deployments: map[int64]refresh.DeploymentSource{1: {Source: src, MaxBytes: 24 << 20}}}},
		})
	})
	a.run(t, []step{{
		name: "a report", method: "POST", path: "/reports", body: fmt.Sprintf(`{"sqlQuery":%q}`, largeText(16<<20)), status: 200,
		keep: map[string]string{"report": "id"},
	}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- a.server.Serve(ctx, listener, time.Minute) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return a, listener.Addr().String(), "/api/v1/deployments/1/reports/" + a.vars["report"] + "/result"
}

// silentClient asks for a result and reads no more of the answer than its head.
func silentClient(t *testing.T, a *api, address, path string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 0\r\n\r\n", path, address, a.tokens["editor"])
	head, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil || !strings.Contains(head, "200") {
		t.Fatalf("%q, %v", head, err)
	}
	return conn
}

// ask asks for a result and returns the head of the answer. It leaves the rest: whether it reads that fast enough for the server depends on
// the machine.
func ask(t *testing.T, a *api, address, path string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+address+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.tokens["editor"])
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

func TestFault10ASilentClientIsDroppedAndItsMemoryFreed(t *testing.T) {
	a, address, path := onTightMemory(t, 100*time.Millisecond)
	silentClient(t, a, address, path)
	for limit := time.Now().Add(storagetest.Patience); ; {
		if ask(t, a, address, path).StatusCode == http.StatusOK {
			return
		}
		if time.Now().After(limit) {
			t.Fatal("a client that reads nothing keeps its result")
		}
	}
}

func TestFault10AResultWithoutRoomIsRefusedForAWhile(t *testing.T) {
	a, address, path := onTightMemory(t, time.Hour)
	conn := silentClient(t, a, address, path)
	refused := ask(t, a, address, path)
	if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" {
		t.Errorf("got %d with Retry-After %q, want 503", refused.StatusCode, refused.Header.Get("Retry-After"))
	}
	w := a.send(step{method: "POST", path: "/reports/{{report}}/result"})
	if body := w.Body.String(); !strings.Contains(body, `"code":"results_busy"`) || !strings.Contains(body, `"retryable":true`) {
		t.Errorf("the refusal says %s", body)
	}
	conn.Close()
}
