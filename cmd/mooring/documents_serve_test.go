package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/record"
)

// runs has the built program run a command against the site's server, and returns its exit status and what it prints.
func (s *site) runs(args ...string) (status int, stdout, stderr string) {
	s.t.Helper()
	var out, err bytes.Buffer
	cmd := exec.CommandContext(s.t.Context(), build(s.t), args...)
	cmd.Env = append(os.Environ(), "MOORING_SERVER="+s.client.base, "MOORING_TOKEN="+s.client.token, "XDG_CONFIG_HOME="+s.dir)
	cmd.Stdout, cmd.Stderr = &out, &err
	ended := cmd.Run()
	if _, failed := errors.AsType[*exec.ExitError](ended); ended != nil && !failed {
		s.t.Fatal(ended)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// documents are the words of the lines that mooring documents writes, by the document's id, without what each was placed for.
func (s *site) documents(args ...string) map[string]string {
	s.t.Helper()
	status, stdout, stderr := s.runs(append([]string{"documents"}, args...)...)
	if status != process.ExitDone || !strings.HasPrefix(stdout, "DEPLOYMENT") {
		s.t.Fatalf("%q: status %d\n%s%s", args, status, stdout, stderr)
	}
	list := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n")[1:] {
		words := strings.Fields(line)
		if words[0] != "1" {
			s.t.Errorf("a line of another deployment: %s", line)
		}
		list[words[1]] = strings.Join(words[2:], " ")
	}
	return list
}

// says has a workbook say which document it is, as the pane does.
func (s *site) says(workbook string, i host.Identity) {
	s.t.Helper()
	name := filepath.Join(s.dir, "sheets", workbook)
	f, err := excelize.OpenFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	err = f.SetDefinedName(&excelize.DefinedName{Name: host.DocumentName, RefersTo: i.Formula()})
	if err := errors.Join(err, f.Save()); err != nil {
		s.t.Fatal(err)
	}
}

// What was placed by the pane is among the documents that no agent reaches until its file is found, and again when it is unlinked.
func TestDocumentsOfAServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const document, nonce = "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "nonce-of-the-document"
	s.copies("plan.xlsx")
	s.says("plan.xlsx", host.Identity{Document: document, Nonce: nonce})
	if list := s.documents(); len(list) != 0 {
		t.Errorf("before there are any: %q", list)
	}
	for id, on := range map[string]placements.Host{"book.xlsx": placements.SheetsB, document: placements.SheetsB, "1AbC": placements.SheetsA} {
		path, _ := s.report("1", "SELECT name, amount FROM t")
		s.place(path, "in-"+id, id, on, "States!C20")
	}
	shows := func(what string, list, want map[string]string) {
		t.Helper()
		if len(list) != len(want) {
			t.Errorf("%s: %q, want %q", what, list, want)
		}
		for id, begins := range want {
			if !strings.HasPrefix(list[id], begins) {
				t.Errorf("%s: %s is %q, want %q", what, id, list[id], begins)
			}
		}
	}
	const reached, pane, google = "linked SHEETS_B - - - -", "not_found SHEETS_B - - - It is not known yet where the workbook is", "not_reached SHEETS_A - - - No agent reaches Google"
	shows("all", s.documents(), map[string]string{"book.xlsx": reached, document: pane, "1AbC": google})
	shows("the lost ones", s.documents("--lost"), map[string]string{document: pane, "1AbC": google})

	link := "/api/v1/external-documents/" + document
	s.must(http.MethodPost, link+"/link", `{"name":"plan.xlsx","nonce":"`+nonce+`"}`)
	s.linked(link)
	shows("the lost ones, when one was found", s.documents("--lost"), map[string]string{"1AbC": google})
	found := s.documents("--deployment", "1")
	delete(found, "book.xlsx")
	delete(found, "1AbC")
	for id, line := range found {
		if len(found) != 1 || !strings.HasPrefix(line, "linked SHEETS_B plan.xlsx") {
			t.Errorf("what was found is shown as %s: %s", id, line)
		}
	}
	if _, stdout, _ := s.runs("documents", "--format", "json"); !strings.Contains(stdout, `"name":"plan.xlsx"`) || strings.Contains(stdout, nonce) {
		t.Errorf("as JSON:\n%s", stdout)
	}
	s.must(http.MethodDelete, link+"/link", "")
	shows("the lost ones, when it was unlinked", s.documents("--lost"), map[string]string{document: "not_found SHEETS_B", "1AbC": google})

	if status, _, stderr := s.runs("documents", "--deployment", "99"); status != process.ExitFailed || !strings.Contains(stderr, "No such deployment") {
		t.Errorf("of a deployment that is not there: status %d, %s", status, stderr)
	}
}

// linked waits until the document at a path is linked.
func (s *site) linked(path string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		var link struct {
			State   record.LinkState
			Message string
		}
		if err := s.client.do(s.t.Context(), http.MethodGet, path, nil, &link); err != nil {
			s.t.Fatal(err)
		}
		if link.State == record.LinkLinked {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the document is %s: %s\n%s", link.State, link.Message, s.server.out)
		}
	}
}
