package simulation

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/web"
	"mooring/web/auth"
)

// process is a program that serves the HTTP interface and works as an agent. What it has in memory is lost when it crashes.
type process struct {
	*world
	name   string
	dead   bool      // it has crashed: nothing that it still does has an effect
	frozen time.Time // until when it stands still, as far as others can tell
	trap   *trap     // nil: it does not crash
	store  *storage.Store
	server http.Handler
	end    context.CancelFunc
	ended  chan struct{}
}

// trap has a process crash at a step, or stand still there.
type trap struct {
	step  string
	after bool          // when the step has taken effect, and before the process knows it
	count int           // the steps of that name that it takes before
	pause time.Duration // 0: it crashes
}

// start starts a process. It returns nil where Redis does not let it start.
func (w *world) start(name string) *process {
	p := &process{world: w, name: name, ended: make(chan struct{})}
	ctx, end := context.WithCancel(context.Background())
	p.end = end
	opening, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	store, err := storage.Open(opening, storage.Config{Address: "redis://127.0.0.1:6379", Dial: p.network.dial(p), Partitions: partitions, Log: w.log})
	if err != nil {
		w.trace.note("%s does not start", name)
		end()
		close(p.ended)
		return nil
	}
	p.store = store
	engine := refresh.New(refresh.Config{
		Store: store, Log: w.log, Tenants: w.tenants(p), Workers: 8, RunLimit: 3 * time.Minute, DrainLimit: time.Second,
		Rhythm: w.rhythm,
	})
	p.server = web.New(web.Config{
		Rules: web.Rules{Keys: w.keys}, Store: store, Log: w.log, Engine: engine, Tenants: map[string]web.Tenant{tenant: {Deployments: []int64{1}}},
	}).Handler()
	go func() {
		defer close(p.ended)
		must(w.T, engine.Run(ctx))
		_ = store.Close() // of a process that crashed, every connection is gone
	}()
	w.trace.note("%s starts", name)
	return p
}

// crash ends the process at once, as a failure of its machine does.
func (p *process) crash(why string) {
	if p.dead {
		return
	}
	p.trace.note("%s crashes: %s", p.name, why)
	p.dead, p.trap = true, nil
	for _, l := range slices.Clone(p.network.links) {
		if l.process == p {
			_ = l.Close()
		}
	}
	p.end()
	p.saw("crash: " + why)
}

// springs has the process crash or stand still at that step, if there is its trap, and reports whether it has crashed, now or before.
func (p *process) springs(step string, after bool) bool {
	t := p.trap
	if t == nil || p.dead || t.step != step || t.after != after {
		return p.dead
	}
	if t.count--; t.count >= 0 {
		return false
	}
	when := "before "
	if after {
		when = "after "
	}
	if p.trap = nil; t.pause == 0 {
		p.crash(when + step)
		return true
	}
	p.trace.note("%s stands still for %v: %s%s", p.name, t.pause, when, step)
	p.saw("pause: " + when + step)
	p.frozen = time.Now().Add(t.pause)
	return false
}

var errCrashed = errors.New("the process has crashed")

// pass is a step outside of Redis that takes a while. An error means that it has no effect.
func (p *process) pass(ctx context.Context, step, about string) error {
	if p.springs(step, false) {
		return errCrashed
	}
	now := time.Now()
	x := mixed(p.seed, textSum(p.name, step, about), uint64(now.UnixNano()))
	took := 5*time.Millisecond + time.Duration(part(x)*float64(80*time.Millisecond))
	if now.Before(p.stalled) {
		took += time.Duration(part(mixed(x, 1)) * float64(25*time.Second))
	}
	if now.Before(p.frozen) {
		took += time.Until(p.frozen)
		ctx = context.WithoutCancel(ctx) // it was on its way
	}
	if err := sleep(ctx, took); err != nil {
		return err
	}
	if p.dead {
		return errCrashed
	}
	p.trace.note("%s %s %s", p.name, step, about)
	return nil
}

// done ends a step that pass began.
func (p *process) done(step string) error {
	if p.springs(step, true) {
		return errCrashed
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Who sends requests: the owner of the reports, and somebody who may only read them.
const (
	tenant = "acme"
	owner  = "owner"
	reader = "reader"
)

// newToken signs the token of a person.
func newToken(keys *auth.Keyring, id int64, actions ...string) (string, error) {
	c := auth.Caller{Tenant: tenant}
	c.ID, c.Email, c.Actions = id, "", actions
	token, _, err := keys.Sign(c, time.Now(), 90*24*time.Hour)
	return token, err
}

// response is what a request came back with. A status of 0 means that no answer came.
type response struct {
	status int
	text   string
}

// send sends a request to the process, in at most 20 seconds.
func (p *process) send(as, method, path, body string) response {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, "/api/v1"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+p.tokens[as])
	r.Header.Set("Content-Type", "application/json")
	a := httptest.NewRecorder()
	p.server.ServeHTTP(a, r)
	answer := response{a.Code, a.Body.String()}
	if p.dead {
		answer = response{}
	}
	p.trace.note("%s %s %s: %d", p.name, method, path, answer.status)
	p.saw("answer: " + http.StatusText(answer.status))
	return answer
}

// tenants are those of a process.
func (w *world) tenants(p *process) map[string]refresh.Tenant {
	return map[string]refresh.Tenant{tenant: {
		Deployments: map[int64]refresh.DeploymentSource{1: {Source: &source{p}, Location: time.UTC}},
		Hosts:       []refresh.Spreadsheets{{Kind: placements.SheetsB, Driver: &host{p}}},
	}}
}

// newLog is where processes log to.
func newLog(tr *trace) *slog.Logger {
	if !tr.keep {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(logLines{tr}, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// logLines adds what is logged to the lines of a trace, and not to its hash.
type logLines struct{ *trace }

func (l logLines) Write(b []byte) (int, error) {
	l.lines = append(l.lines, time.Now().UTC().Format("02 15:04:05.000000000 ")+"log "+strings.TrimSpace(string(b)))
	return len(b), nil
}
