package web

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// pipedAnswer is an answer whose connection is one end of a pipe: a write to it waits until the other end reads.
type pipedAnswer struct {
	*httptest.ResponseRecorder

	conn net.Conn
}

func (w pipedAnswer) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.conn, nil, nil }

// Who sees the head of a stream finds it counted as a stream, and as no request besides.
func TestAStreamIsCountedBeforeItsHead(t *testing.T) {
	a := onEmbedded(t)
	client, server := net.Pipe()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/deployments/1/events", http.NoBody)
	r.Header.Set("Authorization", "Bearer "+a.tokens["viewer"])
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		a.sut.ServeHTTP(pipedAnswer{httptest.NewRecorder(), server}, r)
	}()
	counted := func(when string, wantStreams int) {
		t.Helper()
		if requests, streams := a.server.InFlight(); requests != 0 || streams != wantStreams {
			t.Errorf("%s: %d requests and %d streams, want 0 and %d", when, requests, streams, wantStreams)
		}
	}
	head := make([]byte, 1)
	if _, err := io.ReadFull(client, head); err != nil {
		t.Fatal(err)
	}
	counted("at the first byte", 1)
	rest := bufio.NewReader(client)
	for line := ""; !strings.Contains(line, ": connected"); {
		var err error
		if line, err = rest.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	<-answered
	counted("once its handler has returned", 1)
	_, _ = client.Close(), a.server.Drain()
	<-a.server.Drain()
	counted("when the client has left", 0)
}
