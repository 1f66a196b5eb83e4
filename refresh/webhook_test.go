package refresh

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/notify"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// endpoint is a receiver of webhooks that checks signatures as Standard Webhooks says, and can be told to fail.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	failures int
	got      []string // types of the events taken
	ids      map[string]int
}

const hookSecret = "0123456789abcdef01234567"

func newEndpoint(t *testing.T, failures int) *endpoint {
	e := &endpoint{failures: failures, ids: map[string]int{}}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(hookSecret))
		io.WriteString(mac, r.Header.Get("webhook-id")+"."+r.Header.Get("webhook-timestamp")+"."+string(body))
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.Header.Get("webhook-signature") != want {
			t.Errorf("signature is %q, want %q", r.Header.Get("webhook-signature"), want)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.ids[r.Header.Get("webhook-id")]++
		if e.failures > 0 {
			e.failures--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var event struct {
			Type     string
			ReportID int64
			Data     struct{ RunID, PlacementID string }
		}
		if err := json.Unmarshal(body, &event); err != nil || event.ReportID == 0 || event.Data.RunID+event.Data.PlacementID == "" {
			t.Errorf("body is %s (%v)", body, err)
		}
		e.got = append(e.got, event.Type)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) types() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.got, " ")
}

func TestWebhooksTellOfFailureAndRecovery(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		e := newEndpoint(t, 0)
		hook, err := notify.Parse(e.URL, hookSecret)
		must(t, err)
		r.hook(hook)
		must(t, r.engine.queue.Queue.Events.Subscribe(t.Context(), record.Subscription{Deployment: r.d, Name: hook.Name()}))

		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.exec("ALTER TABLE cities RENAME TO towns")
		r.failed(r.refresh(Request{}), placements.Structure, "no such table")
		r.exec("ALTER TABLE towns RENAME TO cities")
		r.succeeded(r.refresh(Request{}), 0)
		r.succeeded(r.refresh(Request{}), 0)

		stop := r.serve() // each of the agents before may have delivered
		r.eventually("both events are delivered", func() bool { return e.types() == "run.failed run.recovered" })
		stop()
	})
}

// hook adds a webhook to the rig's deployment.
func (r *rig) hook(h notify.Webhook) {
	d := r.engine.tenants["acme"].Deployments[1]
	d.Webhooks = []notify.Webhook{h}
	r.engine.tenants["acme"].Deployments[1] = d
}

// sender delivers to a webhook, and again at once what was not taken.
func (r *rig) sender(hook notify.Webhook, to *endpoint) *notify.Sender {
	e := r.engine
	return &notify.Sender{
		Hook: hook, To: record.Subscription{Deployment: r.d, Name: hook.Name()}, Queue: e.queue, Agent: "a", Log: e.log, Observe: e.observe,
		Client: to.Client(), Patience: func(int64) time.Duration { return 0 },
	}
}

// failAndRecover leaves the events run.failed and run.recovered.
func (r *rig) failAndRecover() {
	r.Helper()
	r.connect("Sheet1!B2")
	r.exec("ALTER TABLE cities RENAME TO towns")
	r.failed(r.refresh(Request{}), placements.Structure, "no such table")
	r.exec("ALTER TABLE towns RENAME TO cities")
	r.succeeded(r.refresh(Request{}), 4)
}

func TestADrainingAgentFinishesTheDeliveriesItHasBegun(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		e := newEndpoint(t, 0)
		begun, release := make(chan struct{}, 1), make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			select {
			case begun <- struct{}{}:
			default:
			}
			<-release
			e.Config.Handler.ServeHTTP(w, req)
		}))
		t.Cleanup(slow.Close)
		hook, err := notify.Parse(slow.URL, hookSecret)
		must(t, err)
		must(t, r.engine.queue.Queue.Events.Subscribe(t.Context(), record.Subscription{Deployment: r.d, Name: hook.Name()}))
		r.failAndRecover()

		r.hook(hook)
		ctx, drain := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.engine.Run(ctx) }()
		<-begun
		drain()
		close(release)
		must(t, <-done)
		if got, want := e.types(), "run.failed run.recovered"; got != want {
			t.Errorf("the agent has delivered %q, want %q", got, want)
		}
	})
}

func TestAnEndpointThatDoesNotAnswerEndsWithTheDrainLimit(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		begun, asked := make(chan struct{}, 50), 0
		silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body) // so that the server sees the client leave
			asked++
			begun <- struct{}{}
			<-req.Context().Done()
		}))
		hook, err := notify.Parse(silent.URL, hookSecret)
		must(t, err)
		sub := record.Subscription{Deployment: r.d, Name: hook.Name()}
		must(t, r.engine.queue.Queue.Events.Subscribe(t.Context(), sub))
		r.failAndRecover()

		r.hook(hook)
		r.engine.drainLimit = time.Millisecond
		stop := r.serve()
		<-begun
		stop()
		silent.Close()
		if asked != 1 {
			t.Errorf("%d deliveries were begun, want 1", asked)
		}
		left, err := r.engine.queue.Queue.Events.Overdue(t.Context(), sub, "another agent", 50, func(int64) time.Duration { return 0 })
		must(t, err)
		var types []record.EventType
		for _, event := range left {
			if event.Type == record.EventRunFailed || event.Type == record.EventRunRecovered {
				types = append(types, event.Type)
			}
		}
		if diff := cmp.Diff([]record.EventType{record.EventRunFailed, record.EventRunRecovered}, types); diff != "" {
			t.Errorf("left for another agent (-want +got):\n%s", diff)
		}
	})
}

func TestAWebhookIsTriedAgainUnderTheSameID(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		e := newEndpoint(t, 1)
		hook, err := notify.Parse(e.URL, "whsec_"+base64.StdEncoding.EncodeToString([]byte(hookSecret)))
		must(t, err)
		c := r.sender(hook, e)
		round := func() { must(t, c.Round(t.Context(), t.Context())) }
		round()
		_, err = r.engine.Start(t.Context(), r.d, Request{Target: record.RunTarget{ReportID: r.report}})
		must(t, err)
		r.exec("DROP TABLE cities")
		r.connect("Sheet1!B2")
		r.workAll()
		round() // fails
		round() // is taken
		round() // has nothing to do
		if e.types() != "run.failed" || len(e.ids) != 1 {
			t.Errorf("got %q under %d ids, want run.failed once under one id", e.types(), len(e.ids))
		}
	})
}

func TestWebhooksTellOfEdits(t *testing.T) {
	eachRig(t, func(r *rig) {
		e := newEndpoint(t, 0)
		hook, err := notify.Parse(e.URL, hookSecret)
		must(t, err)
		store := r.engine.records
		must(t, store.Work().Queue.Prepare(t.Context()))
		c := r.sender(hook, e)
		round := func() { must(t, c.Round(t.Context(), t.Context())) }
		round()
		p := r.connect("Sheet1!B2")
		for _, edits := range [][]record.Edit{{{ID: "e", Row: 1}}, {{ID: "e", Row: 1}}, nil} {
			must(t, storagetest.Enqueue(t.Context(), store.Work(), r.d, &record.Run{ReportID: r.report}))
			entries, err := store.Work().Queue.Take(t.Context(), "a", 16*storage.DefaultPartitions, -1)
			must(t, err)
			a, err := store.Work().Queue.Begin(t.Context(), "a", entries[0])
			must(t, err)
			report, err := store.Work().Load(t.Context(), a)
			must(t, err)
			before, _ := report.Find(p.ID)
			a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(time.Now())
			must(t, store.Work().Complete(t.Context(), a, work.Outcome{
				Placements: []work.PlacementOutcome{{Placement: before.Placement, Before: before, Written: true, Edits: edits}},
			}))
		}
		round()
		if got, want := e.types(), "placement.edits_kept placement.edits_gone"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
