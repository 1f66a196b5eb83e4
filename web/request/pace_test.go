package request

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// slowRecorder takes a while for each write, as a client does that reads slowly.
type slowRecorder struct {
	http.ResponseWriter
	took      time.Duration
	deadlines []time.Duration // from the moment of the write
}

func (r *slowRecorder) Write(b []byte) (int, error) {
	time.Sleep(r.took)
	return len(b), nil
}

func (r *slowRecorder) SetWriteDeadline(at time.Time) error {
	r.deadlines = append(r.deadlines, time.Until(at))
	return nil
}

func TestPaceIsAveraged(t *testing.T) {
	const pieces = 20
	for name, row := range map[string]struct {
		took, first, last time.Duration
	}{
		"a client at the floor rate keeps what it has":   {4 * time.Second, 34 * time.Second, 34 * time.Second},
		"one that is slower has less every time":         {5 * time.Second, 34 * time.Second, 34*time.Second - (pieces-1)*time.Second},
		"one that is faster gains no more than the span": {time.Second, 34 * time.Second, 34 * time.Second},
		"a client that reads at once has the whole span": {0, 34 * time.Second, 34 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &slowRecorder{took: row.took}
				p := newPacer(r, defaultSlowRead)
				if n, err := p.Write(make([]byte, pieces*pacedPiece)); n != pieces*pacedPiece || err != nil {
					t.Fatalf("%d bytes, %v", n, err)
				}
				if got := r.deadlines[1]; got != row.first {
					t.Errorf("the first piece may take %s, want %s", got, row.first)
				}
				if got := r.deadlines[pieces]; got != row.last {
					t.Errorf("the last piece may take %s, want %s", got, row.last)
				}
			})
		})
	}
}
