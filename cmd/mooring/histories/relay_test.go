//go:build unix

package histories

import (
	"io"
	"net"
	"sync"
	"testing"
)

// relay passes on connections to one address, and cuts them when it is told to.
type relay struct {
	address string // where it listens

	mu     sync.Mutex
	target string
	open   map[net.Conn]bool
}

// newRelay starts one; it ends with the test.
func newRelay(t *testing.T) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{address: l.Addr().String(), open: map[net.Conn]bool{}}
	var passing sync.WaitGroup
	passing.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // closed
			}
			passing.Go(func() { r.pass(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		r.cut()
		passing.Wait()
	})
	return r
}

// to names the address that connections are passed on to from now on.
func (r *relay) to(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = target
}

// cut closes every connection that is open: what is under way on it is lost.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.open {
		c.Close()
	}
}

// pass passes on one connection until one of its ends closes.
func (r *relay) pass(from net.Conn) {
	defer from.Close()
	r.mu.Lock()
	target := r.target
	r.mu.Unlock()
	to, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer to.Close()
	r.hold(true, from, to)
	defer r.hold(false, from, to)
	var back sync.WaitGroup
	back.Go(func() { copyUntilClosed(from, to) })
	copyUntilClosed(to, from)
	back.Wait()
}

// copyUntilClosed copies, and then closes both, so that the other direction ends too.
func copyUntilClosed(to, from net.Conn) {
	_, _ = io.Copy(to, from) // ends when one is closed
	to.Close()
	from.Close()
}

func (r *relay) hold(open bool, conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		if open {
			r.open[c] = true
		} else {
			delete(r.open, c)
		}
	}
}
