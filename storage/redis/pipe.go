package redis

import (
	"net"
	"sync"
)

// bufferedConn is a connection through a pipe whose writes never wait for the reader. A bare pipe has no buffer: a client that writes
// several commands at once and a server that answers the first would wait for each other.
type bufferedConn struct {
	net.Conn
	mu      sync.Mutex
	changed *sync.Cond
	pending []byte
	err     error
	closed  bool
	done    chan struct{}
}

func newBufferedConn(c net.Conn) *bufferedConn {
	b := &bufferedConn{Conn: c, done: make(chan struct{})}
	b.changed = sync.NewCond(&b.mu)
	go b.pump()
	return b
}

// Write takes all of p; an error is that of an earlier write.
func (b *bufferedConn) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, net.ErrClosed
	}
	if b.err != nil {
		return 0, b.err
	}
	b.pending = append(b.pending, p...)
	b.changed.Signal()
	return len(p), nil
}

// Close drops what was not passed on yet and waits for the pump to end.
func (b *bufferedConn) Close() error {
	b.mu.Lock()
	b.closed = true
	b.changed.Signal()
	b.mu.Unlock()
	err := b.Conn.Close()
	<-b.done
	return err
}

// pump passes on what was written, until Close or an error.
func (b *bufferedConn) pump() {
	defer close(b.done)
	for {
		b.mu.Lock()
		for len(b.pending) == 0 && !b.closed {
			b.changed.Wait()
		}
		chunk := b.pending
		b.pending = nil
		closed := b.closed
		b.mu.Unlock()
		if closed {
			return
		}
		if _, err := b.Conn.Write(chunk); err != nil {
			b.mu.Lock()
			b.err = err
			b.mu.Unlock()
			return
		}
	}
}
