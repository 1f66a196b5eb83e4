package main

import (
	"bytes"
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
	"github.com/xuri/excelize/v2"

	"mooring/refresh/source/sqlite"
	"mooring/storage/storagetest"
)

// codeSite is the built program with a number of deployments that projects are applied to.
type codeSite struct {
	t      *testing.T
	redis  string
	config string
	base   string
	token  string // of Ana, who applies
	bobs   string // of Bob, who changes things by hand
}

func newCodeSite(t *testing.T, store string, deployments int) *codeSite {
	t.Helper()
	dir := t.TempDir()
	s := &codeSite{t: t, redis: store, config: filepath.Join(dir, "mooring.yaml")}
	var list strings.Builder
	for i := range deployments {
		fmt.Fprintf(&list, "      %d: {source: {kind: sqlite, path: shop.db}}\n", i+1)
	}
	writeFile(t, s.config, `
listen: 127.0.0.1:0
redis: `+store+`
limits: {schedulesPerUser: 0, schedulesPerTenant: 0}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
`+list.String()+`    spreadsheets: {SHEETS_B: {kind: xlsx, dir: sheets}}
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
	server := start(t, "serve", "--config", s.config)
	s.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(server.waitFor("msg=serving"))[1]
	s.token = s.key("1", "--email", "ana@example.com", "--name", "Ana", "--action", "All")
	s.bobs = s.key("2", "--email", "bob@example.com", "--name", "Bob", "--action", "All")
	return s
}

func (s *codeSite) key(user string, flags ...string) string {
	s.t.Helper()
	status, stdout, stderr := mooring(s.t, append([]string{"key", "create", "--config", s.config, "--tenant", "acme", "--user", user}, flags...)...)
	if status != exitDone {
		s.t.Fatal(stderr)
	}
	return strings.TrimSpace(stdout)
}

// send sends a request of Bob's about a deployment, which has to succeed.
func (s *codeSite) send(method, path, body string) []byte {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+"/api/v1/deployments/"+path, strings.NewReader(body))
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
	cmd := exec.CommandContext(p.t.Context(), build(p.t), inFolder(args, p.dir)...)
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
	p.run(exitDone, "plan", "{}", "--env", env, "--detailed-exitcode")
	p.run(exitDone, "drift", "{}", "--env", env, "--detailed-exitcode")
}

// writesNothing fails unless an apply without a change leaves all assets as they are, to the byte.
func (p *project) writesNothing() {
	p.t.Helper()
	before := p.assets()
	p.shows(exitDone, "4 unchanged.", "apply", "{}", "--approve")
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

// A project goes to two deployments, is changed in files and on the server, and is pulled, pruned and published.
func TestProjectInTwoDeployments(t *testing.T) {
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	saved := filepath.Join(t.TempDir(), "plan.json")

	p.shows(exitChanges, "4 to create.", "plan", "{}", "--detailed-exitcode", "-o", saved)
	p.shows(exitDone, "+ create schedule:daily", "show", saved, "{}")
	p.shows(exitDone, "Applied to deployment 1", "apply", saved, "--approve")
	p.shows(exitDone, "Applied to deployment 1", "apply", saved, "--approve") // the same, once
	p.applied("dev")
	p.writesNothing()
	p.shows(exitDone, "workbook:board published", "publish", "board", "--dir", "{}")
	p.shows(exitDone, "is published as it is", "publish", "--all", "--dir", "{}")

	p.shows(exitChanges, "4 to create.", "plan", "{}", "--env", "prod", "--detailed-exitcode")
	p.shows(exitDone, "Applied to deployment 2", "apply", "{}", "--env", "prod", "--approve")
	p.applied("prod")
	p.applied("dev")

	p.edit("reports/orders.yaml", "name: Orders", "name: All orders # of all time")
	p.shows(exitChanges, `/name: "Orders" → "All orders"`, "plan", "{}", "--detailed-exitcode", "-o", saved)
	p.edit("reports/orders.yaml", "All orders", "Every order")
	p.run(exitDone, "apply", "{}", "--approve")
	p.shows(exitConflict, "report:OrdersReport", "apply", saved, "--approve") // it moved
	p.applied("dev")

	p.send("PUT", "1/reports/1", `{"title": "By Bob"}`)
	p.applied("dev") // the files do not say its title
	p.send("PUT", "1/reports/1", `{"name": "Bob's"}`)
	p.shows(exitChanges, "changed on the server by bob@example.com", "drift", "{}", "--detailed-exitcode")
	p.shows(exitDone, "~ reports/orders.yaml", "pull", "{}")
	if got := p.file("reports/orders.yaml"); !strings.Contains(got, `name: "Bob's" # of all time`) {
		t.Errorf("pulled:\n%s", got)
	}
	p.run(exitDone, "apply", "{}", "--approve")
	p.applied("dev")

	p.edit("reports/orders.yaml", `name: "Bob's"`, "name: Mine")
	p.send("PUT", "1/reports/1", `{"name": "Bob's own"}`)
	p.shows(exitConflict, `"Mine" → "Bob's own"`, "pull", "{}")
	p.run(exitDone, "pull", "{}", "--theirs")
	p.run(exitDone, "apply", "{}", "--approve")
	p.applied("dev")
	p.shows(exitChanges, "1 to update, 3 unchanged.", "plan", "{}", "--env", "prod", "--detailed-exitcode")
}

// What is wrong with a plan is told with its place.
func TestProjectFaultsOnTheServer(t *testing.T) {
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	p.edit("reports/orders.sql", "amount", "amout")
	p.shows(exitFailed, "reports/orders.sql:1:22: report:OrdersReport: ", "plan", "{}")
	p.shows(exitFailed, "no such column: amout", "apply", "{}", "--approve")
	p.edit("reports/orders.sql", "amout", "amount")
	p.run(exitDone, "apply", "{}", "--approve")
	p.run(exitDone, "refresh", "--config", p.config, "--tenant", "acme", "--deployment", "1", "--report", "1")
	p.edit("reports/orders.sql", "customer, ", "")
	p.shows(exitDone, "column that vanishes: customer; shown at orders.xlsx/Sheet1!B2", "plan", "{}")

	elsewhere := &project{p.codeSite, writeProject(t, map[string]string{
		"project.yaml":         "project: sales\nenvironments: {dev: {deployment: 2}}\nexternal: [OrdersReport]\n",
		"workbooks/board.yaml": "slug: board\nname: Board\ndashboard:\n  widgets:\n    - {type: CHART, config: {report: OrdersReport}}\n",
	})}
	elsewhere.shows(exitFailed, "workbooks/board.yaml:5:38: ", "plan", "{}") // a report of another deployment
	writeFile(t, filepath.Join(elsewhere.dir, "workbooks", "board.yaml"), "slug: board\nname: Board\n")
	if err := os.Mkdir(filepath.Join(elsewhere.dir, "reports"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(elsewhere.dir, "reports", "orders.yaml"), "name: Orders\npublicId: OrdersReport\n")
	elsewhere.edit("project.yaml", "external: [OrdersReport]\n", "")
	elsewhere.shows(exitConflict, "reports/orders.yaml:2:11: ", "plan", "{}") // and its publicId

	p.token = p.key("3", "--action", "All", "--deployment", "2")
	p.run(exitDenied, "plan", "{}")
	p.token = p.key("3", "--action", "ReportRead")
	p.shows(exitDenied, "reports/orders.yaml:1:11: ", "plan", "{}")
	p.token = "x"
	p.run(exitDenied, "plan", "{}")
}

// Two projects keep to their own, unless one is told to take over; what is deleted is what was asked for.
func TestTwoProjects(t *testing.T) {
	s := newCodeSite(t, storagetest.Redis(t), 2)
	first := &project{s, writeProject(t, sampleProject())}
	second := &project{s, writeProject(t, sampleProject(), map[string]string{
		"project.yaml":         "project: sales\nenvironments: {dev: {deployment: 1}}\n",
		"workbooks/board.yaml": "", "placements/sales.yaml": "", "schedules/daily.yaml": "",
	})}
	first.run(exitDone, "apply", "{}", "--approve")
	second.shows(exitConflict, "finance", "plan", "{}")
	second.shows(exitConflict, "reports/orders.yaml:1:11: ", "apply", "{}", "--approve")
	plan := filepath.Join(t.TempDir(), "plan.json")
	second.run(exitConflict, "plan", "{}", "-o", plan)
	second.run(exitConflict, "apply", plan, "--approve")
	second.run(exitDone, "apply", "{}", "--approve", "--take-over", "report:OrdersReport")
	second.run(exitDone, "plan", "{}", "--detailed-exitcode")
	first.shows(exitConflict, "sales", "plan", "{}")
	first.run(exitDone, "apply", "{}", "--approve", "--take-over", "report:OrdersReport")
	first.applied("dev")

	if err := os.Remove(filepath.Join(first.dir, "schedules", "daily.yaml")); err != nil {
		t.Fatal(err)
	}
	first.run(exitDone, "plan", "{}", "--detailed-exitcode")
	first.shows(exitChanges, "- delete schedule:daily", "plan", "{}", "--prune", "--detailed-exitcode")
	first.run(exitDone, "apply", "{}", "--prune", "--approve")
	first.applied("dev")

	first.send("DELETE", "1/workbooks/1", "")
	first.shows(exitDone, "deleted on the server by bob@example.com", "plan", "{}")
	first.shows(exitDone, "- workbooks/board.yaml", "pull", "{}")
	first.applied("dev")
}

// Of reports that show one publicId, pull can bring only one; plan asks which it is.
func TestPullOfReportsThatShowOnePublicID(t *testing.T) {
	p := &project{newCodeSite(t, "embedded", 1), writeProject(t, map[string]string{
		"project.yaml": "project: finance\nenvironments: {dev: {deployment: 1}}\n",
	})}
	for range 2 {
		p.send("POST", "1/reports", `{"name": "a", "sqlQuery": "SELECT 1"}`)
	}
	p.send("PUT", "1/reports/2/connect-workbook", `{"externalWorkbookId": "orders.xlsx", "resultLocation": "A!B2", "host": "SHEETS_B", "addressOnly": true}`)
	p.send("PUT", "1/refresh-schedules/by-key/k", `{"cron": ["@daily"], "target": {"reportId": 2}}`)
	p.send("POST", "1/workbooks", `{"name": "w", "slug": "w"}`)
	p.send("PUT", "1/workbooks/1/dashboard", `{"dashboardDraft": {"widgets": [{"type": "CHART", "config": {"reportId": 2}}]}}`)
	out := p.run(exitDone, "pull", "{}", "--adopt", "all")
	for _, name := range []string{"report:#2", "placement:orders.xlsx/A!B2", "schedule:k", "workbook:w"} {
		if !strings.Contains(out, name+" is left out") {
			t.Errorf("no word of %s:\n%s", name, out)
		}
	}
	p.shows(exitConflict, "Several reports show the id", "plan", "{}")
	p.shows(exitDone, "1 to adopt.", "plan", "{}", "--adopt", "report:#1")
	p.send("PUT", "1/reports/2", `{"publicId": "ReportTwo001"}`)
	p.run(exitDone, "pull", "{}", "--adopt", "all")
	p.shows(exitDone, "5 to adopt.", "plan", "{}")
}
