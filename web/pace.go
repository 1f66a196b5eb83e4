package web

import (
	"errors"
	"net/http"
	"time"
)

// A client of a long answer must read at least floorRate bytes a second, averaged over floorSpan: one that does not is dropped, and what its
// answer holds is freed.
const (
	floorRate = 16 << 10
	floorSpan = 30 * time.Second
)

// pacedPiece is how much is written under one deadline.
const pacedPiece = 64 << 10

// pacer writes a long answer, whatever time it takes a client that reads fast enough.
type pacer struct {
	out  http.ResponseWriter
	span time.Duration // how far a client may fall behind
	left time.Duration // of it
}

// pace returns the writer of a long answer. From now on the client has the span to begin reading.
func (s *Server) pace(out http.ResponseWriter) *pacer {
	p := &pacer{out: out, span: s.limits.SlowRead, left: s.limits.SlowRead}
	_ = p.allow(p.left) // should this fail, so will writing
	return p
}

// Write implements io.Writer. The client gains time with what it reads, and loses it while it does not.
func (p *pacer) Write(b []byte) (written int, err error) {
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
func (p *pacer) allow(within time.Duration) error {
	err := http.NewResponseController(p.out).SetWriteDeadline(time.Now().Add(within))
	if errors.Is(err, http.ErrNotSupported) {
		return nil // a recorder in a test has no deadline to set
	}
	return err
}
