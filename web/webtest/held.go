package webtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

// Handler wraps a handler and calls fault for each exchange that is not as the document says. What goes through it is streamed as without
// it. It does not look at an answer that was cut, or whose connection the handler took over, as for a stream of events: see Transport.
func (c *Contract) Handler(next http.Handler, fault func(error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held := r.WithContext(r.Context())
		var sent bytes.Buffer
		if r.Body != nil && r.Body != http.NoBody {
			held.Body = copiedBody{io.TeeReader(r.Body, &sent), r.Body}
		}
		copied := &copiedAnswer{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(copied, held)
		if r.Method == http.MethodHead {
			copied.body.Reset() // net/http leaves it out
		}
		if !copied.broken {
			c.check(Exchange{Request: r, Sent: sent.Bytes(), Status: copied.status, Header: w.Header(), Body: copied.body.Bytes()}, fault)
		}
	})
}

func (c *Contract) check(x Exchange, fault func(error)) {
	body, err := unpacked(x.Header, x.Body)
	x.Body = body
	if err == nil {
		err = c.Check(x)
	}
	if err != nil {
		fault(err)
	}
}

// copiedBody is a body that is read from elsewhere.
type copiedBody struct {
	io.Reader
	io.Closer
}

// copiedAnswer is a ResponseWriter that keeps what it passes on.
type copiedAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
	broken bool // it is not whole, or not all of it is here
}

// Unwrap is for http.ResponseController.
func (a *copiedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush is for gin, which casts to what has it.
func (a *copiedAnswer) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

// Hijack is for gin, as Flush is.
func (a *copiedAnswer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	a.broken = true
	return http.NewResponseController(a.ResponseWriter).Hijack()
}

func (a *copiedAnswer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

func (a *copiedAnswer) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.body.Write(p[:n])
	a.broken = a.broken || err != nil
	return n, err
}

// Transport wraps a transport in the same way, for streams of events, and for tests of a server that is another process. It looks at what
// has the id of a request, as every answer of the interface: a fake that a test has built to be distrusted has none.
func (c *Contract) Transport(next http.RoundTripper, fault func(error)) http.RoundTripper {
	return transport{next, func(x Exchange) { c.check(x, fault) }}
}

// HoldClient holds all that the tests of a package get through http.DefaultClient to the document in a file. A fault is printed at once,
// in the midst of the test that met it, and makes the package fail: passed turns the code with which the tests ended into that to exit with.
func HoldClient(document string) (passed func(code int) int, err error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	c, err := ReadContract(text)
	if err != nil {
		return nil, err
	}
	var faults atomic.Int64
	http.DefaultTransport = c.Transport(http.DefaultTransport, func(fault error) {
		faults.Add(1)
		fmt.Fprintln(os.Stderr, fault)
	})
	return func(code int) int {
		if n := faults.Load(); n > 0 {
			fmt.Fprintf(os.Stderr, "FAIL: %d answers were not as the document says\n", n)
			return max(code, 1)
		}
		return code
	}, nil
}

type transport struct {
	next  http.RoundTripper
	check func(Exchange)
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	x := Exchange{Request: r}
	if r.GetBody != nil {
		if body, err := r.GetBody(); err == nil {
			x.Sent, _ = io.ReadAll(body)
		}
	}
	answer, err := t.next.RoundTrip(r)
	if err != nil || answer.Header.Get("X-Request-Id") == "" {
		return answer, err
	}
	x.Status, x.Header = answer.StatusCode, answer.Header
	switch kind := answer.Header.Get("Content-Type"); {
	case strings.HasPrefix(kind, "text/event-stream"):
		answer.Body = &stream{ReadCloser: answer.Body, exchange: x, check: t.check}
		return answer, nil
	case strings.HasPrefix(kind, "application/json"):
		if x.Body, err = io.ReadAll(answer.Body); err != nil {
			answer.Body = copiedBody{io.MultiReader(bytes.NewReader(x.Body), failing{err}), answer.Body}
			return answer, nil
		}
		answer.Body = copiedBody{bytes.NewReader(x.Body), answer.Body}
	}
	t.check(x)
	return answer, nil
}

// failing is the end of an answer that was cut.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// stream is a stream of events, each of which is checked when it has been read.
type stream struct {
	io.ReadCloser
	exchange Exchange
	check    func(Exchange)
	rest     []byte // the beginning of an event
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.rest = append(s.rest, p[:n]...)
	for {
		event, rest, whole := bytes.Cut(s.rest, []byte("\n\n"))
		if !whole {
			return n, err
		}
		s.exchange.Body, s.rest = event, rest
		s.check(s.exchange)
	}
}
