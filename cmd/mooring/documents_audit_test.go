package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/record"
)

// links are the entries of the account's audit about documents, the earliest first, as who, from where, what and which file.
func (s *site) links() (list []string) {
	s.t.Helper()
	var page struct {
		Items []struct {
			At, From, Token, Action string
			User                    *record.User
			Asset                   struct{ Kind, Name string }
		}
	}
	if err := s.client.do(s.t.Context(), http.MethodGet, "/api/v1/audit", nil, &page); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range page.Items {
		if e.Asset.Kind == "document" {
			who, token := "nobody", ""
			if e.User != nil {
				who, token = fmt.Sprintf("%d %s", e.User.ID, e.User.Email), " with a token"
			}
			if (e.Token != "") != (token != "") || e.At == "" {
				s.t.Errorf("an entry at %q with the token %q", e.At, e.Token)
			}
			list = append([]string{who + token + " from " + e.From + ": " + e.Action + " " + e.Asset.Name}, list...)
		}
	}
	return list
}

// Who had a document linked or unlinked it is in the account's audit, once each, for those only who may do everything in it.
func TestAuditOfLinks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const document, nonce = "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "nonce-of-the-document"
	s.copies("plan.xlsx")
	s.says("plan.xlsx", host.Identity{Document: document, Nonce: nonce})
	ana := s.as("--user", "5", "--email", "ana@acme.example", "--action", "ReportEdit")
	path, _ := ana.report("1", "SELECT name, amount FROM t")
	ana.place(path, "pane", document, placements.SheetsB, "States!C20")
	link := "/api/v1/external-documents/" + document
	const ask = `{"name":"plan.xlsx","nonce":"` + nonce + `"`
	for range 2 {
		ana.must(http.MethodPost, link+"/link", ask+"}")
		ana.linked(link)
	}
	for range 2 {
		s.must(http.MethodDelete, link+"/link", "")
	}
	ana.must(http.MethodPost, link+"/link", ask+`,"again":true}`)
	ana.linked(link)

	book, _ := ana.report("1", "SELECT name, amount FROM t")
	ana.place(book, "agents", "book.xlsx", placements.SheetsB, "States!C20")
	for range 2 {
		if run, _ := ana.refreshes(book, `{"externalWorkbookId":"book.xlsx"}`); run.State != placements.RunSucceeded {
			t.Fatalf("the run is %s: %s", run.State, run.Error)
		}
	}
	want := []string{
		"5 ana@acme.example with a token from 127.0.0.1: document.link plan.xlsx (SHEETS_B)",
		"7  with a token from 127.0.0.1: document.unlink plan.xlsx (SHEETS_B)",
		"5 ana@acme.example with a token from 127.0.0.1: document.link plan.xlsx (SHEETS_B)",
		"nobody from agent: document.link book.xlsx (SHEETS_B)",
	}
	if got := s.links(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the audit has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if one := s.must(http.MethodGet, "/api/v1/audit?asset=document:"+document, ""); strings.Count(one, `"action"`) != 3 || strings.Contains(one, nonce) {
		t.Errorf("of the document: %s", one)
	}

	// Others, and audits that others may read, tell nothing of it.
	ana.asked("an editor", http.StatusForbidden, http.MethodGet, "/api/v1/audit", "")
	some := s.as("--user", "6", "--action", "All", "--deployment", "1")
	some.asked("the administrator of a deployment", http.StatusForbidden, http.MethodGet, "/api/v1/audit?asset=document:"+document, "")
	if entries := some.must(http.MethodGet, "/api/v1/deployments/1/audit", ""); strings.Contains(entries, "document.") || strings.Contains(entries, "plan.xlsx") {
		t.Errorf("the deployment's audit: %s", entries)
	}
}
