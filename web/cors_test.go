package web

import (
	"net/http"
	"slices"
	"testing"
)

const addin = "https://addin.example.com"

func TestCORS(t *testing.T) {
	preflight := map[string]string{"Origin": addin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization,if-match"}
	origin := map[string]string{"Origin": addin}
	a := onEmbedded(t, func(c *Config) {
		c.Origins = []string{addin, "https://*.googleusercontent.com"}
		c.RatePerMinute = 2
	})
	a.tokens["nobody"] = ""
	for fact, tt := range map[string]struct {
		s      step
		status int
		allows string
	}{
		"a preflight needs no token":               {step{method: "OPTIONS", path: "/reports/1", as: "nobody", header: preflight}, 204, addin},
		"a preflight of a path that is none":       {step{method: "OPTIONS", path: "//nothing", as: "nobody", header: preflight}, 204, addin},
		"an answer":                                {step{method: "GET", path: "/reports", as: "viewer", header: origin}, 200, addin},
		"an error of a handler":                    {step{method: "GET", path: "/reports/999", as: "viewer", header: origin}, 404, addin},
		"a missing token":                          {step{method: "GET", path: "/reports", as: "nobody", header: origin}, 401, addin},
		"an unknown route":                         {step{method: "GET", path: "//nothing", header: origin}, 404, addin},
		"a wrong method":                           {step{method: "PATCH", path: "/reports/1", header: origin}, 405, addin},
		"an OPTIONS that is no preflight":          {step{method: "OPTIONS", path: "/reports/1", header: origin}, 405, addin},
		"a host below a pattern":                   {step{method: "GET", path: "/reports", as: "role7", header: map[string]string{"Origin": "https://n-abc.0.googleusercontent.com"}}, 200, "https://n-abc.0.googleusercontent.com"},
		"the pattern's own host":                   {step{method: "GET", path: "//nothing", header: map[string]string{"Origin": "https://googleusercontent.com"}}, 404, ""},
		"a host that only ends like it":            {step{method: "GET", path: "//nothing", header: map[string]string{"Origin": "https://evilgoogleusercontent.com"}}, 404, ""},
		"a user name before it":                    {step{method: "GET", path: "//nothing", header: map[string]string{"Origin": "https://evil.example@a.googleusercontent.com"}}, 404, ""},
		"another scheme":                           {step{method: "GET", path: "//nothing", header: map[string]string{"Origin": "http://addin.example.com"}}, 404, ""},
		"another port":                             {step{method: "GET", path: "//nothing", header: map[string]string{"Origin": addin + ":8443"}}, 404, ""},
		"the origin of a file":                     {step{method: "GET", path: "//nothing", header: map[string]string{"Origin": "null"}}, 404, ""},
		"no origin":                                {step{method: "GET", path: "//nothing"}, 404, ""},
		"a preflight of another origin is no such": {step{method: "OPTIONS", path: "/reports", header: map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}}, 405, ""},
	} {
		t.Run(fact, func(t *testing.T) {
			w := a.send(tt.s)
			h := w.Header()
			if w.Code != tt.status || h.Get("Access-Control-Allow-Origin") != tt.allows || !slices.Contains(h.Values("Vary"), "Origin") {
				t.Errorf("%d %v %s", w.Code, h, w.Body)
			}
			wantExposed := ""
			if tt.allows != "" && tt.status != http.StatusNoContent {
				wantExposed = "ETag, Location, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, X-Mooring-Result, Preference-Applied, Idempotency-Replayed"
			}
			if h.Get("Access-Control-Expose-Headers") != wantExposed || h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%v", h)
			}
			if tt.status != http.StatusNoContent {
				return
			}
			if h.Get("Access-Control-Allow-Headers") != "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Last-Event-ID, traceparent" ||
				h.Get("Access-Control-Max-Age") != "600" || h.Get("Access-Control-Allow-Methods") != "GET, HEAD, POST, PUT, DELETE" || w.Body.Len() > 0 {
				t.Errorf("%v %s", h, w.Body)
			}
		})
	}
	t.Run("preflights do not count against a rate, and a refusal for it may be read", func(t *testing.T) {
		for range 5 {
			a.send(step{method: "OPTIONS", path: "/reports", header: preflight})
		}
		var got []int
		for range 3 {
			w := a.send(step{method: "GET", path: "/reports", as: "manager", header: origin})
			if got = append(got, w.Code); w.Header().Get("Access-Control-Allow-Origin") != addin {
				t.Errorf("%d %v", w.Code, w.Header())
			}
		}
		if !slices.Equal(got, []int{200, 200, 429}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestWithoutOriginsThereIsNoCORS(t *testing.T) {
	a := onEmbedded(t)
	for _, method := range []string{"GET", "OPTIONS"} {
		w := a.send(step{method: method, path: "/reports", header: map[string]string{"Origin": addin, "Access-Control-Request-Method": "GET"}})
		if h := w.Header(); w.Code == http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "" || h.Get("Vary") != "" {
			t.Errorf("%s: %d %v", method, w.Code, h)
		}
	}
}
