package request

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestPaceIsAveraged(t *testing.T) {
	const pieces, span = 20, 30 * time.Second
	for name, row := range map[string]struct{ took, left time.Duration }{
		"a client at the floor rate keeps what it has":   {4 * time.Second, span},
		"one that is slower has less every time":         {5 * time.Second, span - pieces*time.Second},
		"one that is faster gains no more than the span": {time.Second, span},
		"a client that reads at once has the whole span": {0, span},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, client := net.Pipe()
				var reading sync.WaitGroup
				defer reading.Wait()
				defer conn.Close()
				reading.Go(func() {
					for piece := make([]byte, pacedPiece); ; {
						time.Sleep(row.took)
						if _, err := io.ReadFull(client, piece); err != nil {
							return
						}
					}
				})
				var p pace
				p.begin(span)
				if n, err := p.write(conn, make([]byte, pieces*pacedPiece)); n != pieces*pacedPiece || err != nil {
					t.Fatalf("%d bytes, %v", n, err)
				}
				if p.left != row.left {
					t.Errorf("%s are left, want %s", p.left, row.left)
				}
			})
		})
	}
}

func TestAClientThatReadsNothingHasTheSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, client := net.Pipe()
		defer client.Close()
		var p pace
		p.begin(30 * time.Second)
		begun := time.Now()
		n, err := p.write(conn, make([]byte, 1))
		if took := time.Since(begun); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) || took != 30*time.Second {
			t.Errorf("%d bytes, %v after %s", n, err, took)
		}
	})
}

// stalled is a connection of a process that stands still now before it writes and now afterwards, to a client that reads at once.
type stalled struct {
	net.Conn
	until time.Time // the deadline
	calls int
}

func (s *stalled) SetWriteDeadline(at time.Time) error {
	s.until = at
	return nil
}

func (s *stalled) Write(b []byte) (int, error) {
	s.calls++
	before := s.calls%2 == 1
	if before {
		time.Sleep(time.Minute)
	}
	if !time.Now().Before(s.until) {
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(time.Minute)
	return len(b), nil
}

func TestAProcessThatStandsStillDropsNoClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		p.begin(30 * time.Second)
		for range 100 {
			time.Sleep(time.Hour) // as a query, or the check of rights, may take
			if n, err := p.write(new(stalled), make([]byte, 4<<10)); n != 4<<10 || err != nil {
				t.Fatalf("%d bytes, %v", n, err)
			}
		}
		if p.left < 30*time.Second-blockedFor {
			t.Errorf("the client has %s left", p.left)
		}
	})
}
