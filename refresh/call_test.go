package refresh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// stuckHost is a host one of whose calls for the document "book" never comes back, until it is let go.
type stuckHost struct {
	*shelf
	at      string // open, read, write or close; empty: none
	reached chan struct{}
	letGo   chan struct{}
	once    *sync.Once
}

// hang hangs in that call, whatever its context says.
func (h *stuckHost) hang(at, document string) {
	if h.at == at && document == "book" {
		h.once.Do(func() { close(h.reached) })
		<-h.letGo
	}
}

func (h *stuckHost) Open(ctx context.Context, document string) (host.Session, error) {
	h.hang("open", document)
	s, err := h.shelf.Open(ctx, document)
	return &stuckSession{s, h, document}, err
}

type stuckSession struct {
	host.Session
	*stuckHost
	document string
}

func (s *stuckSession) Read(ctx context.Context, list []host.Wanted) ([]host.Found, error) {
	s.hang("read", s.document)
	return s.Session.Read(ctx, list)
}

func (s *stuckSession) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	s.hang("write", s.document)
	return s.Session.Write(ctx, patches)
}

func (s *stuckSession) Close() error {
	s.hang("close", s.document)
	return s.Session.Close()
}

// stuckDesk is a desk whose host hangs in that call, and which a call is left behind at once when its context ends.
func stuckDesk(t *testing.T, at string) (*desk, *stuckHost, *notes) {
	t.Helper()
	d := newDesk(t, storagetest.Open(t, "embedded"), 2)
	h := &stuckHost{shelf: d.books, at: at, reached: make(chan struct{}), letGo: make(chan struct{}), once: new(sync.Once)}
	told := new(notes)
	d.engine = d.another(func(c *Config) {
		c.Tenants["acme"].Hosts[0].Driver, c.Observer = h, told
	})
	d.engine.calls.Grace = 0
	d.connect(1, "other", "A1")
	return d, h, told
}

// in asks for a run of the i-th report in a document.
func (d *desk) in(i int, document string) string {
	d.Helper()
	return d.ask(i, Request{Target: record.RunTarget{ExternalWorkbookID: document}})
}

func (n *notes) has(line string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.lines, line)
}

// Whatever call hangs, a run that is stopped ends, one of another document goes on, and one of the same document is told so and makes no
// further call. What hung and comes back writes nothing, and the document is refreshed again.
func TestACallThatHangsHoldsUpNoOtherDocument(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"open", "read", "write"} {
		t.Run(at, func(t *testing.T) {
			d, h, told := stuckDesk(t, at)
			hangs := d.in(0, "book")
			a := d.agent(d.engine, "a")
			d.take(a, 32)
			<-h.reached
			must(t, d.engine.Stop(t.Context(), deskDeployment, d.run(hangs)))
			a.running.Wait()
			if run := d.run(hangs); run.State != placements.RunStopped {
				t.Errorf("the run that hangs is %s", run.State)
			}
			if !told.has("acme hangs +1") {
				t.Errorf("told: %q", told.lines)
			}

			counted := d.books.count("book")
			again, other := d.in(1, "book"), d.in(0, "book")
			aside := d.in(1, "other")
			d.work()
			for _, id := range []string{again, other} {
				run := d.run(id)
				if run.State != placements.RunQueued || run.ErrorClass != placements.Transient || !strings.Contains(run.Error, `the spreadsheet "book" does not answer`) {
					t.Errorf("a run of the same document is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
				}
				must(t, d.engine.Stop(t.Context(), deskDeployment, run))
			}
			if got := d.books.count("book"); got != counted {
				t.Errorf("the document was %v times opened, read, written, in blocks; before %v", got, counted)
			}
			if run := d.run(aside); run.State != placements.RunSucceeded {
				t.Errorf("the run of another document is %s (%s)", run.State, run.Error)
			}

			close(h.letGo)
			d.eventually("the call has come back", func() bool { return told.has("acme hangs -1") })
			if got := d.books.count("book"); got[2] != 0 {
				t.Errorf("what came back wrote %d times", got[2])
			}
			d.work()                                                           // ends those that were stopped
			d.eventually("a run of the document succeeds again", func() bool { // its session is closed by a call that may be left behind, too
				last := d.in(0, "book")
				d.work()
				return d.run(last).State == placements.RunSucceeded
			})
		})
	}
}

// A document that cannot be closed is left behind too: what was written to it is settled.
func TestADocumentWhoseCloseHangs(t *testing.T) {
	d, h, told := stuckDesk(t, "close")
	run := d.in(0, "book")
	d.work()
	if got := d.run(run); got.State != placements.RunSucceeded {
		t.Errorf("the run is %s (%s)", got.State, got.Error)
	}
	if !told.has("acme hangs +1") {
		t.Errorf("told: %q", told.lines)
	}
	close(h.letGo)
	d.eventually("the call has come back", func() bool { return told.has("acme hangs -1") })
}

// Each call that hangs keeps a thread of the system: there are so many of a host, and no more.
func TestCallsThatHangAreBounded(t *testing.T) {
	told := new(notes)
	c := &fault.Calls{Log: slog.New(slog.DiscardHandler), Observe: told}
	ended, end := context.WithCancel(t.Context())
	end()
	of := func(tenant, name string) fault.Callee {
		return fault.Callee{Tenant: tenant, Within: "spreadsheets of X", Name: name}
	}
	letGo := make(chan struct{})
	for i := range fault.HungMost {
		_, err := fault.Call(ended, c, of("acme", fmt.Sprint(i)), func() (int, error) { <-letGo; return 0, nil })
		if _, left := errors.AsType[*fault.LeftError](err); !left || !errors.Is(err, context.Canceled) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	made := func(s fault.Callee) error {
		_, err := fault.Call(t.Context(), c, s, func() (int, error) { return 0, nil })
		return err
	}
	if fault := fault.Of(made(of("acme", "one more"))); fault.Class != placements.Transient || !strings.Contains(fault.Message, "64 calls") {
		t.Errorf("one more: %v", fault)
	}
	if err := made(of("other", "one more")); err != nil {
		t.Errorf("of another tenant: %v", err)
	}
	close(letGo)
	for made(of("acme", "0")) != nil { // until it has come back
		runtime.Gosched()
	}
}

func TestAPanicOfACallIsItsCallers(t *testing.T) {
	logged := new(lockedBuffer)
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v", p)
		}
		if !strings.Contains(logged.String(), "panicsBelow") {
			t.Errorf("logged without its stack: %s", logged)
		}
	}()
	c := &fault.Calls{Log: slog.New(slog.NewTextHandler(logged, nil))}
	_, _ = fault.Call(t.Context(), c, fault.Callee{}, func() (int, error) { return panicsBelow() })
}

func panicsBelow() (int, error) { panic("broken") }

// A call that was left behind has no caller to tell what it panics with: that is logged.
func TestAPanicOfACallThatWasLeftBehindIsLogged(t *testing.T) {
	logged := new(lockedBuffer)
	c := &fault.Calls{Log: slog.New(slog.NewTextHandler(logged, nil)), Observe: new(notes)}
	ended, end := context.WithCancel(t.Context())
	end()
	letGo := make(chan struct{})
	_, err := fault.Call(ended, c, fault.Callee{Tenant: "acme", Within: "spreadsheets of X", Name: "book"}, func() (int, error) { <-letGo; return panicsBelow() })
	left, ok := errors.AsType[*fault.LeftError](err)
	if !ok {
		t.Fatal(err)
	}
	close(letGo)
	<-left.Back
	for _, want := range []string{"a call panicked", "tenant=acme", "call=book", "panic=broken", "panicsBelow"} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("%s is not logged: %s", want, logged)
		}
	}
}
