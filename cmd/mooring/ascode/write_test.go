package ascode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/ascode"
	"mooring/storage/record/portable"
)

func TestRecordApplyWritesTheLock(t *testing.T) {
	dir := folder(t, finance())
	f := readFolder(t, dir, "")
	done := []ascode.AppliedVersion{{Kind: portable.KindSchedule, Ref: "weekdays", ID: json.RawMessage("4"), Version: 2}}
	for _, a := range f.Bundle().Assets[:2] {
		done = append(done, ascode.AppliedVersion{Kind: a.Kind, Ref: a.Ref, ID: json.RawMessage(`17`), Version: 3})
	}
	if err := f.RecordApply(f.Sent(), done); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "mooring.lock"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "mooring.lock", string(text))

	if err := os.Remove(filepath.Join(dir, "schedules/weekdays.yaml")); err != nil {
		t.Fatal(err)
	}
	f = readFolder(t, dir, "")
	if err := f.RecordApply(f.Sent(), done[:1]); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, "mooring.lock"))
	if want := string(text[:strings.LastIndex(strings.TrimSpace(string(text)), "\n")+1]); err != nil || string(after) != want {
		t.Errorf("%v, got %s, want %s", err, after, want)
	}
}

// What was applied to one environment says nothing of another.
func TestTheLockKeepsEnvironmentsApart(t *testing.T) {
	dir := folder(t, finance())
	var entries []int
	for _, environment := range []string{"", "prod", ""} {
		f := readFolder(t, dir, environment)
		var done []ascode.AppliedVersion
		for _, a := range f.Bundle().Assets {
			done = append(done, ascode.AppliedVersion{Kind: a.Kind, Ref: a.Ref, ID: json.RawMessage("17"), Version: 3})
		}
		if err := f.RecordApply(f.Sent(), done); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "mooring.lock"))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, strings.Count(string(text), "\n"))
	}
	if n := entries[0]; n == 0 || entries[1] != 2*n || entries[2] != 2*n {
		t.Errorf("the lock has %v entries after the one, the other, and the one again", entries)
	}
}

func TestOnlyFilesOfAProjectAreWritten(t *testing.T) {
	for _, name := range []string{"reports/.hidden.yaml", ".git/hooks/pre-commit", "notes/x.yaml", "run.sh"} {
		dir := folder(t, finance())
		p := readFolder(t, dir, "").Pull(applied(t, readFolder(t, dir, "")), ascode.Undecided)
		p.Changes = append(p.Changes, ascode.FileChange{File: name, Text: "x", New: true})
		if err := p.Write(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

func TestAPlanThatDeletesIsNotEmpty(t *testing.T) {
	for action, empty := range map[portable.Action]bool{
		portable.ActionUnchanged: true, portable.ActionKept: true, portable.ActionDelete: false, portable.ActionCreate: false,
		portable.ActionUpdate: false, portable.ActionAdopt: false, portable.ActionConflict: false,
	} {
		p := ascode.Review{ApplyPlan: &portable.ApplyPlan{Assets: []portable.PlannedAsset{
			{Kind: portable.KindReport, Action: portable.ActionUnchanged}, {Kind: portable.KindReport, Action: action},
		}}}
		if p.Empty() != empty {
			t.Errorf("a plan with one to %s is empty: %t", action, p.Empty())
		}
	}
}

func TestAWriteIsWholeOrNone(t *testing.T) {
	dir := folder(t, finance())
	remotes := applied(t, readFolder(t, dir, ""))
	remotes[1].Definition["name"] = "Another"
	p := readFolder(t, dir, "").Pull(remotes, ascode.Undecided)
	if err := os.Chmod(filepath.Join(dir, "reports/revenue.yaml"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "reports/revenue.yaml")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v: the mode is to be kept", info.Mode(), err)
	}
	for name := range contents(t, dir) {
		if base := filepath.Base(name); strings.HasPrefix(base, ".") && base != ".x.yaml" {
			t.Errorf("%s is left", name)
		}
	}
	// What a crash between two steps leaves is not read.
	if err := os.WriteFile(filepath.Join(dir, "reports/.revenue.yaml.X"), []byte("publicId: [half"), 0o600); err != nil {
		t.Fatal(err)
	}
	readFolder(t, dir, "")
}

func TestNothingIsWrittenThroughALink(t *testing.T) {
	outside := t.TempDir()
	dir := folder(t, map[string]string{"project.yaml": emptyProject})
	f := readFolder(t, dir, "")
	p := f.Pull([]ascode.Remote{{Kind: portable.KindWorkbook, Ref: "board", Definition: map[string]any{"name": "x"}}}, ascode.Undecided)
	if err := os.Symlink(outside, filepath.Join(dir, "workbooks")); err != nil { // after it was read
		t.Fatal(err)
	}
	if err := p.Write(); err == nil {
		t.Error("no error")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestNewFilesStayInTheFolder(t *testing.T) {
	dir := folder(t, map[string]string{"project.yaml": emptyProject})
	var remotes []ascode.Remote
	for i, name := range []string{"../../x", "/etc/passwd", "..", "a/../../b", "\x00", "C:\\x", "nul", "-rf", ".git"} {
		def := map[string]any{"document": name, "sheet": "A", "anchor": "A1", "report": "OtherReport1"}
		remotes = append(remotes,
			ascode.Remote{Kind: portable.KindReport, Ref: "RevByRegion" + string(rune('1'+i)), Definition: map[string]any{"name": name}},
			ascode.Remote{Kind: portable.KindPlacement, Ref: name + "/A!A1", Definition: def})
	}
	p := pull(t, dir, remotes, ascode.Undecided)
	var names []string
	for _, c := range p.Changes {
		names = append(names, c.File)
	}
	want := []string{
		"placements/a-..-..-b.yaml", "placements/c-x.yaml", "placements/etc-passwd.yaml", "placements/git.yaml", "placements/placement-2.yaml",
		"placements/placement-nul.yaml", "placements/placement.yaml", "placements/rf.yaml", "placements/x.yaml", "reports/a-..-..-b.yaml",
		"reports/c-x.yaml", "reports/etc-passwd.yaml", "reports/git.yaml", "reports/report-nul.yaml", "reports/revbyregion3.yaml",
		"reports/revbyregion5.yaml", "reports/rf.yaml", "reports/x.yaml",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	readFolder(t, dir, "")
}

// FuzzRead reads any text as each kind of file, and pulls a change into what can be read.
func FuzzRead(f *testing.F) {
	for _, text := range finance() {
		f.Add(text)
	}
	f.Add("publicId: RevByRegion9\nsql: |\n  select 1\nmeta: {a: [1, {b: }]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		outer := t.TempDir()
		dir := filepath.Join(outer, "project")
		for _, name := range []string{"reports/z.yaml", "workbooks/z.yaml", "placements/z.yaml", "schedules/z.yaml", "reports/z.sql"} {
			write(t, filepath.Join(dir, name), text)
		}
		write(t, filepath.Join(dir, "project.yaml"), finance()["project.yaml"])
		for _, name := range []string{"workbooks", "placements", "schedules", "reports"} {
			if folder, err := ascode.Read(dir, "", variables); err == nil {
				checkPull(t, folder, dir)
			}
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(dir, "project.yaml"), text)
		if folder, err := ascode.Read(dir, "", variables); err == nil {
			checkPull(t, folder, dir)
		}
		if entries, err := os.ReadDir(outer); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v: something was written outside", entries, err)
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkPull changes every asset on the server, pulls and reads again.
func checkPull(t *testing.T, folder *ascode.Folder, dir string) {
	t.Helper()
	remotes := applied(t, folder)
	for i := range remotes {
		remotes[i].Definition["meta"] = map[string]any{"a": "b"}
		remotes[i].Applied["meta"] = nil
	}
	if err := folder.Pull(remotes, ascode.Theirs).Write(); err != nil {
		t.Fatal(err)
	}
}
