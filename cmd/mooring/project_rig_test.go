package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/refresh/source/sqlite"
)

// sampleProject is a project's folder without faults.
func sampleProject() map[string]string {
	return map[string]string{
		"project.yaml": "project: finance\ndefault: dev\nenvironments:\n  dev: {deployment: 1, roles: {viewers: 12}}\n" +
			"  prod: {deployment: 2, ids: derived, roles: {viewers: 7}}\n",
		"reports/orders.yaml":   "publicId: OrdersReport\nname: Orders\nsource: SHEETS_B\n",
		"reports/orders.sql":    "SELECT id, customer, amount\nFROM orders\nORDER BY id\n",
		"workbooks/board.yaml":  "slug: board\nname: Board\ndashboard:\n  widgets:\n    - {id: a, type: CHART, config: {report: OrdersReport}}\n",
		"placements/sales.yaml": "document: orders.xlsx\nhost: SHEETS_B\nitems:\n  - {report: OrdersReport, sheet: Sheet1, at: B2}\n",
		"schedules/daily.yaml":  "key: daily\ncron: '@daily'\ntarget: {report: OrdersReport}\n",
	}
}

// writeProject writes a folder; an empty text is a file that there is not.
func writeProject(t testing.TB, files ...map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, some := range files {
		for name, text := range some {
			name = filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if text == "" {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return dir
}

// failing is a server that answers as a test says, such as a real one does seldom.
type failing struct {
	answers map[string]string // by method and the end of the path: status and body
	asked   []string
}

func (f *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked = append(f.asked, r.Method+" "+r.URL.Path)
	status, body := http.StatusNotFound, `{"message":"There is nothing here."}`
	for end, answer := range f.answers {
		method, path, _ := strings.Cut(end, " ")
		if method == r.Method && strings.HasSuffix(r.URL.Path, path) {
			code, text, _ := strings.Cut(answer, " ")
			status, body = statuses[code], text
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

var statuses = map[string]int{"200": 200, "400": 400, "401": 401, "403": 403, "404": 404, "409": 409, "503": 503}

// codeSite is the built program with a number of deployments that projects are applied to.
type codeSite struct {
	t      *testing.T
	redis  string
	config string
	base   string
	token  string // of Ana, who applies
	bobs   string // of Bob, who changes things by hand
}

func newCodeSite(t *testing.T, store string, deployments int, args ...string) *codeSite {
	t.Helper()
	return newCodeSiteWith(t, store, deployments, "{SHEETS_B: {kind: xlsx, dir: sheets}}", args...)
}

// newCodeSiteWith is newCodeSite with those spreadsheet hosts.
func newCodeSiteWith(t *testing.T, store string, deployments int, spreadsheets string, args ...string) *codeSite {
	t.Helper()
	return newCodeSiteOf(t, store, deployments, "{kind: sqlite, path: shop.db}", spreadsheets, args...)
}

// newCodeSiteOf is newCodeSiteWith with that source in each deployment.
func newCodeSiteOf(t *testing.T, store string, deployments int, source, spreadsheets string, args ...string) *codeSite {
	t.Helper()
	dir := t.TempDir()
	s := &codeSite{t: t, redis: store, config: filepath.Join(dir, "mooring.yaml")}
	var list strings.Builder
	for i := range deployments {
		fmt.Fprintf(&list, "      %d: {source: %s}\n", i+1, source)
	}
	writeFile(t, s.config, `
listen: 127.0.0.1:0
redis: `+store+`
limits: {schedulesPerUser: 0, schedulesPerTenant: 0}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
`+list.String()+`    spreadsheets: `+spreadsheets+`
`)
	if err := os.Mkdir(filepath.Join(dir, "sheets"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := sqlite.Exec(t.Context(), filepath.Join(dir, "shop.db"), []string{
		"CREATE TABLE orders (id INTEGER, customer TEXT, amount DECIMAL)",
		"INSERT INTO orders VALUES (1, 'Ada', 100), (2, 'Ben', 250.5), (3, 'Cleo', 80)",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	book := excelize.NewFile()
	defer book.Close()
	if err := book.SaveAs(filepath.Join(dir, "sheets", "orders.xlsx")); err != nil {
		t.Fatal(err)
	}
	server := start(t, append([]string{"serve", "--config", s.config}, args...)...)
	s.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(server.waitFor("msg=serving"))[1]
	s.token = s.key("1", "--email", "ana@example.com", "--name", "Ana", "--action", "All")
	s.bobs = s.key("2", "--email", "bob@example.com", "--name", "Bob", "--action", "All")
	return s
}

func (s *codeSite) key(user string, flags ...string) string {
	s.t.Helper()
	status, stdout, stderr := mooring(s.t, append([]string{"key", "create", "--config", s.config, "--tenant", "acme", "--user", user}, flags...)...)
	if status != process.ExitDone {
		s.t.Fatal(stderr)
	}
	return strings.TrimSpace(stdout)
}

// send sends a request of Bob's about a deployment, which has to succeed.
func (s *codeSite) send(method, path, body string) []byte {
	s.t.Helper()
	return s.account(method, "deployments/"+path, body)
}

// account sends a request of Bob's, which has to succeed.
func (s *codeSite) account(method, path, body string) []byte {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+"/api/v1/"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.bobs)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		s.t.Fatalf("%s %s: %d %s, %v", method, path, resp.StatusCode, text, err)
	}
	return text
}

// project is a folder that is applied to a site.
type project struct {
	*codeSite
	dir string
}

// run runs the built program on the folder, for {}, and returns what it wrote to stdout and stderr.
func (p *project) run(want int, args ...string) string {
	p.t.Helper()
	return p.runIn("", want, args...)
}

// runIn is run in a current folder, an empty one for the test's.
func (p *project) runIn(current string, want int, args ...string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), build(p.t), inFolder(args, p.dir)...)
	cmd.Dir = current
	cmd.Env = append(os.Environ(), "MOORING_SERVER="+p.base, "MOORING_TOKEN="+p.token)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		p.t.Fatalf("%q: status %d, want %d\n%s", args, got, want, out.String())
	}
	return out.String()
}

// shows is run with what the output has to hold.
func (p *project) shows(want int, text string, args ...string) {
	p.t.Helper()
	if out := p.run(want, args...); !strings.Contains(out, text) {
		p.t.Errorf("%q shows no %q:\n%s", args, text, out)
	}
}

// edit replaces text in a file of the folder.
func (p *project) edit(name, from, to string) {
	p.t.Helper()
	if text := p.file(name); !strings.Contains(text, from) {
		p.t.Fatalf("%s has no %q:\n%s", name, from, text)
	}
	writeFile(p.t, filepath.Join(p.dir, name), strings.ReplaceAll(p.file(name), from, to))
}

// file returns the text of a file, empty if there is none.
func (p *project) file(name string) string {
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(text)
}

// applied fails unless the folder says what the environment has.
func (p *project) applied(env string) {
	p.t.Helper()
	p.run(process.ExitDone, "plan", "{}", "--env", env, "--detailed-exitcode")
	p.run(process.ExitDone, "drift", "{}", "--env", env, "--detailed-exitcode")
}

// fitsSchema fails unless the plan of the folder as JSON is what the schema says.
func (p *project) fitsSchema(env string) {
	p.t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("ascode", "testdata", "plan.schema.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	_, text, _ := strings.Cut(p.run(process.ExitDone, "plan", "{}", "--env", env, "--format", "json"), "\n") // progress
	var plan any
	if err := json.Unmarshal([]byte(text), &plan); err != nil {
		p.t.Fatalf("%v\n%s", err, text)
	}
	if err := schema.Validate(plan); err != nil {
		p.t.Errorf("%v\n%s", err, text)
	}
}

// writesNothing fails unless an apply without a change leaves all assets as they are, to the byte.
func (p *project) writesNothing() {
	p.t.Helper()
	before := p.assets()
	p.shows(process.ExitDone, "4 unchanged.", "apply", "{}", "--approve")
	if d := cmp.Diff(before, p.assets()); d != "" {
		p.t.Errorf("an apply without a change wrote (-before +after):\n%s", d)
	}
}

// assets are the tenant's keys in Redis, with their values, but for the plans.
func (s *codeSite) assets() map[string]string {
	s.t.Helper()
	options, err := redis.ParseURL(s.redis)
	if err != nil {
		s.t.Fatal(err)
	}
	rdb := redis.NewClient(options)
	defer rdb.Close()
	keys, err := rdb.Keys(s.t.Context(), "*:t:acme:*").Result()
	if err != nil {
		s.t.Fatal(err)
	}
	values := map[string]string{}
	for _, key := range keys {
		if !strings.Contains(key, ":plan") {
			values[key] = rdb.Dump(s.t.Context(), key).Val()
		}
	}
	return values
}
