package events

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"time"

	"mooring/web/request"
)

// stream is an answer without an end, on a connection that was taken from the HTTP server: the buffers of a request and the stack of its
// handler are not kept for it.
type stream struct {
	conn    net.Conn
	chunked bool // the client's HTTP has chunks; else the answer ends with the connection
}

// openStream sends the head of an answer, with the headers of c, and takes the connection.
func openStream(c *request.Call) (*stream, error) {
	head := new(bytes.Buffer)
	h, chunked := c.Writer().Header().Clone(), c.Request.ProtoAtLeast(1, 1)
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	h.Set("Connection", "close")
	if chunked {
		h.Set("Transfer-Encoding", "chunked")
	}
	fmt.Fprintf(head, "HTTP/1.1 %d %s\r\n", http.StatusOK, http.StatusText(http.StatusOK))
	_ = h.Write(head) // a buffer takes everything
	head.WriteString("\r\n")
	conn, _, err := http.NewResponseController(c.Writer()).Hijack()
	if err != nil {
		return nil, fmt.Errorf("event stream: %w", err)
	}
	s := &stream{conn, chunked}
	_ = conn.SetDeadline(time.Time{}) // those of the server are meant for answers that end
	_ = s.write(head.Bytes())         // the first event finds out
	return s, nil
}

// send writes one piece of the answer.
func (s *stream) send(text string) error {
	if s.chunked {
		text = fmt.Sprintf("%x\r\n%s\r\n", len(text), text)
	}
	return s.write([]byte(text))
}

func (s *stream) write(b []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(deadline)); err != nil {
		return err
	}
	_, err := s.conn.Write(b)
	return err
}

// await returns once the client is gone, or the stream is closed. What the client still sends is no request any more.
func (s *stream) await() {
	var b [1]byte
	for {
		if _, err := s.conn.Read(b[:]); err != nil {
			return
		}
	}
}

// close ends the answer and the connection. One that is not whole is cut.
func (s *stream) close(whole bool) {
	if whole && s.chunked {
		_ = s.write([]byte("0\r\n\r\n"))
	}
	_ = s.conn.Close()
}

const (
	batch     = 100              // read at once
	heartbeat = 15 * time.Second // a comment after this silence keeps proxies from hanging up
	deadline  = 10 * time.Second // how long a subscriber may take to read what is sent
)
