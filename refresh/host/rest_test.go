package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"mooring/checksum"
	"mooring/placements"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		fact, header string
		want         time.Duration
	}{
		{"none", "", 0},
		{"seconds", "120", 2 * time.Minute},
		{"broken seconds", " 1.5 ", 1500 * time.Millisecond},
		{"a date to come", "Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second},
		{"a date gone by", "Sun, 01 Mar 2026 11:59:00 GMT", 0},
		{"negative", "-3", 0},
		{"absurd", "1e30", 0},
		{"words", "soon", 0},
	} {
		if got := retryAfter(row.header, now); got != row.want {
			t.Errorf("%s: %q is %v, want %v", row.fact, row.header, got, row.want)
		}
	}
}

func TestStatusClass(t *testing.T) {
	for status, want := range map[int]placements.Class{
		302: placements.Permanent, 400: placements.Permanent, 401: placements.Auth, 403: placements.Auth, 404: placements.Structure,
		405: placements.Permanent, 408: placements.Transient, 409: placements.Transient, 410: placements.Structure,
		412: placements.Transient, 413: placements.Permanent, 423: placements.Transient, 429: placements.Quota,
		500: placements.Transient, 501: placements.Permanent, 502: placements.Transient, 503: placements.Transient, 504: placements.Transient,
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
		wait, err := b.Take(t.Context(), account, 60, n)
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
				if wait, _ := b.Take(context.Background(), "a", 100, 1); wait == 0 {
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

func (refusingLimiter) Take(context.Context, string, int, int) (time.Duration, error) {
	return 0, errors.New("away")
}

func TestALimiterThatFailsIsTransient(t *testing.T) {
	err := takeQuota(t.Context(), refusingLimiter{}, restFaults{service: "S"}, []quota{{account: "a", perMinute: 1}}, 1)
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
	r := rest{base: api.URL, client: newClient(), now: time.Now, tokens: &tokens{
		client: newClient(),
		source: func(context.Context) oauth2.TokenSource {
			return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "secret"})
		},
	}}
	_, err := r.do(t.Context(), call{Method: http.MethodGet, Path: "/"})
	if !isStatus(err, http.StatusTemporaryRedirect) || led {
		t.Errorf("got %v, followed: %v", err, led)
	}
}

func TestFaultsOfTokens(t *testing.T) {
	for _, row := range []struct {
		fact   string
		status int
		want   placements.Class
	}{
		{"refused credentials", 400, placements.Auth},
		{"too many tokens", 429, placements.Quota},
		{"a broken login service", 502, placements.Transient},
	} {
		t.Run(row.fact, func(t *testing.T) {
			login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(row.status)
				fmt.Fprint(w, `{"error":"x","error_description":"client_secret=hidden"}`)
			}))
			defer login.Close()
			g, err := NewGraph(GraphOptions{TenantID: "t", ClientID: "c", ClientSecret: "s", Drive: "d", Endpoint: login.URL, TokenEndpoint: login.URL})
			if err != nil {
				t.Fatal(err)
			}
			var f *placements.Fault
			if err := g.Check(t.Context()); !errors.As(err, &f) || f.Class != row.want || strings.Contains(f.Message, "hidden") {
				t.Errorf("got %v, want class %s", err, row.want)
			}
		})
	}
}

func TestJSONTextAndNumbersReadBack(t *testing.T) {
	for _, s := range []string{"", "plain", `"quoted" \ back`, "line\nend\ttab", "Grüße 日本 👩‍👩‍👧", "<&>", "\u2028", "\x00\x1f\x7f"} {
		var got string
		if err := json.Unmarshal(appendJSONText(nil, s), &got); err != nil || got != s {
			t.Errorf("%q reads back as %q, %v", s, got, err)
		}
	}
	for _, v := range []float64{0, -1.5, 1.0 / 3, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53} {
		var got float64
		if err := json.Unmarshal(appendJSONNumber(nil, v), &got); err != nil || got != v {
			t.Errorf("%v reads back as %v, %v", v, got, err)
		}
	}
}

func TestPackFillsBatches(t *testing.T) {
	request := func(n int) []byte { return make([]byte, n) }
	for _, row := range []struct {
		fact     string
		requests [][]byte
		want     []int // requests a batch
	}{
		{"nothing", nil, nil},
		{"all fit", [][]byte{request(10), request(10)}, []int{2}},
		{"by size", [][]byte{request(60), request(60), request(30)}, []int{1, 2}},
		{"by number", [][]byte{request(1), request(1), request(1), request(1)}, []int{3, 1}},
		{"one too large goes alone", [][]byte{request(1), request(500), request(1)}, []int{1, 1, 1}},
	} {
		var got []int
		for _, part := range pack(row.requests, 100, 3) {
			got = append(got, len(part))
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: %s", row.fact, diff)
		}
	}
}

func TestJoinSpans(t *testing.T) {
	spans := []checksum.Span{{From: 0, To: 2}, {From: 4, To: 5}, {From: 20, To: 21}}
	var got []checksum.Span
	for _, run := range joinSpans(spans, 2) {
		got = append(got, run.Span)
	}
	if diff := cmp.Diff([]checksum.Span{{From: 0, To: 5}, {From: 20, To: 21}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrittenCountsEachRowOnce(t *testing.T) {
	var w Written
	w.count(&Patch{
		Extent: checksum.Extent{Rows: 4, Columns: 2},
		Rows:   []checksum.Span{{From: 0, To: 2}},
		Clear:  []checksum.Rect{{Row: 4, Rows: 3, Columns: 3}, {Row: 1, Column: 2, Rows: 3, Columns: 1}},
	})
	if diff := cmp.Diff(Written{Rows: 7, Cells: 4 + 9 + 3}, w); diff != "" {
		t.Error(diff)
	}
}

func TestGoogleMarkerNames(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"abc", "ABC", "a-b", "a_b", "a__b", "a_2db", "ä", "1", "", strings.Repeat("é", 200), strings.Repeat("é", 201)} {
		name := googleMarkerName(id)
		if other, taken := seen[strings.ToLower(name)]; taken {
			t.Errorf("%q and %q share the name %s", id, other, name)
		}
		seen[strings.ToLower(name)] = id
		if len(name) > googleMaxName || strings.Trim(name, "_0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("%q gives %s", id, name)
		}
	}
	if got := googleMarkerName("p1"); got != "_mooring_p1" {
		t.Errorf("a plain id gives %s", got)
	}
}

func TestGoogleFormatTypes(t *testing.T) {
	for pattern, want := range map[string]string{
		"yyyy-mm-dd": "DATE", "yyyy-mm-dd hh:mm:ss": "DATE_TIME", "hh:mm": "TIME", "0.0%": "PERCENT", "#,##0.00": "NUMBER", "@": "TEXT",
	} {
		if got := googleFormatType(pattern); got != want {
			t.Errorf("%s is %s, want %s", pattern, got, want)
		}
	}
}

func TestDocumentsThatAreNoIDsAreRefused(t *testing.T) {
	f := restFaults{service: "S"}
	for _, id := range []string{"", ".", "..", "a/b", "a:batchUpdate", "a?b", "a#b", `a\b`} {
		var fault *placements.Fault
		if err := f.invalidDocument(id); !errors.As(err, &fault) || fault.Class != placements.Structure {
			t.Errorf("%q gives %v", id, err)
		}
	}
	if err := f.invalidDocument("1AbC-d_e"); err != nil {
		t.Error(err)
	}
}
