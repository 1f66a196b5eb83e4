package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
)

// A run of a block that was never written tells nobody which files the folder has; of one that was, what is wrong with its file.
func TestARunTellsNobodyWhichFilesThereAre(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sheets := filepath.Join(s.dir, "sheets")
	writeFile(t, filepath.Join(sheets, "passwords.txt"), "secret")
	if err := os.Mkdir(filepath.Join(sheets, "private"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(sheets, "private", "old.xlsx"), "no zip")
	for link, target := range map[string]string{"out.xlsx": "/etc/passwd", "gone.xlsx": "nothing.xlsx"} {
		if err := os.Symlink(target, filepath.Join(sheets, link)); err != nil {
			t.Fatal(err)
		}
	}
	said := map[string]string{}
	for _, document := range []string{
		"missing.xlsx", "missing/missing.xlsx", "passwords.txt", "passwords.xlsx", "private", "private/missing.xlsx", "passwords.txt/x.xlsx",
		"out.xlsx", "gone.xlsx", "../shop.db", "../gone.db", "/etc/passwd",
	} {
		path, _ := s.report("1", "SELECT name FROM t")
		s.connect(path, document, "Data!A1")
		run := s.runUntilFailed(path)
		text := strings.ReplaceAll(run.Error, document, "NAME")
		said[string(run.State)+" "+string(run.ErrorClass)+" "+text] = document
	}
	if len(said) != 1 {
		t.Errorf("runs tell files apart: %q", said)
	}

	path, _ := s.report("1", "SELECT name FROM t")
	s.connect(path, "book.xlsx", "States!T40")
	status, stdout, stderr := mooring(t, "refresh", "--config", s.config, "--tenant", "acme", "--deployment", "1", "--report", path[strings.LastIndex(path, "/")+1:])
	if status != process.ExitDone {
		t.Fatalf("%d %s %s", status, stdout, stderr)
	}
	if err := os.Remove(s.workbook()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", s.workbook()); err != nil {
		t.Fatal(err)
	}
	if run := s.runUntilFailed(path); !strings.Contains(run.Error, "leaves the configured folder") {
		t.Errorf("a block that was written before: %s", run.Error)
	}
}
