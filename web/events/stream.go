package events

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"mooring/web/request"
)

// stream is an answer without an end, on a connection that was taken from the HTTP server: the buffers of a request and the stack of its
// handler are not kept for it.
type stream struct {
	conn    net.Conn
	chunked bool        // the client's HTTP has chunks; else the answer ends with the connection
	woken   atomic.Bool // since rest was called last
	unread  [8]byte     // what a client still sends is no request any more
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
	s := &stream{conn: conn, chunked: chunked}
	_ = conn.SetDeadline(time.Time{}) // those of the server are meant for answers that end
	_ = s.write(head.Bytes())         // the first event finds out
	return s, nil
}

// headRoom is what stands before the text of a piece: up to 8 hexadecimal digits and the end of a line.
const headRoom = 10

// send writes one piece of the answer: the text behind the first headRoom bytes of b, which are free.
func (s *stream) send(b []byte) error {
	if !s.chunked {
		return s.write(b[headRoom:])
	}
	var room [headRoom]byte
	head := append(strconv.AppendInt(room[:0], int64(len(b)-headRoom), 16), "\r\n"...)
	begin := headRoom - len(head)
	copy(b[begin:], head)
	return s.write(append(b[begin:], "\r\n"...))
}

func (s *stream) write(b []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(deadline)); err != nil {
		return err
	}
	_, err := s.conn.Write(b)
	return err
}

// wake ends rest, now or when it is called next.
func (s *stream) wake() {
	s.woken.Store(true)
	_ = s.conn.SetReadDeadline(longAgo) // of a connection that is closed: rest has ended
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// rest returns when the stream is woken, or after d. An error: the client is gone.
func (s *stream) rest(d time.Duration) error {
	if err := s.conn.SetReadDeadline(time.Now().Add(d)); err != nil {
		return err
	}
	if s.woken.Swap(false) { // maybe before the deadline was set, which then is not that of wake
		return nil
	}
	_, err := s.conn.Read(s.unread[:])
	s.woken.Store(false)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

// close ends the answer and the connection. One that is not whole is cut.
func (s *stream) close(whole bool) {
	if whole && s.chunked {
		_ = s.write([]byte("0\r\n\r\n"))
	}
	_ = s.conn.Close()
}

const (
	heartbeat = 15 * time.Second // a comment after this silence keeps proxies from hanging up
	deadline  = 10 * time.Second // how long a subscriber may take to read what is sent
)
