package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mooring/cmd/mooring/process"
)

// catcher is a server that keeps the tokens it is sent.
type catcher struct {
	*httptest.Server
	caught []string
}

func newCatcher(t *testing.T) *catcher {
	t.Helper()
	c := new(catcher)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.caught = append(c.caught, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(strings.TrimPrefix(planOf("unchanged", `,"tenant":"acme"`), "200 ")))
	}))
	t.Cleanup(c.Close)
	return c
}

// naming is a project whose file names a server.
func naming(t *testing.T, server string) string {
	t.Helper()
	return writeProject(t, sampleProject(), map[string]string{
		"project.yaml": "project: finance\nserver: " + server + "\nenvironments: {dev: {deployment: 1, roles: {viewers: 12}}}\n",
	})
}

// runWith runs a command of this program in an environment.
func runWith(t *testing.T, env []string, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(stdin), &out, &err, environment(env...))
	return status, out.String(), err.String()
}

// A token of the environment goes to no server that a file alone names, which whoever writes to a branch may have changed.
func TestATokenGoesOnlyToTheServerThatItsOwnerNames(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	c := newCatcher(t)
	project := naming(t, c.URL)
	plan := filepath.Join(t.TempDir(), "plan.json")
	writeFile(t, plan, `{"server":"`+c.URL+`",`+strings.TrimPrefix(planOf("update", ""), "200 {"))
	commands := [][]string{
		{"plan", project},
		{"drift", project},
		{"pull", project},
		{"show", "P1", project},
		{"publish", "board", "--dir", project},
		{"apply", project, "--approve"},
		{"apply", plan, "--approve"},
	}
	refusesAll := func(when string) {
		t.Helper()
		for _, args := range commands {
			status, _, stderr := runWith(t, []string{"MOORING_TOKEN", "secret"}, "", args...)
			if status != process.ExitUsage || !strings.Contains(stderr, "set MOORING_SERVER") || len(c.caught) > 0 {
				t.Errorf("%s, %q: status %d, sent %q\n%s", when, args[:1], status, c.caught, stderr)
			}
		}
	}
	refusesAll("never signed in")
	other := newCatcher(t)
	for _, args := range commands {
		runWith(t, []string{"MOORING_TOKEN", "secret", "MOORING_SERVER", other.URL}, "", args...)
	}
	if len(c.caught) > 0 || !slices.Contains(other.caught, "Bearer secret") {
		t.Errorf("with MOORING_SERVER the file's server was sent %q, the other %q", c.caught, other.caught)
	}
	if status, _ := signIn(t, c.URL, "pasted\n"); status != process.ExitDone {
		t.Fatal("login failed")
	}
	c.caught = nil
	refusesAll("signed in to the file's server")
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	refusesAll("without a home")
	writeFile(t, filepath.Join(project, "reports", "broken.yaml"), "a: [")
	writeFile(t, plan, "{")
	refusesAll("with broken files")
}

// A token is not sent in clear over a network.
func TestATokenGoesOverHTTPToThisMachineAlone(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const server = "http://mooring.example.com:8080"
	project := naming(t, server)
	for _, tt := range []struct {
		env, args []string
	}{
		{nil, []string{"login", "--server", server}},
		{nil, []string{"login", "--token", "--server", "HTTP://127.0.0.1.example.com"}},
		{nil, []string{"login", "--token", "--server", "http://localhost.example.com"}},
		{nil, []string{"login", "--token", "--server", "http://10.0.0.1"}},
		{[]string{"MOORING_SERVER", server}, []string{"login", "--token"}},
		{[]string{"MOORING_SERVER", server, "MOORING_TOKEN", "secret"}, []string{"plan", project}},
		{nil, []string{"plan", project}},
		{nil, []string{"pull", project}},
		{nil, []string{"apply", "--approve", project}},
	} {
		status, _, stderr := runWith(t, tt.env, "secret\n", tt.args...)
		if status != process.ExitUsage || !strings.Contains(stderr, "write https://") {
			t.Errorf("%q: status %d\n%s", tt.args, status, stderr)
		}
	}
}

// A server cannot send a token on to another one.
func TestATokenFollowsNoRedirectToAnotherOrigin(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		c := newCatcher(t)
		server := httptest.NewServer(http.RedirectHandler(c.URL+"/elsewhere", status))
		t.Cleanup(server.Close)
		env := []string{"MOORING_SERVER", server.URL, "MOORING_TOKEN", "secret"}
		for _, args := range [][]string{{"plan", writeProject(t, sampleProject())}, {"pull", writeProject(t, sampleProject())}} {
			code, _, stderr := runWith(t, env, "", args...)
			if code != process.ExitFailed || !strings.Contains(stderr, "sends the request on to") || len(c.caught) > 0 {
				t.Errorf("%d, %s: status %d, sent %q\n%s", status, args[0], code, c.caught, stderr)
			}
		}
	}
}

// Whatever kinds, refs and names a server has, pull writes files of the four folders.
func TestPullWritesFilesOfTheFourFoldersAlone(t *testing.T) {
	t.Parallel()
	var items []map[string]any
	names := []string{"pwn", "../pwn", "../../etc/pwn", "/tmp/pwn", ".hidden", "..", ".", "a/../../b", `a\..\b`, "pwn\x00", "con", "x\ny", "a/.git/config"}
	kinds := []string{
		"report", "workbook", "schedule", "placement", ".github/workflow", ".github/workflows/pwn.yaml", "..", "../x", "", "Report", "project",
		"/etc/cron.d/", ".git/hook", `..\x`, "report/../../x",
	}
	for _, kind := range kinds {
		for _, name := range names {
			definition := map[string]any{"name": name, "title": name, "document": name, "host": "SHEETS_B", "cron": "@daily"}
			if kind == "report" {
				definition["sqlQuery"] = "SELECT 1"
			}
			items = append(items, map[string]any{"kind": kind, "ref": name, "id": 1, "version": 1, "definition": definition})
		}
	}
	text, err := json.Marshal(map[string]any{"items": items, "pageInfo": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&failing{answers: map[string]string{"GET /managed": "200 " + string(text)}})
	defer server.Close()
	dir := writeProject(t, map[string]string{"p/project.yaml": "project: finance\nenvironments: {dev: {deployment: 1}}\n"})
	status, stdout, stderr := mooringAs(t, server.URL, "token", "pull", filepath.Join(dir, "p"))
	if !strings.Contains(stdout, "mooring knows no such kind") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	written := 0
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == "p/project.yaml" || name == "p/mooring.lock" {
			return err
		}
		folder, file := filepath.Split(strings.TrimPrefix(name, "p/"))
		if !slices.Contains([]string{"reports/", "workbooks/", "placements/", "schedules/"}, folder) || strings.HasPrefix(file, ".") ||
			filepath.Ext(file) != ".yaml" && filepath.Ext(file) != ".sql" {
			t.Errorf("%s was written", name)
		}
		written++
		return nil
	})
	if err != nil || written == 0 {
		t.Errorf("%d files written, %v\n%s%s", written, err, stdout, stderr)
	}
}

// hostile is a text that forges a line, clears a terminal in two ways, sets its title and turns the direction of writing.
const hostile = "x\nmooring: all is well\r\x1b[2J\u009b2J\x1b]0;t\a\u202egnp\u2028\u2066\u200b\x7f\x00 y"

// annotated is a line of --format github.
var annotated = regexp.MustCompile(`^::(error|warning) file=[^:]*::|^::notice title=mooring plan::`)

// commanding is a text that forges commands of a log of continuous integration, which trims what is blank before it looks for them.
const commanding = " \u00a0::error::owned\n::add-mask::owned ##[add-mask]owned ##vso[task.complete]owned\n\u3000::stop-commands::owned \u009b2J"

// What a server answers neither forges lines nor steers the terminal, nor the service that keeps the log.
func TestTextsOfAServerSteerNoTerminal(t *testing.T) {
	t.Run("a terminal", func(t *testing.T) { testTextsOfAServer(t, hostile) })
	t.Run("a log", func(t *testing.T) { testTextsOfAServer(t, commanding) })
}

func testTextsOfAServer(t *testing.T, text string) {
	t.Helper()
	quoted := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(quoted)
	}
	h := quoted(text)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	fault := `400 {"message":` + h + `,"code":` + h + `,"details":[{"pointer":` + h + `,"message":` + h + `},{"pointer":"/assets/0/definition/name","message":` + h + `}]}`
	planned := `200 {"id":"P1","hash":` + h + `,"project":` + h + `,"environment":` + h + `,"deployment":1,"summary":{"update":1},"assets":[
		{"kind":"report","ref":` + h + `,"name":` + h + `,"action":"update","message":` + h + `,"documents":[` + h + `],"preview":` + h + `,
		 "changes":[{"pointer":` + h + `,"before":` + h + `,"after":{` + h + `:` + h + `}},
		  {"pointer":"/sqlQuery","before":` + quoted(text+"\nselect 1") + `,"after":` + quoted(text+"\nselect 2") + `}],"drift":{"by":` + h + `,"at":"2026-11-20T12:00:00Z","pointers":[` + h + `]},
		 "columns":{"appear":[` + h + `],"vanish":[{"name":` + h + `,"placements":[` + h + `]}]},"deleted":{"by":` + h + `}},
		{"kind":"report","ref":"b","action":"update","error":{"code":` + h + `,"message":` + h + `}},
		{"kind":"report","ref":"c","action":"conflict","managedBy":{"project":` + h + `}}]}`
	codes := `200 {"device_code":"d","user_code":` + h + `,"verification_uri":` + h + `,"expires_in":1,"interval":1}`
	pulled := `200 {"items":[{"kind":` + h + `,"ref":` + h + `},{"kind":"report","ref":` + h + `,"definition":{},"deleted":{"by":` + h + `}}],"pageInfo":{}}`
	dir := writeProject(t, sampleProject())
	for _, tt := range []struct {
		name, request, answer string
		args                  []string
	}{
		{"a fault", "POST /plans", fault, []string{"plan", dir}},
		{"a fault of pull", "GET /managed", fault, []string{"pull", dir}},
		{"a fault of login", "GET /me", fault, []string{"login", "--token"}},
		{"a fault of a device's code", "POST /device/code", fault, []string{"login"}},
		{"a device's code", "POST /device/code", codes, []string{"login"}},
		{"a fault of OAuth", "POST /device/code", `400 {"error":` + h + `,"error_description":` + h + `}`, []string{"login"}},
		{"a user", "GET /me", `200 {"tenant":` + h + `,"user":{"email":` + h + `}}`, []string{"login", "--token"}},
		{"a plan", "POST /plans", planned, []string{"plan", dir}},
		{"a plan as JSON", "POST /plans", planned, []string{"plan", dir, "--format", "json"}},
		{"a plan as Markdown", "POST /plans", planned, []string{"plan", dir, "--format", "markdown"}},
		{"a plan as annotations", "POST /plans", planned, []string{"plan", dir, "--format", "github"}},
		{"drift", "POST /plans", planned, []string{"drift", dir}},
		{"a kind that is none", "POST /plans", `200 {"id":"P1","assets":[{"kind":` + h + `,"action":"update"}]}`, []string{"plan", dir}},
		{"an action that is none", "POST /plans", `200 {"id":"P1","assets":[{"kind":"report","action":` + h + `}]}`, []string{"plan", dir}},
		{"what is pulled", "GET /managed", pulled, []string{"pull", dir}},
		{"what was applied", "POST /plans/P1/apply", `200 {"appliedAt":` + h + `}`, []string{"apply", "--approve", filepath.Join(dir, "plan.json")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(&failing{answers: map[string]string{tt.request: tt.answer}})
			defer server.Close()
			writeFile(t, filepath.Join(dir, "plan.json"), strings.TrimPrefix(planned, "200 "))
			env := []string{"MOORING_SERVER", server.URL, "MOORING_TOKEN", "token"}
			_, stdout, stderr := runWith(t, env, "token\n", tt.args...)
			if !strings.Contains(stdout+stderr, `\u009b2J`) {
				t.Errorf("nothing of the server's text is shown, or not as it should be:\n%q\n%q", stdout, stderr)
			}
			for line := range strings.Lines(stdout + stderr) {
				if strings.HasPrefix(line, "mooring: all is well") {
					t.Errorf("a line is forged: %q", line)
				}
				if begun := strings.TrimSpace(line); strings.HasPrefix(begun, "::") && !annotated.MatchString(line) ||
					strings.Contains(line, "##[") || strings.Contains(line, "##vso[") {
					t.Errorf("a command of a log is forged: %q", line)
				}
				for _, r := range strings.TrimSuffix(line, "\n") {
					if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
						t.Fatalf("%U steers the terminal: %q", r, line)
					}
				}
			}
		})
	}
}
