package rest

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/trace"
)

func TestStatusClass(t *testing.T) {
	for status, want := range map[int]placements.Class{
		302: placements.Permanent, 400: placements.Permanent, 401: placements.Auth, 403: placements.Auth, 404: placements.Structure,
		405: placements.Permanent, 408: placements.Transient, 409: placements.Transient, 410: placements.Structure,
		412: placements.Transient, 413: placements.Permanent, 423: placements.Transient, 429: placements.Quota,
		500: placements.Transient, 501: placements.Permanent, 502: placements.Transient, 503: placements.Transient,
		504: placements.Transient,
	} {
		if got := statusClass(status); got != want {
			t.Errorf("%d is %s, want %s", status, got, want)
		}
	}
}

func TestBucketsRefillSteadily(t *testing.T) {
	now := time.Unix(0, 0)
	b := Buckets{Now: func() time.Time { return now }}
	take := func(account string, n int) time.Duration {
		t.Helper()
		wait, err := b.TakeQuota(t.Context(), account, 60, n)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	if wait := take("a", 60); wait != 0 {
		t.Errorf("a full bucket makes wait %v", wait)
	}
	if wait := take("a", 1); wait != time.Second {
		t.Errorf("an empty bucket makes wait %v, want 1s", wait)
	}
	if wait := take("a", 10); wait != 10*time.Second {
		t.Errorf("an empty bucket makes wait %v for ten, want 10s", wait)
	}
	if wait := take("b", 1); wait != 0 {
		t.Errorf("another account waits %v", wait)
	}
	now = now.Add(10 * time.Second)
	if wait := take("a", 10); wait != 0 {
		t.Errorf("after 10s ten more wait %v", wait)
	}
	now = now.Add(time.Hour)
	if wait := take("a", 1000); wait != 0 {
		t.Errorf("more than the bucket holds never go: wait %v", wait)
	}
}

func TestBucketsNeverGiveMoreThanTheQuota(t *testing.T) {
	start := time.Unix(0, 0)
	b := Buckets{Now: func() time.Time { return start }}
	var mu sync.Mutex
	given := 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if wait, _ := b.TakeQuota(context.Background(), "a", 100, 1); wait == 0 {
					mu.Lock()
					given++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if given != 100 {
		t.Errorf("%d requests went out of a quota of 100", given)
	}
}

// refusingLimiter fails as a store that is away does.
type refusingLimiter struct{}

func (refusingLimiter) TakeQuota(context.Context, string, int, int) (time.Duration, error) {
	return 0, errors.New("away")
}

func TestALimiterThatFailsIsTransient(t *testing.T) {
	err := TakeQuota(t.Context(), refusingLimiter{}, Faults{Service: "S"}, []host.Quota{{Account: "a", PerMinute: 1}}, 1)
	var f *placements.Fault
	if !errors.As(err, &f) || f.Class != placements.Transient {
		t.Errorf("got %v", err)
	}
}

func TestNoRedirectIsFollowedWithAToken(t *testing.T) {
	var led bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led = true }))
	defer elsewhere.Close()
	api := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer api.Close()
	r := Client{Base: api.URL, Client: NewHTTPClient(), Now: time.Now, Tokens: &Tokens{
		Client: NewHTTPClient(),
		Source: func(context.Context) oauth2.TokenSource {
			return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "secret"})
		},
	}}
	_, err := r.Do(t.Context(), Call{Method: http.MethodGet, Path: "/"})
	if !IsStatus(err, http.StatusTemporaryRedirect) || led {
		t.Errorf("got %v, followed: %v", err, led)
	}
}

func TestJSONTextAndNumbersReadBack(t *testing.T) {
	for _, s := range []string{"", "plain", `"quoted" \ back`, "line\nend\ttab", "Grüße 日本 👩‍👩‍👧", "<&>", "\u2028", "\x00\x1f\x7f"} {
		var got string
		if err := json.Unmarshal(AppendJSONText(nil, s), &got); err != nil || got != s {
			t.Errorf("%q reads back as %q, %v", s, got, err)
		}
	}
	for _, v := range []float64{0, -1.5, 1.0 / 3, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53} {
		var got float64
		if err := json.Unmarshal(AppendJSONNumber(nil, v), &got); err != nil || got != v {
			t.Errorf("%v reads back as %v, %v", v, got, err)
		}
	}
}

func TestDocumentsThatAreNoIDsAreRefused(t *testing.T) {
	f := Faults{Service: "S"}
	for _, id := range []string{"", ".", "..", "a/b", "a:batchUpdate", "a?b", "a#b", `a\b`} {
		var fault *placements.Fault
		if err := f.InvalidDocument(id); !errors.As(err, &fault) || fault.Class != placements.Structure {
			t.Errorf("%q gives %v", id, err)
		}
	}
	if err := f.InvalidDocument("1AbC-d_e"); err != nil {
		t.Error(err)
	}
}

// A request is part of the trace of who made it, if there is one.
func TestRequestsNameTheirTrace(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	var got []string
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("traceparent")) }))
	defer api.Close()
	r := Client{Base: api.URL, Client: NewHTTPClient(), Now: time.Now, Tokens: &Tokens{
		Client: NewHTTPClient(),
		Source: func(context.Context) oauth2.TokenSource {
			return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "secret"})
		},
	}}
	for _, ctx := range []context.Context{trace.Resume(t.Context(), parent), t.Context()} {
		body, err := r.Do(ctx, Call{Method: http.MethodGet, Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		body.Close()
	}
	if len(got) != 2 || got[0] != parent || got[1] != "" {
		t.Errorf("sent %q", got)
	}
}
