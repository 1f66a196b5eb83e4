//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mooring/cmd/mooring/programtest"
)

// project writes the files of a project to a folder of its own.
func (a *attacker) project(server string) string {
	a.t.Helper()
	dir, err := os.MkdirTemp(a.dir, "project-")
	if err != nil {
		a.t.Fatal(err)
	}
	for name, text := range map[string]string{
		"project.yaml":        "project: finance\n" + server + "environments: {dev: {deployment: 1}}\n",
		"reports/orders.yaml": "name: Orders\npublicId: OrdersReport\n", "reports/orders.sql": "SELECT 1\n",
		"workbooks/board.yaml": "slug: board\nname: Board\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			a.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return dir
}

// stranger is a server that answers every request alike, and keeps what it is sent.
func (a *attacker) stranger(status int, body string) (address string, sent *programtest.Output) {
	sent = programtest.NewOutput()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(sent, "%s %s %v\n", r.Method, r.URL, r.Header)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	a.t.Cleanup(server.Close)
	return server.URL, sent
}

// attackCommands attacks who runs the commands: by what a server answers, and by what a branch says.
func (a *attacker) attackCommands() {
	a.pullKinds()
	a.sendTokens()
	a.printTexts()
}

// pullKinds has a server name kinds and names that are none.
func (a *attacker) pullKinds() {
	names := []string{"pwn", "../pwn", "../../pwn", "/tmp/mooring-attack-pwn", ".hidden", "..", "a/../../b", "x\ny", "a/.git/config"}
	kinds := []string{
		".github/workflows/pwn.yaml", ".github/workflow", "..", "../x", "Report", "project", "report/../../x", ".git/hook", "report", "workbook", "schedule", "placement",
	}
	for _, kind := range kinds {
		var items []map[string]any
		for _, name := range names {
			items = append(items, map[string]any{
				"kind": kind, "ref": name, "id": 1, "version": 1, "definition": map[string]any{"name": name, "sqlQuery": "SELECT 1", "document": name, "cron": "@daily"},
			})
		}
		page, _ := json.Marshal(map[string]any{"items": items, "pageInfo": map[string]any{}})
		server, _ := a.stranger(http.StatusOK, string(page))
		dir := a.project("")
		command(a.t, dir, []string{"MOORING_SERVER=" + server, "MOORING_TOKEN=secret"}, "pull", dir)
		var faults []string
		_ = fs.WalkDir(os.DirFS(a.dir), filepath.Base(dir), func(name string, entry fs.DirEntry, _ error) error {
			folder := filepath.Base(filepath.Dir(name))
			if !entry.IsDir() && folder != filepath.Base(dir) && !slices.Contains([]string{"reports", "workbooks", "placements", "schedules"}, folder) {
				faults = append(faults, fmt.Sprintf("kind %q: %s was written", kind, name))
			}
			return nil
		})
		a.tries(9, "files that a server has pull write", faults)
	}
}

// sendTokens has a branch name the server, in the file of a project and in that of a plan.
func (a *attacker) sendTokens() {
	answer := `{"id":"P1","hash":"h","project":"finance","deployment":1,"summary":{},"assets":[],"items":[],"pageInfo":{},"tenant":"acme"}`
	for _, where := range []string{"named alone", "over http beside another", "over http to a network"} {
		for _, args := range [][]string{{"plan", "DIR"}, {"drift", "DIR"}, {"pull", "DIR"}, {"apply", "DIR", "--approve"}, {"publish", "board", "--dir", "DIR"}, {"apply", "PLAN", "--approve"}} {
			server, sent := a.stranger(http.StatusOK, answer)
			own, _ := a.stranger(http.StatusOK, answer)
			env := []string{"MOORING_TOKEN=secret-of-the-pipeline"}
			switch where {
			case "over http beside another":
				env = append(env, "MOORING_SERVER="+own)
			case "over http to a network":
				env = append(env, "MOORING_SERVER=http://mooring.example.com", "HTTP_PROXY="+server)
				server = "http://mooring.example.com"
			}
			dir := a.project("server: " + server + "\n")
			plan := filepath.Join(dir, "plan.json")
			if err := os.WriteFile(plan, []byte(`{"server":"`+server+`",`+strings.TrimPrefix(answer, "{")), 0o600); err != nil {
				a.t.Fatal(err)
			}
			args = strings.Split(strings.NewReplacer("DIR", dir, "PLAN", plan).Replace(strings.Join(args, "\n")), "\n")
			command(a.t, dir, env, args...)
			fault := ""
			if strings.Contains(sent.String(), "secret-of-the-pipeline") {
				fault = fmt.Sprintf("%s, %s: the token was sent", where, args[0])
			}
			a.try(9, "tokens of the environment and servers of a branch", fault)
		}
	}
}

// printTexts has a server answer with texts that forge lines and steer terminals.
func (a *attacker) printTexts() {
	const hostile = "x\nmooring: all is well\r\x1b[2J\u009b2J\x1b]0;t\a\u202egnp\n ::add-mask::pwn ##[add-mask]pwn"
	h, _ := json.Marshal(hostile)
	fault := strings.ReplaceAll(`{"statusCode":400,"message":H,"code":H,"details":[{"pointer":H,"message":H}]}`, "H", string(h))
	for _, status := range []int{400, 401, 403, 404, 409, 422, 500, 503} {
		for _, args := range [][]string{{"plan", "DIR"}, {"pull", "DIR"}, {"publish", "board", "--dir", "DIR"}} {
			server, _ := a.stranger(status, fault)
			dir := a.project("")
			args = strings.Split(strings.ReplaceAll(strings.Join(args, "\n"), "DIR", dir), "\n")
			_, stdout, stderr := command(a.t, dir, []string{"MOORING_SERVER=" + server, "MOORING_TOKEN=secret"}, args...)
			wrong := ""
			if out := stdout + stderr; strings.ContainsAny(out, "\x1b\r\a\u009b\u202e") || strings.Contains(out, "\nmooring: all is well") ||
				strings.Contains(out, "\n ::") || strings.Contains(out, "##[") {
				wrong = fmt.Sprintf("%s, %d: %q", args[0], status, out)
			}
			a.try(9, "texts of a server that steer a terminal", wrong)
		}
	}
}
