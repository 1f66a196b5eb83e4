package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

// tried is a preview of a body.
func tried(name, body string, holds string) step {
	return step{name: name, method: "POST", path: "/previews", body: body, status: 200, holds: holds}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER, s TEXT, day DATE); INSERT INTO t VALUES (1, 'a"b', '2024-05-06'), (2, NULL, NULL), (3, '=1+1', NULL)`)
	a.run(t, []step{
		tried("a table", `{"sqlQuery":"SELECT n, s, day FROM t ORDER BY n"}`, `{"columns":[{"name":"n"},{"name":"s"},{"name":"day","format":"yyyy-mm-dd"}],
			"rows":[[1,"a\"b",45418],[2,null,null],[3,"=1+1",null]],"rowCount":3,"truncated":false,"faults":[]}`),
		tried("its first rows", `{"sqlQuery":"SELECT n FROM t ORDER BY n","first":2}`, `{"rows":[[1],[2]],"rowCount":3,"truncated":false}`),
		tried("rows count after the pivot", `{"sqlQuery":"SELECT s AS kind, n AS total FROM t ORDER BY n","first":1,
			"pivotItems":{"rows":["kind"],"columns":[],"measures":["total"],"filters":[]}}`, `{"columns":[{"name":"kind"},{"name":"total"}],"rows":[["a\"b",1]],"rowCount":3}`),
		tried("no rows", `{"sqlQuery":"SELECT n FROM t WHERE n > 9"}`, `{"columns":[{"name":"n"}],"rows":[],"rowCount":0,"faults":[]}`),
		tried("a fault has its place", `{"sqlQuery":"SELECT n,\n  nothing FROM t"}`, `{"columns":[],"rows":[],"rowCount":0,"faults":[{"line":2,"column":3,"pointer":"/sqlQuery"}]}`),
		tried("a fault of rows has none", `{"sqlQuery":"SELECT json(s) FROM t"}`, `{"faults":[{"pointer":"/sqlQuery"}]}`),
		tried("a query of another kind", `{"jsonQuery":"{}"}`, `{"faults":[{"pointer":"/jsonQuery"}]}`),
		tried("no query", `{}`, `{"faults":[{"message":"the report has no query; give it one","pointer":"/sqlQuery"}]}`),
		tried("a write", `{"sqlQuery":"DELETE FROM t"}`, `{"faults":[{"pointer":"/sqlQuery"}]}`),
		tried("a pivot of what is no column", `{"sqlQuery":"SELECT n FROM t","pivotItems":{"rows":["nothing"],"columns":[],"measures":["n"],"filters":[]}}`, `{"faults":[{"pointer":"/pivotItems"}]}`),
		{name: "too many rows", method: "POST", path: "/previews", body: `{"sqlQuery":"SELECT 1","first":201}`, status: 400, holds: `{"details":[{"pointer":"/first"}]}`},
		{name: "a reader tries nothing", method: "POST", path: "/previews", body: `{"sqlQuery":"SELECT 1"}`, as: "viewer", status: 403, holds: `{"code":"forbidden"}`},
		{name: "the audit counts", method: "GET", path: "/audit", as: "admin", status: 200, holds: `{"items":[{"action":"source.preview","count":10,"user":{"id":1}}]}`},
	})
	if w := a.send(step{method: "GET", path: "/audit", as: "admin"}); strings.Contains(w.Body.String(), "SELECT") || strings.Contains(w.Body.String(), "nothing") {
		t.Errorf("the audit tells a query: %s", w.Body)
	}
}

// A table beyond 1 MB is not read to its end, and rows beyond 1 MB are not shown.
func TestPreviewOfMuch(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER)`)
	const many = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i, 'row' AS s FROM c" // without end
	a.run(t, []step{
		tried("rows without end", `{"sqlQuery":"`+many+`","first":3}`, `{"columns":[{"name":"i"},{"name":"s"}],"rows":[[1,"row"],[2,"row"],[3,"row"]],"truncated":true}`),
		tried("large rows", `{"sqlQuery":"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 9) SELECT i, printf('%.*c', 300000, 'x') AS s FROM c"}`, `{"truncated":true,"faults":[]}`),
		tried("a row that is too large", `{"sqlQuery":"SELECT printf('%.*c', 3000000, 'x') AS s"}`, `{"columns":[{"name":"s"}],"rows":[],"truncated":true}`),
		tried("a pivot has all", `{"sqlQuery":"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 60000) SELECT i % 2 AS odd, printf('%.*c', 30, 'x') AS s, 1 AS n FROM c",
			"pivotItems":{"rows":["odd"],"columns":[],"measures":["n"],"filters":[]}}`, `{"rows":[[1,30000],[0,30000]],"rowCount":2,"truncated":false}`),
	})
}

// Whose report a preview is of decides who may have it.
func TestPreviewOfAReport(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER, m INTEGER); INSERT INTO t VALUES (1, 2)`)
	a.run(t, []step{
		{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT n FROM t"}`, status: 200, keep: map[string]string{"report": "id"}},
		{name: "is not there for a stranger", method: "POST", path: "/previews", body: `{"reportId":{{report}},"sqlQuery":"SELECT 1"}`, as: "stranger", status: 404},
		{name: "nor is one that is none", method: "POST", path: "/previews", body: `{"reportId":999,"sqlQuery":"SELECT 1"}`, status: 404},
		{name: "a role may read it", method: "PUT", path: "/reports/{{report}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
		{name: "but not try another query on it", method: "POST", path: "/previews", body: `{"reportId":{{report}},"sqlQuery":"SELECT 1"}`, as: "role7", status: 403},
		{name: "a role may edit it", method: "PUT", path: "/reports/{{report}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportEdit"]}]}`, status: 200},
		{name: "and needs no more", method: "POST", path: "/previews", body: `{"reportId":{{report}},"sqlQuery":"SELECT m FROM t"}`, as: "role7", status: 200, holds: `{"rows":[[2]],"changes":{"documents":[],"blocks":0}}`},
		{name: "than for that one", method: "POST", path: "/previews", body: `{"sqlQuery":"SELECT m FROM t"}`, as: "role7", status: 403},
		tried("what is left out is the report's", `{"reportId":{{report}}}`, `{"columns":[{"name":"n"}],"rows":[[1]]}`),
		tried("as its query is with another pivot", `{"reportId":{{report}},"pivotItems":{"rows":["n"],"columns":[],"measures":[],"filters":[]}}`, `{"columns":[{"name":"n"}],"rows":[[1]]}`),
		{
			name: "it is placed", method: "PUT", path: "/reports/{{report}}/connect-workbook",
			body: `{"externalWorkbookId":"doc","resultLocation":"S!A1","placementId":"p1"}`, status: 200,
		},
		tried("what changes", `{"reportId":{{report}},"sqlQuery":"SELECT m FROM t"}`, `{"changes":{"documents":["doc"],"blocks":1}}`),
		tried("nothing, if the query stays", `{"reportId":{{report}},"sqlQuery":"SELECT n FROM t"}`, `{"changes":{"documents":[],"blocks":0}}`),
		tried("a fault changes nothing", `{"reportId":{{report}},"sqlQuery":"SELECT"}`, `{"faults":[{}]}`),
	})
}

// slowSource is a source whose queries wait until they are let go, or cancelled.
type slowSource struct {
	source.Source
	begun, cancelled chan struct{}
	release          chan struct{}
	fault            error
}

func newSlowSource() *slowSource {
	return &slowSource{begun: make(chan struct{}, 99), cancelled: make(chan struct{}, 99), release: make(chan struct{})}
}

func (s *slowSource) PerUser() bool { return false }

func (s *slowSource) Query(ctx context.Context, _ source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.begun <- struct{}{}
	select {
	case <-ctx.Done():
		s.cancelled <- struct{}{}
		return nil, ctx.Err()
	case <-s.release:
	}
	if s.fault != nil {
		return nil, s.fault
	}
	b.Append(checksum.Str("n"))
	return []source.Column{{Name: "n"}}, nil
}

func TestPreviewEndsAtTheSourceWhenTheClientHangsUp(t *testing.T) {
	t.Parallel()
	s := newSlowSource()
	a := overSource(t, s)
	ctx, hangUp := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/deployments/1/previews", strings.NewReader(`{"sqlQuery":"SELECT 1"}`))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+a.tokens["editor"])
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.server.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}()
	<-s.begun
	hangUp()
	<-s.cancelled
	<-ended
}

// A source that does not answer is no fault of the query.
func TestPreviewOfASourceThatIsDown(t *testing.T) {
	t.Parallel()
	for class, want := range map[placements.Class]step{
		placements.Transient: {status: 503, holds: `{"code":"source_unavailable","message":"why"}`},
		placements.Quota:     {status: 503, holds: `{"code":"source_unavailable"}`},
		placements.Permanent: {status: 200, holds: `{"faults":[{"message":"why"}]}`},
		placements.Auth:      {status: 200, holds: `{"faults":[{"message":"why"}]}`},
		placements.Structure: {status: 200, holds: `{"faults":[{"message":"why"}]}`},
	} {
		s := newSlowSource()
		s.fault = &placements.Fault{Class: class, Message: "why"}
		close(s.release)
		want.name, want.method, want.path, want.body = string(class), "POST", "/previews", `{"sqlQuery":"SELECT 1"}`
		overSource(t, s).run(t, []step{want})
	}
}

// BenchmarkPreview is what a preview takes beside its query.
func BenchmarkPreview(b *testing.B) {
	s := newSlowSource()
	close(s.release)
	a := overSource(b, s)
	a.sut = a.server.Handler() // without the checks of answers
	for b.Loop() {
		if w := a.send(step{method: "POST", path: "/previews", body: `{"sqlQuery":"SELECT 1"}`, as: "editor"}); w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
		<-s.begun
	}
}
