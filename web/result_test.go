package web

import (
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // fills the source

	"mooring/checksum"
	"mooring/refresh"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
	"mooring/storage/storagetest"
)

// TestMain runs the queries of sources of kind sqlite.
func TestMain(m *testing.M) {
	sqlite.RunAsChild()
	os.Exit(m.Run())
}

// withSource makes a server whose deployment 1 asks a SQLite file.
func withSource(t *testing.T, fill string) *api {
	t.Helper()
	return overSource(t, filledSource(t, fill))
}

// filledSource makes a SQLite file.
func filledSource(t *testing.T, fill string) source.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(fill); err != nil {
		t.Fatal(err)
	}
	src, err := (&sqlite.Config{Path: path}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// overSource makes a server whose deployment 1 asks src.
func overSource(t testing.TB, src source.Source) *api {
	t.Helper()
	s := storagetest.Open(t, "embedded")
	return newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler), Tenants: map[string]refresh.Tenant{
			"acme": {Deployments: map[int64]refresh.DeploymentSource{1: {Source: src, Location: time.UTC}}},
		}})
	})
}

func TestResult(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER, s TEXT); INSERT INTO t VALUES (1, 'a"b'), (2, NULL), (9007199254740993, '=1+1')`)
	a.run(t, []step{
		{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT n, s FROM t ORDER BY n"}`, status: 200, keep: map[string]string{"report": "id"}},
		{
			name: "the whole table", method: "POST", path: "/reports/{{report}}/result", as: "viewer", status: 200,
			holds: `{"columns":[{"name":"n"},{"name":"s"}],"rowCount":4,"columnCount":2,"hasMoreRows":false,"totalRowCount":4,
				"writes":[{"from":0,"to":4,"rows":[["n","s"],[1,"a\"b"],[2,null],["9007199254740993","=1+1"]]}],"clear":{"fromRow":4,"toRow":4,"fromColumn":2}}`,
			keep: map[string]string{"sum": "resultChecksum"},
		},
		{
			name: "nothing, to whoever has it", method: "POST", path: "/reports/{{report}}/result", body: `{"have":{{sum}}}`, status: 200,
			holds: `{"writes":[],"rowCount":4}`,
		},
		{
			name: "what to clear, to whoever has more", method: "POST", path: "/reports/{{report}}/result",
			body: `{"have":{"v":2,"chunks":[{"from":0,"to":9,"hash":"00"}]}}`, status: 200,
			holds: `{"clear":{"fromRow":4,"toRow":9,"fromColumn":2},"writes":[{"from":0,"to":4}]}`,
		},
		{
			name: "the first rows as objects", method: "POST", path: "/reports/{{report}}/result", body: `{"first":1,"format":"objects"}`, status: 200,
			holds: `{"hasMoreRows":true,"rowCount":2,"totalRowCount":4,"writes":[{"rows":[{"n":1,"s":"a\"b"}]}]}`,
		},
		{name: "a stranger gets nothing", method: "POST", path: "/reports/{{report}}/result", as: "stranger", status: 404},
		{name: "a checksum that is none", method: "POST", path: "/reports/{{report}}/result", body: `{"have":{"v":2,"chunks":[{"from":5,"to":1,"hash":"00"}]}}`, status: 400},
		{name: "a report that fails", method: "POST", path: "/reports", body: `{"name":"F","sqlQuery":"SELECT nothing FROM t"}`, status: 200, keep: map[string]string{"failing": "id"}},
		{
			name: "says why", method: "POST", path: "/reports/{{failing}}/result", status: 422, holds: `{"code":"query_failed","retryable":false}`,
		},
		{
			name: "a pivoted report", method: "POST", path: "/reports", body: `{"name":"P","sqlQuery":"SELECT s AS kind, n AS total FROM t WHERE n < 3 ORDER BY n",
				"pivotItems":{"rows":["kind"],"columns":[],"measures":["total"],"filters":[],"showColumnTotals":false}}`, status: 200, keep: map[string]string{"pivot": "id"},
		},
		{name: "is pivoted", method: "POST", path: "/reports/{{pivot}}/result", status: 200, holds: `{"rowCount":3,"columnCount":2}`},
		{
			name: "with totals of its rows and columns", method: "PUT", path: "/reports/{{pivot}}", status: 200,
			body: `{"sqlQuery":"SELECT s AS kind, n AS year, n AS total FROM t WHERE n < 3 ORDER BY n",
				"pivotItems":{"rows":["kind"],"columns":["year"],"measures":["total"],"filters":[],"showColumnTotals":true,"showRowTotals":true}}`,
		},
		{
			name: "they are its last row and column", method: "POST", path: "/reports/{{pivot}}/result", status: 200,
			holds: `{"rowCount":5,"columnCount":4,"writes":[{"rows":[[null,"total","total","total"],["kind",1,2,"Total (sum)"],["a\"b",1,null,1],[null,null,2,2],
				["Total (sum)",1,2,3]]}]}`,
		},
	})
}

// filtered is a source that says what its queries filter by.
type filtered struct {
	source.Source
	by []source.Filter
}

func (f filtered) Filters(source.Query) ([]source.Filter, error) { return f.by, nil }

func TestAResultSaysWhatItIsFilteredBy(t *testing.T) {
	t.Parallel()
	by := []source.Filter{
		{Kind: source.FilterMember, Member: "o.status", Operator: "equals", Values: []string{"shipped"}, Text: "Status is shipped"},
		{Kind: source.FilterGroup, Text: "Size is 1 or Size is 2"},
	}
	a := overSource(t, filtered{filledSource(t, fillRows), by})
	a.run(t, []step{
		placedRows[0],
		{
			name: "its result", method: "POST", path: "/reports/{{report}}/result", as: "viewer", status: 200,
			holds: `{"rowCount":4,"appliedFilters":[{"kind":"filter","member":"o.status","operator":"equals","values":["shipped"],"text":"Status is shipped"},
				{"kind":"group","text":"Size is 1 or Size is 2"}]}`,
		},
	})
	withSource(t, fillRows).run(t, []step{
		placedRows[0],
		{
			name: "of a sqlQuery nothing is known", method: "POST", path: "/reports/{{report}}/result", status: 200,
			body: `{"first":1}`, holds: `{"rowCount":2,"appliedFilters":[]}`,
		},
	})
}

func TestResultIsPackedForThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	a := withSource(t, `CREATE TABLE t (n INTEGER); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 50000) INSERT INTO t SELECT i FROM c`)
	a.run(t, []step{{name: "a report", method: "POST", path: "/reports", body: `{"sqlQuery":"SELECT n, n * 2 AS m FROM t"}`, status: 200, keep: map[string]string{"report": "id"}}})
	server := httptest.NewServer(a.sut)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/api/v1/deployments/1/reports/"+a.vars["report"]+"/result", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.tokens["editor"])
	r.Header.Set("Accept-Encoding", "gzip")
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	packed, err := gzip.NewReader(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Writes []struct{ Rows [][]any }
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	rows := got.Writes[0].Rows
	if diff := cmp.Diff([]any{50000.0, 100000.0}, rows[len(rows)-1]); len(rows) != 50001 || diff != "" {
		t.Errorf("%d rows, the last (-want +got):\n%s", len(rows), diff)
	}
}

// watched tells when a query begins, and how it ended.
type watched struct {
	source.Source
	begun chan struct{}
	ended chan error
}

func (w watched) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	close(w.begun)
	columns, err := w.Source.Query(ctx, q, b)
	w.ended <- err
	return columns, err
}

// emptyFile is an SQLite database with nothing in it.
func emptyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResultEndsItsQueryWhenTheClientHasGone(t *testing.T) {
	src, err := (&sqlite.Config{Path: emptyFile(t), Limits: source.Limits{StatementTimeout: time.Hour}}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := watched{src, make(chan struct{}), make(chan error, 1)}
	a := overSource(t, w)
	const endless = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c WHERE i < 0"
	a.run(t, []step{{name: "a report", method: "POST", path: "/reports", body: `{"sqlQuery":"` + endless + `"}`, status: 200, keep: map[string]string{"report": "id"}}})
	server := httptest.NewServer(a.sut)
	defer server.Close()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/api/v1/deployments/1/reports/"+a.vars["report"]+"/result", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.tokens["editor"])
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if answer, err := http.DefaultTransport.RoundTrip(r); err == nil {
			answer.Body.Close()
			t.Error("a query without an end was answered")
		}
	}()
	<-w.begun
	leave()
	<-gone
	select {
	case err := <-w.ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the query ended with %v, want it cancelled", err)
		}
	case <-time.After(storagetest.Patience):
		t.Fatal("the query goes on without its client")
	}
}

func TestPackedResultIsRepeatedAsPacked(t *testing.T) {
	a := withSource(t, `CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (42)`)
	a.run(t, []step{{name: "a report", method: "POST", path: "/reports", body: `{"sqlQuery":"SELECT n FROM t"}`, status: 200, keep: map[string]string{"report": "id"}}})
	server := httptest.NewServer(a.sut)
	defer server.Close()
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/api/v1/deployments/1/reports/"+a.vars["report"]+"/result", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+a.tokens["editor"])
		r.Header.Set("Accept-Encoding", "gzip")
		r.Header.Set("Idempotency-Key", "one")
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		packed, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(packed)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(text), "[[\"n\"],[42]]") || answer.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("got %q, %v, encoding %q", text, err, answer.Header.Get("Content-Encoding"))
		}
	}
}
