package request

import (
	"errors"
	"net/http"
	"time"
)

// floorRate is how many bytes of a long answer a client must read a second, averaged over Limits.SlowRead: one that does not is dropped, and what
// its answer holds is freed.
const floorRate = 16 << 10

// pacedPiece is how much is written under one deadline.
const pacedPiece = 64 << 10

// Pacer writes a long answer, whatever time it takes a client that reads fast enough.
type Pacer struct {
	out  http.ResponseWriter
	span time.Duration // how far a client may fall behind
	left time.Duration // of it
}

// Pace returns the writer of a long answer. From now on the client has the span to begin reading.
func (c *Call) Pace() *Pacer { return newPacer(c.gin.Writer, c.frame.Limits.SlowRead) }

func newPacer(out http.ResponseWriter, span time.Duration) *Pacer {
	p := &Pacer{out: out, span: span, left: span}
	_ = p.allow(p.left) // should this fail, so will writing
	return p
}

// Write implements io.Writer. The client gains time with what it reads, and loses it while it does not.
func (p *Pacer) Write(b []byte) (written int, err error) {
	for len(b) > 0 && err == nil {
		piece := b[:min(len(b), pacedPiece)]
		may := p.left + time.Duration(len(piece))*time.Second/floorRate
		if err := p.allow(may); err != nil {
			return written, err
		}
		start := time.Now()
		var n int
		n, err = p.out.Write(piece)
		written += n
		p.left = min(p.span, may-time.Since(start))
		b = b[len(piece):]
	}
	return written, err
}

// allow ends the connection unless the client has read what was sent so far by then.
func (p *Pacer) allow(within time.Duration) error {
	err := http.NewResponseController(p.out).SetWriteDeadline(time.Now().Add(within))
	if errors.Is(err, http.ErrNotSupported) {
		return nil // a recorder in a test has no deadline to set
	}
	return err
}
