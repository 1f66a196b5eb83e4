package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mooring/cmd/mooring/demo"
	"mooring/cmd/mooring/process"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

func TestDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := exec.Command(build(t), "demo", "--exit", "--listen", "127.0.0.1:0", "--dir", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "rows written: ") || strings.HasPrefix(line, "rewritten:  ") || strings.HasPrefix(line, "the file is the same") ||
			strings.HasPrefix(line, "kept: ") || strings.Contains(line, " by hand ") || strings.Contains(line, "typed there") {
			line, _, _ = strings.Cut(line, " (sha256")
			got = append(got, line)
		}
		if _, hashes, ok := strings.Cut(line, "hash "); ok {
			before, after, _ := strings.Cut(strings.TrimSuffix(hashes, " after"), " before, ")
			if before != after || len(before) != 16 {
				t.Errorf("hashes of the untouched parts differ: %s", line)
			}
		}
	}
	want := []string{
		"rows written: 52 (260 cells)", "rewritten:  xl/workbook.xml, xl/worksheets/sheet1.xml",
		"rows written: 0 (0 cells)", "the file is the same, byte for byte",
		"rows written: 4 (20 cells)", "rewritten:  xl/workbook.xml, xl/worksheets/sheet1.xml",
		"rows written: 50 (250 cells)", "50 rows put back in order, 1 row with cells typed by hand kept",
		"rewritten:  xl/workbook.xml, xl/worksheets/sheet1.xml",
		`kept: States!D41, column 2020: "about 11.8 million", where the source has 11799448`,
		"rows written: 1 (5 cells)", "1 row gone or given back to the source, and what was typed there kept in the run",
		"rewritten:  xl/workbook.xml, xl/worksheets/sheet1.xml",
		"rows written: 0 (0 cells)", "rewritten:  xl/workbook.xml", // the new marker
		`States!B6 of board.xlsx: "see the remark of the board"; 1 row with cells typed by hand kept`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s\n%s", diff, out)
	}
	checkDemoWorkbook(t, filepath.Join(dir, "sheets", demo.Workbook))
}

// checkDemoWorkbook reads the demo's workbook with another program's eyes: the block holds the table, all else is the template's.
func checkDemoWorkbook(t *testing.T, name string) {
	t.Helper()
	f, err := excelize.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	template, err := excelize.OpenFile(filepath.Join("demo", "demodata", "states.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer template.Close()
	for cell, want := range map[string]string{
		"A5": "State", "E5": "Change", "A6": "Alabama", "D6": "5024279", "E6": "244543", "A56": "Wyoming", "D17": "1455271", "A57": "",
		"F6": "",
	} {
		if got, err := f.GetCellValue("States", cell, excelize.Options{RawCellValue: true}); err != nil || !sameCell(got, want) {
			t.Errorf("States!%s = %q, %v, want %q", cell, got, err, want)
		}
	}
	for _, cell := range []string{"A1", "A2", "G5", "G10"} {
		got, _ := f.GetCellValue("States", cell)
		want, _ := template.GetCellValue("States", cell)
		if got != want || want == "" {
			t.Errorf("States!%s = %q, want %q as in the template", cell, got, want)
		}
	}
	got, _ := f.GetCellStyle("States", "A5")
	want, _ := template.GetCellStyle("States", "A5")
	if got != want {
		t.Errorf("style of the header = %d, want %d as in the template", got, want)
	}
}

// sameCell compares numbers by value: a file may write 5e+06.
func sameCell(got, want string) bool {
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	return got == want || errA == nil && errB == nil && a == b
}

// The lines that the demo prints to be pasted do what they say.
func TestDemoCurlLines(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	p := start(t, "demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir())
	p.waitFor("Serving on")
	token := p.waitFor("TOKEN=")
	answers := map[string]map[string]any{}
	lines := strings.Split(p.out.String(), "\n")
	for i, line := range lines {
		what, ok := strings.CutPrefix(line, "# ")
		switch {
		case ok && what == "plan":
			lines[i+1] += " --format json"
		case !ok || !strings.HasPrefix(lines[i+1], "curl "):
			continue
		}
		out, err := exec.Command("bash", "-c", token+"\n"+lines[i+1]).Output()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		answer := map[string]any{}
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatalf("%s: %v: %s", what, err, out)
		}
		answers[what] = answer
	}
	if n, _ := answers["connect"]["externalWorkbookPlacements"].([]any); len(n) != 2 {
		t.Errorf("connect answered %v, want a report with 2 placements", answers["connect"])
	}
	if answers["refresh"]["runId"] == nil {
		t.Errorf("refresh answered %v, want a runId", answers["refresh"])
	}
	if got, want := answers["plan"]["summary"], (map[string]any{
		"create": 6.0, "update": 0.0, "unchanged": 0.0, "adopt": 0.0, "conflict": 0.0, "delete": 0.0, "kept": 0.0,
	}); !cmp.Equal(got, want) {
		t.Errorf("plan answered %v, want %v", got, want)
	}
	if answers["disconnect"]["removedPlacement"] == nil {
		t.Errorf("disconnect answered %v, want the placement removed", answers["disconnect"])
	}
	if status := p.terminate(); status != process.ExitDone {
		t.Errorf("status %d after SIGTERM, want %d\n%s", status, process.ExitDone, p.out)
	}
}

func TestDemoKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "states.db"), "mine")
	status, _, stderr := mooring(t, "demo", "--exit", "--listen", "127.0.0.1:0", "--dir", dir)
	if status != process.ExitFailed || !strings.Contains(stderr, "states.db is there already") {
		t.Errorf("status %d, %q; want %d and the file's name", status, stderr, process.ExitFailed)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "states.db")); err != nil || string(got) != "mine" {
		t.Errorf("the file holds %q, %v", got, err)
	}
}
