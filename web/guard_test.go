package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/request"
)

// leaver is a caller whose rights end in the middle of a test, on a server whose time the test sets.
type leaver struct {
	*api
	id    string
	later atomic.Int64 // how far the server's clock is ahead
}

// leaving adds the token "leaver", which speaks for c.
func leaving(t *testing.T, a *api, c auth.Caller) *leaver {
	t.Helper()
	l := &leaver{api: a}
	a.server.now = func() time.Time { return time.Now().Add(time.Duration(l.later.Load())) }
	c.Tenant = "acme"
	token, id, err := a.keys.Sign(c, a.server.now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	a.tokens["leaver"], l.id = token, id
	return l
}

// revoke revokes the token and lets the five seconds pass within which that takes effect.
func (l *leaver) revoke(t *testing.T) {
	t.Helper()
	if err := l.store.Tenants().Revoke(t.Context(), "acme", l.id, time.Now().Add(2*time.Hour), record.Actor{}); err != nil {
		t.Fatal(err)
	}
	l.pass(5 * time.Second)
}

func (l *leaver) pass(d time.Duration) { l.later.Add(int64(d)) }

// connected publishes an event: that the report is connected to a sheet.
func (l *leaver) connected(t *testing.T, report, sheet string) {
	t.Helper()
	l.run(t, []step{{
		name: "an event of " + report + ": connected to " + sheet, method: "PUT", path: "/reports/{{" + report + "}}/connect-workbook", as: "admin", status: 200,
		body: `{"externalWorkbookId":"book","resultLocation":"` + sheet + `!A1","addressOnly":true}`,
	}})
}

// ended reads the stream to its end, in which no event may come.
func (s *stream) ended() {
	s.t.Helper()
	for line := range s.lines {
		if strings.HasPrefix(line, "data: ") {
			s.t.Errorf("the stream went on with %s", line)
		}
	}
}

func TestABusyEventStreamEndsWithTheRightsOfItsToken(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *leaver){
		"revoked": func(t *testing.T, l *leaver) { l.revoke(t) },
		"expired": func(_ *testing.T, l *leaver) { l.pass(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			withEngine(t, func(t *testing.T, a *api) {
				l := leaving(t, a, auth.Caller{Actor: record.Actor{ID: 5, Actions: []string{"ReportRead"}}})
				a.run(t, someReport)
				s := a.stream(t, "leaver", "")
				l.connected(t, "report", "First")
				if _, _, data := s.next(); !strings.Contains(data, "First!A1") {
					t.Fatalf("got %s", data)
				}
				end(t, l)
				a.tokens["admin"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 9, Actions: []string{"All"}}})
				l.connected(t, "report", "Second")
				s.ended()
			})
		})
	}
}

func TestAnEventStreamGoesOnWhileItsTokenIsGood(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		l := leaving(t, a, auth.Caller{Actor: record.Actor{ID: 5, Actions: []string{"ReportRead"}}})
		a.run(t, someReport)
		s := a.stream(t, "leaver", "")
		for _, sheet := range []string{"First", "Second", "Third"} {
			l.connected(t, "report", sheet)
			if _, _, data := s.next(); !strings.Contains(data, sheet+"!A1") {
				t.Fatalf("got %s", data)
			}
			l.pass(request.Recheck) // the rights are looked at again before the next one
		}
	})
}

func TestAnIdleEventStreamEndsWithTheRightsOfItsToken(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		l := leaving(t, a, auth.Caller{Actor: record.Actor{ID: 5, Actions: []string{"ReportRead"}}})
		s := a.stream(t, "leaver", "")
		if line := <-s.lines; line != ": connected" {
			t.Fatalf("the stream begins with %q", line)
		}
		l.revoke(t)
		s.ended()
	})
}

func TestAnEventGoesToThoseWhoMayReadItsReportThen(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		l := &leaver{api: a}
		a.run(t, someReport)
		a.run(t, []step{
			{name: "another report", method: "POST", path: "/reports", body: `{"name":"O","sqlQuery":"SELECT 2"}`, status: 200, keep: map[string]string{"other": "id"}},
			{name: "which role 7 may read too", method: "PUT", path: "/reports/{{other}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
		})
		s := a.stream(t, "role7", "")
		l.connected(t, "report", "First")
		if _, _, data := s.next(); !strings.Contains(data, "First!A1") {
			t.Fatalf("got %s", data)
		}
		a.run(t, []step{{name: "the access is withdrawn", method: "PUT", path: "/reports/{{report}}/access", as: "admin", body: `{"rolesWithAccess":[]}`, status: 200}})
		l.connected(t, "report", "Second")
		l.connected(t, "other", "Third")
		if _, _, data := s.next(); !strings.Contains(data, "Third!A1") {
			t.Errorf("got %s, want the event of the report that may still be read", data)
		}
	})
}

// onFirstWrite calls then when the first bytes of an answer are on their way.
type onFirstWrite struct {
	*httptest.ResponseRecorder
	then func()
}

func (w *onFirstWrite) Write(p []byte) (int, error) {
	if w.then != nil {
		w.then()
		w.then = nil
	}
	return w.ResponseRecorder.Write(p)
}

// sendSlowly sends a request whose caller's rights end while its answer is read, and reports whether the connection was cut.
func (l *leaver) sendSlowly(t *testing.T, method, path string, end func()) (w *httptest.ResponseRecorder, cut bool) {
	t.Helper()
	r := httptest.NewRequest(method, "/api/v1/deployments/1"+l.fill(path), http.NoBody)
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer "+l.tokens["leaver"])
	w = httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil {
			if cut = p == http.ErrAbortHandler; !cut {
				panic(p)
			}
		}
	}()
	l.sut.ServeHTTP(&onFirstWrite{w, end}, r)
	return w, false
}

func TestALongAnswerEndsWithTheRightsOfItsCaller(t *testing.T) {
	withdrawn := step{name: "the access is withdrawn", method: "PUT", path: "/reports/{{report}}/access", as: "admin", body: `{"rolesWithAccess":[]}`, status: 200}
	for name, tt := range map[string]struct {
		method, path string
		end          func(*testing.T, *leaver)
		cut          bool
	}{
		"a result is cut when the token is revoked": {"POST", "/reports/{{report}}/result", func(t *testing.T, l *leaver) { l.revoke(t) }, true},
		"a result is cut when the report may not be read any more": {"POST", "/reports/{{report}}/result", func(t *testing.T, l *leaver) {
			l.run(t, []step{withdrawn})
			l.pass(5 * time.Second)
		}, true},
		"a list is cut when the token is revoked":               {"GET", "/reports", func(t *testing.T, l *leaver) { l.revoke(t) }, true},
		"a slow answer whose caller may go on reading is whole": {"POST", "/reports/{{report}}/result", func(_ *testing.T, l *leaver) { l.pass(time.Minute) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := withSource(t, `CREATE TABLE t (s TEXT); INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 5000) SELECT hex(zeroblob(50)) FROM n`)
			l := leaving(t, a, auth.Caller{Actor: record.Actor{ID: 5, Roles: []int64{7}}})
			l.run(t, []step{
				{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT s FROM t"}`, status: 200, keep: map[string]string{"report": "id"}},
				someReport[1],
				{name: "a long one", method: "POST", path: "/reports", body: `{"name":"L","jsonQuery":"` + strings.Repeat("x", 3*64<<10) + `"}`, status: 200, keep: map[string]string{"long": "id"}},
				{name: "which role 7 may read too", method: "PUT", path: "/reports/{{long}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
			})
			w, cut := l.sendSlowly(t, tt.method, tt.path, func() { tt.end(t, l) })
			whole := bytes.HasSuffix(bytes.TrimSpace(w.Body.Bytes()), []byte("}"))
			if cut != tt.cut || whole == tt.cut || w.Body.Len() == 0 {
				t.Errorf("cut %v, whole %v, %d bytes", cut, whole, w.Body.Len())
			}
		})
	}
}

func TestAnAnswerThatComesTooLateIsThatOfAFreshRequest(t *testing.T) {
	a := onEmbedded(t)
	l := leaving(t, a, auth.Caller{Actor: record.Actor{ID: 5}})
	a.mount(t, request.Route{Method: "GET", Path: "/late", Scope: inTenant, Operation: request.Raw(func(c *request.Call) error {
		l.revoke(t)
		c.Set("ETag", "secret")
		c.JSON(http.StatusOK, map[string]bool{"secret": true})
		return nil
	})})
	w := a.send(step{method: "GET", path: "//late", as: "leaver"})
	if w.Code != http.StatusUnauthorized || strings.Contains(fmt.Sprint(w.Body, w.Header()), "secret") || w.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("%d %s %s", w.Code, w.Header(), w.Body)
	}
}
