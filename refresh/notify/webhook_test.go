package notify

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/trace"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

const secretText = "0123456789abcdef01234567"

// outcomes are what a sender has told of its deliveries.
type outcomes []string

func (o *outcomes) Delivered(outcome string) { *o = append(*o, outcome) }

// sender delivers to an endpoint.
func sender(t *testing.T, to http.HandlerFunc) *Sender {
	endpoint := httptest.NewServer(to)
	t.Cleanup(endpoint.Close)
	s := storagetest.Open(t, "embedded")
	if err := s.Work().Queue.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	hook := Webhook{URL: endpoint.URL, Secret: []byte(secretText)}
	return &Sender{
		Hook: hook, To: record.Subscription{Deployment: record.Deployment{Tenant: "acme", ID: 1}, Name: hook.Name()}, Queue: s.Work(),
		Agent: "a", Log: slog.New(slog.DiscardHandler), Observe: new(outcomes), Client: NewClient(), Patience: Patience,
	}
}

func TestADeliveryIsToldWithWhatCameOfIt(t *testing.T) {
	failures := 2
	s := sender(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if failures--; failures >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	if err := s.Queue.Queue.Events.Subscribe(t.Context(), s.To); err != nil {
		t.Fatal(err)
	}
	event := record.Event{ID: "1-1", Type: record.EventRunFailed, ReportID: 1, At: placements.Time(time.Now()), Data: []byte(`{"runId":"r"}`)}
	old := event
	old.At = placements.Time(time.Now().Add(-2 * deliverFor))
	for _, one := range []record.Event{event, old, event, {ID: "1-2", Type: record.EventRunQueued}} {
		if err := s.one(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(&outcomes{"failed", "given_up", "delivered"}, s.Observe); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// A delivery is part of a trace, which its endpoint is told.
func TestADeliveryTellsItsTrace(t *testing.T) {
	var got string
	s := sender(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("traceparent") })
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	var err error
	if s.Tracer, err = trace.New(t.Context(), trace.Config{Endpoint: collector.URL, Log: s.Log}); err != nil {
		t.Fatal(err)
	}
	defer s.Tracer.Close()
	if err := s.traced(context.Background(), record.Event{ID: "1-0", Type: record.EventRunFailed}); err != nil || len(got) != 55 {
		t.Errorf("traceparent %q, %v", got, err)
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, url, secret, want string }{
		{"no scheme", "example.com/hook", secretText, "url:"},
		{"another scheme", "ftp://example.com", secretText, "url:"},
		{"a short secret", "https://example.com", "short", "secret:"},
		{"a secret that is no base64", "https://example.com", "whsec_!", "secret:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.url, tt.secret)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that begins with %s", err, tt.want)
			}
		})
	}
}

func TestPatienceGrowsAndEnds(t *testing.T) {
	last := time.Duration(0)
	for taken := int64(1); taken < 12; taken++ {
		now := Patience(taken)
		if now < last || now > mostPatience || now < deliverTimeout {
			t.Errorf("Patience(%d) = %s after %s", taken, now, last)
		}
		last = now
	}
}
