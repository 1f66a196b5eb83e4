package main

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh/source/sourcetest"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// TestCheckWarnsOfASourceThatMayAnswerWrongly has a Cube that takes every time zone.
func TestCheckWarnsOfASourceThatMayAnswerWrongly(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /cubejs-api/v1/meta", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"cubes":[]}`) })
	mux.HandleFunc("POST /cubejs-api/v1/cubesql", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, `{"schema":[{"name":"x","column_type":"Int64"}]}`+"\n"+`{"data":[["1"]]}`)
	})
	cube := httptest.NewServer(mux)
	defer cube.Close()
	config := filepath.Join(t.TempDir(), "mooring.yaml")
	text := fmt.Sprintf(`redis: embedded
signing: {issuer: mooring, keys: [{id: k, algorithm: HS256, secret: %s}]}
tenants:
  acme:
    deployments:
      1: {timezone: Europe/Berlin, source: {kind: cube, url: "%[2]s/cubejs-api"}}
      2: {source: {kind: cube, url: "%[2]s/cubejs-api"}}
`, testSecret, cube.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := mooring(t, "check", "--config", config)
	if status != process.ExitDone || !strings.Contains(stdout, "warning tenant acme: source of deployment 1: Cube takes a time zone that does not exist") {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	if strings.Contains(stdout, "warning tenant acme: source of deployment 2") {
		t.Errorf("a deployment in UTC is warned of:\n%s", stdout)
	}
}

// TestCheckWarnsOfFilesThatAreNoTables has one file that is a table, and one that is not.
func TestCheckWarnsOfFilesThatAreNoTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "mooring.yaml")
	if err := os.Mkdir(filepath.Join(dir, "exports"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"mooring.yaml": fmt.Sprintf(`redis: embedded
signing: {issuer: mooring, keys: [{id: k, algorithm: HS256, secret: %s}]}
tenants: {acme: {deployments: {1: {source: {kind: files, dir: exports, freshness: [{}, {query: SELECT max(id) FROM orders}]}}}}}
`, testSecret),
		"exports/orders.csv": "id,amount\n1,2.5\n",
		"exports/broken.csv": "id,amount\n1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, stdout, stderr := mooring(t, "check", "--config", config)
	for _, want := range []string{
		"ok      tenant acme: source of deployment 1: freshness 1\n",
		"ok      tenant acme: source of deployment 1: freshness 2\n",
		"warning tenant acme: source of deployment 1: broken.csv, line 2: 1 values, where the head has 2 names",
	} {
		if status != process.ExitDone || !strings.Contains(stdout, want) {
			t.Errorf("status %d, printed\n%s%s\nwant %q", status, stdout, stderr, want)
		}
	}
}

// TestCheckTriesProbes has one that finds its file, and one whose query does not run.
func TestCheckTriesProbes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "shop.db"))
	if err == nil {
		_, err = db.Exec("CREATE TABLE orders (id INTEGER)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	config := filepath.Join(dir, "mooring.yaml")
	text := fmt.Sprintf(`redis: embedded
signing: {issuer: mooring, keys: [{id: k, algorithm: HS256, secret: %s}]}
tenants: {acme: {deployments: {1: {source: {kind: sqlite, path: shop.db, freshness: [{}, {query: SELECT max(changed) FROM orders}]}}}}}
`, testSecret)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, _ := mooring(t, "check", "--config", config)
	for _, want := range []string{
		"ok      tenant acme: source of deployment 1: freshness 1\n",
		"FAILED  tenant acme: source of deployment 1: freshness 2: the query does not run on \"shop.db\": no such column: changed",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("printed\n%s\nwant %q", stdout, want)
		}
	}
	if status != process.ExitFailed {
		t.Errorf("status %d, want %d", status, process.ExitFailed)
	}
}

func TestCheckNamesWhatASourceDoesNotLetReportsRead(t *testing.T) {
	t.Parallel()
	pg := sourcetest.StartPostgres(t)
	pg.Exec(t, `CREATE TABLE orders (id integer); CREATE TABLE salaries (id integer); CREATE ROLE clerk LOGIN PASSWORD 'clerk';
		GRANT SELECT, INSERT ON orders TO clerk`)
	address := storagetest.Addr(storagetest.Server(t, "appendonly yes"))
	store := storagetest.Open(t, address)
	d := record.Deployment{Tenant: "acme", ID: 1}
	for name, query := range map[string]string{"Orders": "SELECT id FROM orders", "Pay\nof all": "SELECT count(*) FROM salaries", "No query": ""} {
		in := record.ReportInput{Name: placements.Sent(name), SQLQuery: placements.Sent(query)}
		if _, err := store.Reports().Create(t.Context(), d, in, record.Actor{ID: 7}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, file, fmt.Sprintf(`
listen: 0.0.0.0:8080
signing: {keys: [{id: main, algorithm: HS256, secret: %s}]}
tenants: {acme: {deployments: {1: {source: {kind: postgres, url: "%s"}}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: /proc}}}}
`, testSecret, pg.URL("clerk", "clerk", "postgres")))
	status, stdout, stderr := mooring(t, "check", "--config", file, "--redis", address)
	want := []string{
		"ok      configuration",
		"warning configuration: listen: 0.0.0.0:8080 answers plain HTTP",
		`warning configuration: the secret of signing key "main" looks like one of an example`,
		"ok      redis",
		"ok      tenant acme: source of deployment 1",
		"warning tenant acme: source of deployment 1: the login clerk may write to tables such as public.orders",
		`("Pay\nof all") does not run: PostgreSQL does not allow the query: permission denied for table salaries`,
		"FAILED  tenant acme: spreadsheets SHEETS_B: Files in the folder of spreadsheets cannot be made and replaced",
		"warning tenant acme: spreadsheets SHEETS_B: without documents",
	}
	lines := strings.Split(strings.TrimRight(stdout, "\n"), "\n")
	if status != process.ExitFailed || len(lines) != len(want) {
		t.Fatalf("status %d, %s\n%s", status, stderr, stdout)
	}
	for i, part := range want {
		if !strings.Contains(lines[i], part) {
			t.Errorf("line %d is %q, want %q in it", i+1, lines[i], part)
		}
	}
}
