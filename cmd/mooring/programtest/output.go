package programtest

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"sync"
	"time"
)

// Output keeps what was written to it and wakes those who wait for a line. It is safe for concurrent use.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed and replaced at every write
}

// NewOutput returns an empty one.
func NewOutput() *Output { return &Output{more: make(chan struct{})} }

// Write never fails.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.more)
	o.more = make(chan struct{})
	return o.text.Write(b)
}

// String returns all that was written.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// Look returns all that was written, and a channel that is closed when more is.
func (o *Output) Look() (text string, more <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String(), o.more
}

// Line waits for a whole line that contains mark, until ended is closed or Patience is over, and returns it trimmed. ok reports whether
// it came.
func (o *Output) Line(mark string, ended <-chan struct{}) (line string, ok bool) {
	deadline, last := time.After(Patience), false
	for {
		text, more := o.Look()
		if line, ok := find(text, mark); ok || last {
			return line, ok
		}
		select {
		case <-more:
		case <-ended:
			last = true // one more look at what it wrote
		case <-deadline:
			return "", false
		}
	}
}

// find returns the first whole line of text that contains mark.
func find(text, mark string) (line string, ok bool) {
	for r := bufio.NewReader(strings.NewReader(text)); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return "", false
		}
		if strings.Contains(line, mark) {
			return strings.TrimSpace(line), true
		}
	}
}
