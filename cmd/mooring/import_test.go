package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/process"
	"mooring/placements"
)

// imports runs mooring import with the built program on a text: from a file, or from stdin when the file is -.
func (s *site) imports(file, text string) (status int, stdout, stderr string) {
	s.t.Helper()
	cmd := exec.Command(build(s.t), "import", file, "--config", s.config, "--tenant", "acme", "--deployment", "1")
	if file == "-" {
		cmd.Stdin = strings.NewReader(text)
	} else {
		writeFile(s.t, file, text)
	}
	var out, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &bad
	_ = cmd.Run() // the status is in ProcessState
	return cmd.ProcessState.ExitCode(), out.String(), bad.String()
}

// placed lists the placements of a report as the server shows them.
func (s *site) placed(path string) []placements.Placement {
	s.t.Helper()
	var r placedReport
	if err := s.client.do(s.t.Context(), http.MethodGet, path, nil, &r); err != nil {
		s.t.Fatal(err)
	}
	return r.Placements
}

func TestImportRecordsTheLinesOfAFileOrNone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	orders, first := s.report("1", "select * from t")
	sales, second := s.report("1", "select * from t")
	s.connect(sales, "book.xlsx", "Taken!B2")
	before := s.placed(sales)

	file := filepath.Join(s.dir, "old.jsonl")
	status, stdout, stderr := s.imports(file, fmt.Sprintf(`{"reportId":%d,"workbookId":"book.xlsx","resultLocation":"Data!B2"}
{"reportId":%d,"workbookId":"book.xlsx","sheetname":1}

not JSON
{"workbookId":"book.xlsx","resultLocation":"Data!C3"}
{"reportId":%[2]d,"workbookId":"book.xlsx","resultLocation":"taken!$B$2"}
{"reportId":4711,"workbookId":"book.xlsx","resultLocation":"B2","placedAt":"yesterday"}
{"reportId":%[1]d,"workbookId":"book.xlsx","resultLocation":"Data!B2","anchor":"B2"}
`, first, second))
	want := strings.ReplaceAll(`mooring: FILE:2: sheetName may not be a number
mooring: FILE:4: not a placement: invalid character 'o' in literal null (expecting 'u')
mooring: FILE:5: it names no report: give it a reportId
mooring: FILE:6: A placement stands at taken!B2 or has the id "" already: leave this one out, or disconnect that.
mooring: FILE:7: It names no spreadsheet, sheet and cell: give it a workbookId, and a sheetName and anchorCell or a resultLocation.
mooring: FILE:7: "yesterday" is no time such as 2026-03-01T12:00:00.000Z.
mooring: FILE:7: Deployment 1 has no report 4711: name one that exists.
mooring: FILE:8: not a placement: unknown field "anchor"
mooring: nothing was imported
`, "FILE", file)
	if diff := cmp.Diff(want, stderr); status != process.ExitFailed || stdout != "" || diff != "" {
		t.Errorf("status %d, %q (-want +got):\n%s", status, stdout, diff)
	}
	if list := s.placed(orders); len(list) != 0 {
		t.Errorf("a broken file recorded %+v", list)
	}
	if diff := cmp.Diff(before, s.placed(sales)); diff != "" {
		t.Errorf("a broken file changed what was there (-want +got):\n%s", diff)
	}

	good := fmt.Sprintf(`{"reportId":%d,"id":"kept","workbookId":"book.xlsx","host":"SHEETS_A","sheetName":"Data","anchorCell":"B2","resultLocation":"Data!B2",`+
		`"placedAt":"2020-01-01T00:00:00.000Z","placedByUserId":3,"syncStatus":"OK","lastRun":{"runId":"r1","state":"SUCCEEDED"}}
{"reportId":%d,"workbookId":"book.xlsx","resultLocation":"'Older data'!$C$3"}`, first, second)
	if status, stdout, stderr := s.imports("-", good); status != process.ExitDone || stdout != "2 placements imported\n" || stderr != "" {
		t.Fatalf("status %d, %q, %q", status, stdout, stderr)
	}
	kept := []placements.Placement{{
		ID: "kept", WorkbookID: "book.xlsx", Host: placements.SheetsA, SheetName: "Data", AnchorCell: "B2", ResultLocation: "Data!B2",
		PlacedAt: "2020-01-01T00:00:00.000Z", PlacedByUserID: 3,
	}}
	if diff := cmp.Diff(kept, s.placed(orders)); diff != "" {
		t.Errorf("the placement (-imported +shown):\n%s", diff)
	}
	if list := s.placed(sales); len(list) != 2 || list[0].ResultLocation != "'Older data'!$C$3" || list[0].Host != placements.SheetsB {
		t.Errorf("the second report has %+v, want the imported one in its host and the one there", list)
	}
	if status, _, stderr := s.imports("-", good); status != process.ExitFailed || strings.Count(stderr, "-:") != 2 {
		t.Errorf("imported again: status %d, %s", status, stderr)
	}
}

func TestImportOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "mooring.yaml")
	writeFile(t, name, minimal)
	for _, tc := range []struct {
		fact, says string
		args       []string
	}{
		{"embedded storage is another process's", "import needs a Redis", []string{name}},
		{"an unknown deployment", "tenant acme with deployment 2", []string{name, "--redis", "redis://127.0.0.1:1", "--deployment", "2"}},
		{"no such file", "no such file", []string{filepath.Join(dir, "gone"), "--redis", "redis://127.0.0.1:1"}},
		{"no Redis there", "redis does not answer", []string{name, "--redis", "redis://127.0.0.1:1"}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			status, _, stderr := mooring(t, append([]string{"import", "--config", name, "--tenant", "acme", "--deployment", "1"}, tc.args...)...)
			if status != process.ExitFailed || !strings.Contains(stderr, tc.says) {
				t.Errorf("status %d, %s, want %q", status, stderr, tc.says)
			}
		})
	}
}
