//go:build unix

package zoo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit is how long the tests of a slip may take, without building them.
const limit = 90 * time.Second

// What became of a slip.
const (
	killed   = "killed"
	survived = "SURVIVED" // the tests passed
	hung     = "hangs"    // they did not end within limit: that is no answer to whoever runs them
	unbuilt  = "does not build"
	unfit    = "fails without it" // the tests do not pass on the code as it is
)

// result is a line of the file of results.
type result struct {
	Name    string
	Digest  string
	Outcome string
	By      string  // the test that failed, if one did
	Seconds float64 // that the tests took, without building them
}

// TestZoo makes the slips that MOORING_ZOO names, all of them or those whose results are missing, and prints what became of each.
func TestZoo(t *testing.T) {
	asked := os.Getenv("MOORING_ZOO")
	if asked == "" {
		t.Skip("MOORING_ZOO is not set: scripts/zoo runs it")
	}
	file := os.Getenv("MOORING_ZOO_RESULTS")
	known := readResults(t, file)
	if asked == "table" {
		fmt.Print(table(known))
		return
	}
	k := keeper{t: t, dir: t.TempDir(), clean: map[string]string{}}
	var all int
	failed := map[string]int{}
	for _, s := range slips() {
		digest, err := s.digest()
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := known[s.Name+" "+digest]; asked == "missing" && ok {
			continue
		} else if asked != "all" && asked != "missing" && !strings.Contains(" "+asked+" ", " "+s.Name+" ") {
			continue
		}
		r := k.run(s)
		r.Name, r.Digest = s.Name, digest
		all++
		fmt.Printf("%-14s %5.1f s  %-40s %s\n", r.Outcome, r.Seconds, r.Name, r.By)
		if r.Outcome != killed {
			failed[r.Outcome]++
			t.Fail()
		}
		appendResult(t, file, r)
	}
	fmt.Printf("%d slips; not killed: %v\n", all, failed)
	if all == 0 && asked != "missing" {
		t.Errorf("there is no slip %q", asked)
	}
}

// keeper runs slips.
type keeper struct {
	t     *testing.T
	dir   string
	clean map[string]string // outcome of the tests of a package on the code as it is
}

// run makes a slip, if its tests pass without it.
func (k keeper) run(s slip) result {
	k.t.Helper()
	before := s.Within + " " + s.Tests
	if k.clean[before] == "" {
		k.clean[before] = survived
		if r := k.tests(s, nil); r.Outcome != survived {
			k.clean[before] = unfit
			k.t.Logf("%s: %s, %s", before, r.Outcome, r.By)
		}
	}
	if k.clean[before] == unfit {
		return result{Outcome: unfit}
	}
	text, err := s.changed()
	if err != nil {
		k.t.Fatal(err)
	}
	return k.tests(s, text)
}

// tests runs the tests of a slip with that text of its file; nil means the code as it is.
func (k keeper) tests(s slip, changed []byte) result {
	k.t.Helper()
	binary, err := k.build(s, changed)
	if err != nil {
		return result{Outcome: unbuilt, By: err.Error()}
	}
	ctx, cancel := context.WithTimeout(k.t.Context(), limit)
	defer cancel()
	args := []string{"-test.run", s.pattern(), "-test.failfast", "-test.timeout", "0"}
	if text, err := os.ReadFile(binary); err == nil && bytes.Contains(text, []byte("rapid.nofailfile")) {
		args = append(args, "-rapid.nofailfile") // what fails because of a slip is not to be tried again without it
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = filepath.Join(root, s.Within)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err = cmd.Run()
	r := result{Outcome: killed, By: failure(out.String()), Seconds: time.Since(start).Seconds()}
	switch {
	case ctx.Err() != nil:
		r.Outcome, r.By = hung, ""
	case err == nil:
		r.Outcome, r.By = survived, ""
		if strings.Contains(out.String(), "no tests to run") {
			r.Outcome = unfit
		}
	}
	return r
}

// build builds the tests of a slip's package; those of the code as it is once.
func (k keeper) build(s slip, changed []byte) (binary string, err error) {
	k.t.Helper()
	clean := filepath.Join(k.dir, strings.ReplaceAll(s.Within, "/", "-")+".test")
	if changed == nil {
		if _, err := os.Stat(clean); err == nil {
			return clean, nil
		}
		return clean, compile(s.Within, clean)
	}
	binary = filepath.Join(k.dir, "slip.test")
	if s.isScript() {
		text, err := os.ReadFile(filepath.Join(root, s.File))
		if err == nil && (exchange(clean, binary, text, changed) || exchange(clean, binary, []byte(s.Before), []byte(s.After))) {
			return binary, nil
		}
	}
	return binary, compile(s.Within, binary, "-overlay", k.overlay(s, changed))
}

// compile builds the tests of a package.
func compile(within, binary string, more ...string) error {
	args := append([]string{"test", "-tags", "nomsgpack", "-ldflags", "-s -w", "-c"}, more...)
	cmd := exec.Command("go", append(args, "-o", binary, "./"+within)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(strings.Join(strings.Fields(string(out)), " "))
	}
	return nil
}

// inLua are words that no Go code has.
var inLua = regexp.MustCompile(`redis\.call\(|\bthen\b|\blocal\b`)

// isScript reports whether a slip is in a script for Redis, in a file of its own or in a text of a Go file.
func (s slip) isScript() bool {
	return filepath.Ext(s.File) == ".lua" || inLua.MatchString(s.Before)
}

// exchange writes tests that were built with another text of a script: they hold it as it is, so that nothing need be built. It reports false
// if they do not hold it, or hold it more than once, or the other text is longer.
func exchange(built, binary string, text, other []byte) bool {
	all, err := os.ReadFile(built)
	if err != nil || bytes.Count(all, text) != 1 || len(other) > len(text) {
		return false
	}
	other = append(slices.Clip(other), bytes.Repeat([]byte{' '}, len(text)-len(other))...)
	return os.WriteFile(binary, bytes.Replace(all, text, other, 1), 0o700) == nil
}

// overlay writes what go build needs to read a file's other text, and returns where.
func (k keeper) overlay(s slip, changed []byte) string {
	k.t.Helper()
	original, err := filepath.Abs(filepath.Join(root, s.File))
	instead, list := filepath.Join(k.dir, "instead"+filepath.Ext(s.File)), filepath.Join(k.dir, "overlay.json")
	text, err2 := json.Marshal(map[string]map[string]string{"Replace": {original: instead}})
	if err := errors.Join(err, err2, os.WriteFile(instead, changed, 0o600), os.WriteFile(list, text, 0o600)); err != nil {
		k.t.Fatal(err)
	}
	return list
}

var (
	failedTest = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)
	panicked   = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.*)`)
)

// failure names what failed, by what tests wrote: the innermost test that is named first.
func failure(out string) string {
	var name string
	for _, m := range failedTest.FindAllStringSubmatch(out, -1) {
		if name != "" && !strings.HasPrefix(m[1], name+"/") {
			break
		}
		name = m[1]
	}
	if m := panicked.FindStringSubmatch(out); name == "" && m != nil {
		return "panic: " + m[1]
	}
	return name
}

// readResults reads what became of slips, by their names and digests; the latest of each by its name alone, too.
func readResults(t *testing.T, file string) map[string]result {
	t.Helper()
	known := map[string]result{}
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		known[r.Name], known[r.Name+" "+r.Digest] = r, r
	}
	return known
}

// appendResult adds a line to the file of results, if there is one.
func appendResult(t *testing.T, file string, r result) {
	t.Helper()
	if file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(json.NewEncoder(f).Encode(r), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// table lists all slips with what became of them last, in Markdown.
func table(known map[string]result) string {
	var b strings.Builder
	b.WriteString("| slip | in | what it does | noticed by | s |\n|---|---|---|---|---|\n")
	for _, s := range slips() {
		r, ok := known[s.Name]
		by := "`" + strings.ReplaceAll(r.By, "|", `\|`) + "`"
		switch {
		case !ok:
			by = "not run"
		case r.Outcome != killed:
			by = "**" + r.Outcome + "**"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %.1f |\n", s.Name, s.File, s.What, by, r.Seconds)
	}
	return b.String()
}
