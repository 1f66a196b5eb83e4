package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"mooring/storage"
	"mooring/storage/storagetest"
)

func TestRateLimitIsPerTokenAndSharedByAllInstances(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		limited := func(c *Config) { c.RatePerMinute = 3 }
		a, b := newAPI(t, s, limited), newAPI(t, s, limited)
		b.tokens = a.tokens
		ask := step{method: "GET", path: "/api/v1/tenant/settings"}
		for i, x := range []*api{a, b, a} {
			w := x.send(ask)
			left := fmt.Sprintf(`"requests";r=%d;t=`, 2-i)
			if w.Code != http.StatusOK || w.Header().Get("RateLimit-Policy") != `"requests";q=3;w=60` || !strings.HasPrefix(w.Header().Get("RateLimit"), left) {
				t.Fatalf("request %d: %d %s %s", i, w.Code, w.Header(), w.Body)
			}
		}
		w := b.send(ask)
		wait, _ := strconv.Atoi(w.Header().Get("Retry-After"))
		if w.Code != http.StatusTooManyRequests || !strings.HasPrefix(w.Header().Get("RateLimit"), `"requests";r=0;t=`) || wait < 1 || wait > 20 || !strings.Contains(w.Body.String(), `"code":"rate_limited"`) {
			t.Errorf("the fourth: %d, Retry-After %d: %s", w.Code, wait, w.Body)
		}
		refused := step{method: "GET", path: "/reports/999", as: "editor2"}
		if w := a.send(refused); w.Code != http.StatusNotFound || w.Header().Get("RateLimit") == "" {
			t.Errorf("an error answer: %d %s", w.Code, w.Header())
		}
		other := ask
		other.as = "viewer"
		if w := a.send(other); w.Code != http.StatusOK {
			t.Errorf("another token: %d", w.Code)
		}
	})
}

func TestThereIsNoRateLimitByDefault(t *testing.T) {
	a := onEmbedded(t)
	for range 200 {
		if w := a.send(step{method: "GET", path: "/api/v1/tenant/settings"}); w.Code != http.StatusOK {
			t.Fatal(w.Code)
		}
	}
}
