//go:build unix

package requests

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// hang is how long an answer may stay out before it counts as one that never comes. No load makes the server that slow.
const hang = 10 * time.Minute

// wire sends requests to a server as they are, right or wrong, over one connection after another.
type wire struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

// answer is what came back. status is 0 where the server ended the connection, or the client went away, before there was any.
type answer struct {
	status int
	header http.Header
	body   []byte // unpacked; of a stream, its beginning
	cut    bool   // the body did not come whole
}

// errHang is that of an answer that stayed out.
var errHang = errors.New("no answer came in " + hang.String())

// send sends a request and reads the answer. The error is errHang, or that no connection can be made. A connection that the server has ended
// since its last answer is made anew, as every client does.
func (w *wire) send(q *request) (a answer, err error) {
	used := w.conn != nil
	if a, err = w.sendOnce(q); used && err == nil && a.status == 0 && !q.leave {
		return w.sendOnce(q)
	}
	return a, err
}

func (w *wire) sendOnce(q *request) (a answer, err error) {
	if w.conn == nil {
		if w.conn, err = net.Dial("tcp", w.address); err != nil {
			return a, err
		}
		w.reader = bufio.NewReader(w.conn)
	}
	if err := w.conn.SetDeadline(time.Now().Add(hang)); err != nil {
		return a, err
	}
	conn, wrote := w.conn, make(chan struct{})
	go func() { // the server may answer, and end, before it has read all
		defer close(wrote)
		_, _ = conn.Write(q.bytes())
		if q.sent < len(q.body) && !q.leave {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()
	if q.leave {
		<-wrote
		w.close()
		return a, nil
	}
	a, keep, err := w.read(q.method)
	if !keep || q.odd {
		w.close()
	}
	<-wrote
	return a, err
}

func (w *wire) close() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

// read reads an answer. keep reports whether the connection is good for another request.
func (w *wire) read(method string) (a answer, keep bool, err error) {
	resp, err := http.ReadResponse(w.reader, &http.Request{Method: method})
	for err == nil && resp.StatusCode == http.StatusContinue {
		resp, err = http.ReadResponse(w.reader, &http.Request{Method: method})
	}
	if err != nil {
		return a, false, hung(err)
	}
	a.status, a.header = resp.StatusCode, resp.Header
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return a, false, nil // it has no end, and to close it would be to read on
	}
	a.body, err = io.ReadAll(resp.Body)
	if a.cut = err != nil; a.cut {
		return a, false, hung(err)
	}
	if resp.Header.Get("Content-Encoding") == "gzip" && len(a.body) > 0 {
		a.body, err = unpacked(a.body)
	}
	return a, !resp.Close, err
}

func unpacked(body []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// hung is errHang for a time that is over; that a connection has ended is no error here.
func hung(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errHang
	}
	return nil
}

// bytes is the request as it is sent.
func (q *request) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", q.method, q.target)
	for _, h := range q.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h.name, h.value)
	}
	body := q.body[:q.sent]
	switch {
	case q.chunked:
		if q.header("Transfer-Encoding") == "" {
			b.WriteString("Transfer-Encoding: chunked\r\n")
		}
		b.WriteString("\r\n")
		for len(body) > 0 {
			n := min(len(body), 1000)
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
			body = body[n:]
		}
		if q.sent == len(q.body) {
			b.WriteString("0\r\n\r\n")
		}
		return b.Bytes()
	case len(q.body) > 0 || q.operation.body != nil:
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(q.body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// curl is a command that sends the request, as far as curl sends such.
func (q *request) curl(base string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "curl -i --path-as-is -X %s", quoted(q.method))
	for _, h := range q.headers {
		fmt.Fprintf(&b, " -H %s", quoted(short(h.name+": "+h.value)))
	}
	if q.chunked && q.header("Transfer-Encoding") == "" {
		b.WriteString(" -H 'Transfer-Encoding: chunked'")
	}
	if len(q.body) > 0 {
		fmt.Fprintf(&b, " --data-binary %s", quoted(short(string(q.body[:q.sent]))))
	}
	fmt.Fprintf(&b, " %s", quoted(base+short(q.target)))
	if q.sent < len(q.body) {
		fmt.Fprintf(&b, "   # Content-Length: %d, and the end never comes", len(q.body))
	}
	if q.leave {
		b.WriteString("   # the client goes away at once")
	}
	return b.String()
}

// quoted is a text as a word of a shell.
func quoted(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return "$" + "'" + strings.ReplaceAll(strings.Trim(fmt.Sprintf("%+q", text), `"`), "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// short is a text without most of its middle where it is long.
func short(text string) string {
	const most = 3000
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s…%d bytes…%s", text[:most-200], len(text)-most, text[len(text)-200:])
}
