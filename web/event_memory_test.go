package web

import (
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// TestAnOpenEventStreamTakesLittleMemory holds what DESIGN.md §7 allows a subscriber: 20 kB of heap and stacks. The client's end of each
// connection is in the same process, and is counted too.
func TestAnOpenEventStreamTakesLittleMemory(t *testing.T) {
	const streams, most = 300, 20 << 10
	a := onEmbedded(t)
	server := httptest.NewServer(a.sut)
	t.Cleanup(server.Close)
	open := func() {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "GET /api/v1/deployments/1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", a.tokens["viewer"])
		var answer strings.Builder
		for b := make([]byte, 1); !strings.Contains(answer.String(), ": connected"); {
			if _, err := io.ReadFull(conn, b); err != nil {
				t.Fatal(err, answer.String())
			}
			answer.Write(b)
		}
	}
	open() // what the first one makes, all share
	before := inUse()
	for range streams {
		open()
	}
	if _, now := a.server.InFlight(); now != streams+1 {
		t.Fatalf("%d streams are open, want %d", now, streams+1)
	}
	each := (inUse() - before) / streams
	t.Logf("%d bytes each", each)
	if each > most {
		t.Errorf("an open event stream takes %d bytes, want at most %d", each, most)
	}
}

// inUse is how much heap and stacks take that something still refers to.
func inUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one leaves what is in pools
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}
