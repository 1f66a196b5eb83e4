package cube

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/refresh/secret"
	"mooring/refresh/source"
)

func TestSQLLimits(t *testing.T) {
	for _, row := range []struct{ fact, statement, want string }{
		{"none", "SELECT 1", "SELECT 1\nLIMIT 9"},
		{"a semicolon and a comment behind it", "SELECT 1 ; -- done", "SELECT 1\nLIMIT 9"},
		{"a comment at the end", "SELECT 1 -- limit 5", "SELECT 1 -- limit 5\nLIMIT 9"},
		{"a limit of its own", "select 1 limit 5", "select 1 limit 5"},
		{"a limit that is no number", "SELECT 1 LIMIT ALL", "SELECT 1 LIMIT ALL"},
		{"the standard's words", "SELECT 1 FETCH FIRST 5 ROWS ONLY", "SELECT 1 FETCH FIRST 5 ROWS ONLY"},
		{"a limit of a subquery", "SELECT * FROM (SELECT 1 LIMIT 5) x", "SELECT * FROM (SELECT 1 LIMIT 5) x\nLIMIT 9"},
		{"a limit in a text", "SELECT ' limit 5 it''s '", "SELECT ' limit 5 it''s '\nLIMIT 9"},
		{"a limit in a name", `SELECT "a limit 5", t.limit`, "SELECT \"a limit 5\", t.limit\nLIMIT 9"},
		{"a limit in a comment", "SELECT 1 /* LIMIT 5 */", "SELECT 1 /* LIMIT 5 */\nLIMIT 9"},
		{"a WITH", "WITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x\nLIMIT 9"},
		{"parentheses first", "(SELECT 1) UNION (SELECT 2)", "(SELECT 1) UNION (SELECT 2)\nLIMIT 9"},
		{"no SELECT", "SHOW TABLES", "SHOW TABLES"},
		{"parentheses not closed", "SELECT (1", "SELECT (1"},
		{"a text not closed", "SELECT 'x", "SELECT 'x\nLIMIT 9"},
		{"nothing", "", ""},
	} {
		if got := parseSQLLimit(row.statement).with(9); got != row.want {
			t.Errorf("%s: got %q, want %q", row.fact, got, row.want)
		}
	}
}

func FuzzSQLLimit(f *testing.F) {
	f.Add("SELECT 'a' -- b\n/* c */ LIMIT 5;")
	f.Fuzz(func(t *testing.T, statement string) {
		if l := parseSQLLimit(statement); len(l.bare) > len(statement) || l.rows < 0 {
			t.Errorf("%q gives %+v", statement, l)
		}
	})
}

// TestCubeSQLMayTakeLongerThanARequest has a Cube that says of a query neither that it is still running nor anything else.
func TestCubeSQLMayTakeLongerThanARequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client went away
		if r.URL.Path == "/v1/load" {
			<-r.Context().Done()
			return
		}
		time.Sleep(100 * time.Millisecond)
		_, _ = w.Write([]byte(`{"schema":[{"name":"i","column_type":"Int64"}]}` + "\n" + `{"data":[["3"]]}`))
	}))
	defer server.Close()
	s, err := (&Config{URL: secret.Text(server.URL)}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.(*layer).loadTimeout = 20 * time.Millisecond
	if _, err := s.Query(t.Context(), source.Query{SQL: "SELECT i FROM x"}, new(checksum.Builder)); err != nil {
		t.Errorf("/v1/cubesql: %v", err)
	}
	if _, err := s.Query(t.Context(), source.Query{JSON: `{"measures":["x.y"]}`}, new(checksum.Builder)); err == nil {
		t.Error("/v1/load has no bound")
	}
}
