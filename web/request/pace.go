package request

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// floorRate is how many bytes of a long answer a client must read a second, averaged over Limits.SlowRead: one that does not is dropped, and what
// its answer holds is freed.
const floorRate = 16 << 10

// pacedPiece is how much of a long answer is written at once.
const pacedPiece = 64 << 10

// blockedFor is how long a piece may be blocked before it is tried again. Where this process itself stood still, no more than that counts as the
// client's.
const blockedFor = 100 * time.Millisecond

// PacedListener accepts connections on which long answers are paced.
type PacedListener struct{ net.Listener }

// Accept implements net.Listener.
func (l PacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, is := conn.(*net.TCPConn); is {
		return &pacedConn{TCPConn: tcp}, err
	}
	return conn, err
}

// connKey is where WithConn keeps the connection.
type connKey struct{}

// WithConn is http.Server's ConnContext for connections of a PacedListener.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// Pace returns the writer of a long answer, whatever time it takes a client that reads fast enough. From now on the client has the span to begin
// reading.
func (c *Call) Pace() io.Writer {
	if conn, is := c.Request.Context().Value(connKey{}).(*pacedConn); is { // else the server has its own limits
		conn.pace.begin(c.frame.Limits.SlowRead)
	}
	return c.gin.Writer
}

// pacedConn is a client's connection. A deadline that is set ends the pace of an answer: that is of another one.
type pacedConn struct {
	*net.TCPConn
	pace pace
}

func (c *pacedConn) Write(b []byte) (int, error) { return c.pace.write(c.TCPConn, b) }

func (c *pacedConn) SetWriteDeadline(at time.Time) error {
	c.pace.begin(0)
	return c.TCPConn.SetWriteDeadline(at)
}

func (c *pacedConn) SetDeadline(at time.Time) error {
	c.pace.begin(0)
	return c.TCPConn.SetDeadline(at)
}

// pace is how a client keeps up with a long answer: it gains time with what it takes, and loses it while writes to it are blocked. What else
// takes this process's time is not the client's.
type pace struct {
	mu   sync.Mutex
	span time.Duration // how far the client may fall behind; 0: nothing is paced
	left time.Duration // of it
}

func (p *pace) begin(span time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.span, p.left = span, span
}

// next is how long the next piece may be blocked.
func (p *pace) next() (limit time.Duration, paced bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(p.left, blockedFor), p.span > 0
}

// count counts bytes that the client took after a while, and reports whether it has fallen behind.
func (p *pace) count(taken int, blocked time.Duration) (behind bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = min(p.span, p.left-blocked+time.Duration(taken)*time.Second/floorRate)
	return p.left <= 0
}

// write writes to a connection at the pace, piece by piece. Its error is os.ErrDeadlineExceeded for a client that is too slow.
func (p *pace) write(conn net.Conn, b []byte) (written int, err error) {
	for {
		limit, paced := p.next()
		if !paced {
			n, err := conn.Write(b[written:])
			return written + n, err
		}
		begun := time.Now()
		if err := conn.SetWriteDeadline(begun.Add(limit)); err != nil {
			return written, err
		}
		n, err := conn.Write(b[written:min(len(b), written+pacedPiece)])
		written += n
		behind := p.count(n, min(time.Since(begun), limit))
		if errors.Is(err, os.ErrDeadlineExceeded) && !behind {
			continue
		}
		if err != nil || written == len(b) {
			return written, err
		}
	}
}
