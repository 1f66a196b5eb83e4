package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What README.md shows of a project is what its commands write.
func TestProjectOfTheReadme(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, "demo", "--listen", "127.0.0.1:0", "--dir", filepath.Join(dir, "try"))
	server := demoServer(p)
	if err := os.Symlink(build(t), filepath.Join(dir, "mooring")); err != nil {
		t.Fatal(err)
	}
	shell := func(command string) string {
		cmd := exec.CommandContext(t.Context(), "bash", "-ec", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "MOORING_SERVER="+server, "MOORING_"+p.waitFor("TOKEN="))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	shell("mooring apply try/project --approve")
	refreshRegions(t, p)
	shell(`sed -i 's/AS "2020"/AS Residents/' try/project/reports/regions.sql; sed -i 's/0 7 /30 6 /' try/project/schedules/weekdays.yaml`)

	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```console\n(.*?)```").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("README.md shows no project")
	}
	var got strings.Builder
	for line := range strings.Lines(block[1]) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			got.WriteString(line + shell(command))
		}
	}
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	steadied := func(text string) []string {
		return strings.Split(exampleTime.ReplaceAllString(address.ReplaceAllString(text, "ADDRESS"), "TIME"), "\n")
	}
	if diff := cmp.Diff(steadied(block[1]), steadied(got.String())); diff != "" {
		t.Errorf("README.md (-) and what the commands write (+):\n%s", diff)
	}
}

// demoServer waits until a demo serves, and returns its address.
func demoServer(p *program) string {
	_, base, _ := strings.Cut(strings.TrimSuffix(p.waitFor("Serving on "), " until Ctrl-C."), "Serving on ")
	return base
}

// refreshRegions refreshes the placement of the demo's project and waits for the end of the run.
func refreshRegions(t *testing.T, p *program) {
	t.Helper()
	base := demoServer(p)
	_, token, _ := strings.Cut(p.waitFor("TOKEN="), "=")
	s := &site{t: t, client: apiClient{base: base, token: token}}
	const reports = "/api/v1/deployments/1/reports"
	var list struct {
		Items []struct {
			ID       int64
			PublicID string
		}
	}
	if _, text := s.send("GET", reports, ""); json.Unmarshal([]byte(text), &list) != nil {
		t.Fatal(text)
	}
	for _, r := range list.Items {
		if r.PublicID != "StatesRegion" {
			continue
		}
		if _, err := s.client.refresh(t.Context(), fmt.Sprintf("%s/%d", reports, r.ID)); err != nil {
			t.Fatal(err)
		}
	}
}
