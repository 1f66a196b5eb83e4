package refresh

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// tap is between a storage and its server: it sees what is asked.
type tap struct {
	mu    sync.Mutex
	words []string
	do    func() error // before that is asked; with an error the connection breaks instead
}

// when has the tap call do before a command that contains words, once.
func (t *tap) when(do func() error, words ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.words, t.do = words, do
}

func (t *tap) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	return tapped{c, t}, err
}

// asked returns what is to be done before a command.
func (t *tap) asked(command []byte) (do func() error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, word := range t.words {
		if !bytes.Contains(command, []byte(word)) {
			return nil
		}
	}
	do, t.do, t.words = t.do, nil, nil
	return do
}

// tapped is a connection that a tap looks at.
type tapped struct {
	net.Conn
	*tap
}

func (c tapped) Write(command []byte) (int, error) {
	if do := c.asked(command); do != nil {
		if err := do(); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(command)
}

// tappedPane is a pane that has written what was planned, behind a tap.
func tappedPane(t *testing.T) (p *pane, plan *ClientPlan, between *tap) {
	t.Helper()
	between = &tap{}
	s, err := storage.Open(t.Context(), storage.Config{Address: storagetest.Redis(t), Dial: between.dial, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	p = newDesk(t, s, 1).pane(0, false)
	must(t, p.start())
	plan, err = p.plan()
	must(t, err)
	p.write(plan)
	plan.Close()
	return p, plan, between
}

// An add-in whose answer is late sends the end of its run again, and both are carried out at once.
func TestAClientThatCompletesTwiceAtOnce(t *testing.T) {
	p, plan, between := tappedPane(t)
	step, early := p.step(), p.step()
	var first *record.Run
	between.when(func() (err error) {
		first, err = p.engine.ClientRuns().Complete(t.Context(), early, plan.Checksum, Uncovered{})
		return err
	}, "get\r\n", ":plan\r\n")
	again, err := p.engine.ClientRuns().Complete(t.Context(), step, plan.Checksum, Uncovered{})
	must(t, err)
	if first == nil {
		t.Fatal("they were not carried out at once")
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("completed again (-first +again):\n%s", diff)
	}
}

// An add-in is not told that its run is lost when that cannot be read, but to ask again.
func TestARunThatCannotBeReadIsNotToldAsLost(t *testing.T) {
	p, plan, between := tappedPane(t)
	step := p.step()
	first, err := p.complete(plan)
	must(t, err)
	cut := false
	between.when(func() error {
		cut = true
		return errors.New("the connection breaks")
	}, "hgetall\r\n", "run:"+step.Run.ID+"\r\n")
	_, err = p.engine.ClientRuns().Complete(t.Context(), step, plan.Checksum, Uncovered{})
	if code := placements.CodeOf(err); !cut || code != "" || !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("it is told %v, code %q", err, code)
	}
	again, err := p.engine.ClientRuns().Complete(t.Context(), step, plan.Checksum, Uncovered{})
	must(t, err)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("completed again (-first +again):\n%s", diff)
	}
}
