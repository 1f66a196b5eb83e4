package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
)

func TestIdempotencyKeys(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		key := func(k string) map[string]string { return map[string]string{"Idempotency-Key": k} }
		a.run(t, []step{
			{name: "the first request creates", method: "POST", path: "/reports", header: key("k1"), body: `{"name":"A"}`, status: 200, keep: map[string]string{"id": "id", "tag": "ETag"}},
			{
				name: "the same key and body gives the first response", method: "POST", path: "/reports", header: key("k1"), body: `{"name":"A"}`, status: 200, holds: `{"id":{{id}}}`,
				keep: map[string]string{"tag2": "ETag"},
			},
			{name: "another body under the key is 422", method: "POST", path: "/reports", header: key("k1"), body: `{"name":"B"}`, status: 422, holds: `{"code":"idempotency_key_reused"}`},
			{name: "another user's key is another key", method: "POST", path: "/reports", as: "editor2", header: key("k1"), body: `{"name":"B"}`, status: 200},
			{name: "another path's key is another key", method: "POST", path: "/workbooks", header: key("k1"), body: `{"name":"B"}`, status: 200},
			{name: "another key creates another one", method: "POST", path: "/reports", header: key("k2"), body: `{"name":"A"}`, status: 200},
			{name: "a refusal is kept too", method: "POST", path: "/reports", header: key("k3"), body: `{"name":1}`, status: 400, holds: `{"details":[{"pointer":"/name"}]}`},
			{name: "… and given again", method: "POST", path: "/reports", header: key("k3"), body: `{"name":1}`, status: 400, holds: `{"details":[{"pointer":"/name"}]}`},
			{name: "a key that is too long is refused", method: "POST", path: "/reports", header: key(strings.Repeat("k", 256)), body: `{}`, status: 400},
			{name: "exactly three reports were made", method: "GET", path: "/reports?sortBy=name", as: "viewer", status: 200, holds: `{"items":[{"name":"A"},{"name":"A"},{"name":"B"}]}`},
		})
		if a.vars["tag"] != a.vars["tag2"] || a.vars["tag"] == "" {
			t.Errorf("ETags %s, %s", a.vars["tag"], a.vars["tag2"])
		}
	})
}

func TestARequestInFlightHoldsItsKey(t *testing.T) {
	a := onEmbedded(t)
	entered, release := make(chan struct{}), make(chan struct{})
	slow := route{method: "POST", scope: inTenant, handler: func(_ *Server, c *gin.Context) error {
		close(entered)
		<-release
		c.JSON(http.StatusOK, gin.H{"slow": true})
		return nil
	}}
	a.server.router.POST("/slow", a.server.adapt(slow))
	s := step{method: "POST", path: "//slow", header: map[string]string{"Idempotency-Key": "k"}}
	first := make(chan int)
	go func() { first <- a.send(s).Code }()
	<-entered
	if w := a.send(s); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), `"retryable":true`) {
		t.Errorf("while in flight: %d %s", w.Code, w.Body)
	}
	close(release)
	if code := <-first; code != http.StatusOK {
		t.Errorf("the first request: %d", code)
	}
	if w := a.send(s); w.Code != http.StatusOK || w.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repetition: %d %s", w.Code, w.Body)
	}
}

func TestAPassingFaultFreesTheKey(t *testing.T) {
	a := onEmbedded(t)
	calls := 0
	flaky := func(outcome func(c *gin.Context) error) gin.HandlerFunc {
		return a.server.adapt(route{method: "POST", scope: inTenant, handler: func(_ *Server, c *gin.Context) error {
			if calls++; calls == 1 {
				return outcome(c)
			}
			c.JSON(http.StatusOK, gin.H{"calls": calls})
			return nil
		}})
	}
	for name, outcome := range map[string]func(*gin.Context) error{
		"storage out of reach": func(*gin.Context) error { return unavailable(context.DeadlineExceeded) },
		"a panic":              func(*gin.Context) error { panic("boom") },
		"an answer too long to keep": func(c *gin.Context) error {
			c.String(http.StatusInternalServerError, "%s", strings.Repeat("x", maxKept+1))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			calls = 0
			path := "/" + strings.ReplaceAll(name, " ", "-")
			a.server.router.POST(path, flaky(outcome))
			s := step{method: "POST", path: "/" + path, header: map[string]string{"Idempotency-Key": "k"}}
			if w := a.send(s); w.Code < http.StatusInternalServerError {
				t.Fatalf("first: %d", w.Code)
			}
			if w := a.send(s); w.Code != http.StatusOK || calls != 2 {
				t.Errorf("second: %d after %d calls: %s", w.Code, calls, w.Body)
			}
		})
	}
}
