package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
)

// A new project is one that validate accepts, without a server and without questions where nobody is there.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "Finance Reports")
	status, out, stderr := mooring(t, "init", dir)
	if status != process.ExitDone || out != filepath.Join(dir, "project.yaml")+"\n"+filepath.Join(dir, ".gitignore")+"\n" {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "project.yaml"))
	if err != nil || !strings.Contains(string(text), "\nproject: finance-reports\n") || !strings.Contains(string(text), "deployment: 1}") {
		t.Errorf("%v, %s", err, text)
	}
	if status, out, stderr := mooring(t, "validate", dir); status != process.ExitDone {
		t.Errorf("validate: status %d, %s%s", status, out, stderr)
	}
	writeExample(t, dir, string(text))
	if status, out, stderr := mooring(t, "validate", dir); status != process.ExitDone || !strings.Contains(stderr, "3 assets, no fault") {
		t.Errorf("validate with the example: status %d, %s%s", status, out, stderr)
	}
	status, _, stderr = mooring(t, "init", dir)
	if again, _ := os.ReadFile(filepath.Join(dir, "project.yaml")); status != process.ExitFailed || !strings.Contains(stderr, "is there already") || string(again) != string(text) {
		t.Errorf("a second one: status %d, %s\n%s", status, stderr, again)
	}
}

// writeExample writes the files of the example that a new project.yaml has as comments.
func writeExample(t *testing.T, dir, project string) {
	t.Helper()
	_, example, _ := strings.Cut(project, "# An example.")
	files, name := map[string]string{}, ""
	for line := range strings.Lines(example) {
		if text, of := strings.CutPrefix(line, "#   "); of {
			files[name] += text
		} else if at, ok := strings.CutPrefix(line, "# "); ok {
			name = strings.TrimSpace(at)
		}
	}
	if len(files) != 4 {
		t.Fatalf("files %v", files)
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), text)
	}
}

func TestInitSaysWhatItIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, ".gitignore"), "mine\n")
	status, out, stderr := mooring(t, "init", dir, "--project", "007", "--deployment", "3", "--server", "https://acme.example.com")
	if status != process.ExitDone || strings.Contains(out, ".gitignore") {
		t.Fatalf("status %d: %s%s", status, out, stderr)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, ".gitignore")); string(text) != "mine\n" {
		t.Errorf("%s", text)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "project.yaml"))
	for _, want := range []string{"project: \"007\"\n", "server: \"https://acme.example.com\"\n", "deployment: 3}"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if status, out, stderr := mooring(t, "validate", dir); status != process.ExitDone {
		t.Errorf("validate: status %d, %s%s", status, out, stderr)
	}
	for _, args := range [][]string{{"--project", "Not So"}, {"--deployment", "-1"}, {"--server", "acme"}} {
		if status, _, stderr := mooring(t, append([]string{"init", filepath.Join(dir, "x")}, args...)...); status != process.ExitUsage {
			t.Errorf("%v: status %d, %s", args, status, stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
			t.Errorf("%v: the folder was made", args)
		}
	}
}

// At a terminal it asks for what it was not told.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "board")
	person := typeInto(t, filepath.Dir(build(t))+":"+os.Getenv("PATH"), "mooring init "+dir+" --project finance")
	person.types("", "The deployment [1]: ")
	person.types("4\n", "The server, such as https://acme.example.com [none]: ")
	person.types("\n", "The project finance for deployment 4.")
	if status, out, stderr := mooring(t, "validate", dir); status != process.ExitDone {
		t.Errorf("validate: status %d, %s%s", status, out, stderr)
	}
}
