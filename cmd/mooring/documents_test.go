package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
)

// documents lists pages of two deployments, and only what no agent reaches if that is asked for.
func TestDocumentsAreListed(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	const counts = `"placements": {"total": 1, "upToDate": 1, "changed": 0, "unknown": 0, "refreshing": 0, "failed": 0, "conflict": 0, "edited": 0, "waiting": 0}`
	const lost = `{"externalWorkbookId": "0f8f", "host": "SHEETS_B", "status": "UNKNOWN", ` + counts + `,
		"link": {"id": "0f8f", "state": "not_saved", "name": "a\tb\u001b[31m.xlsx", "message": "Save it to a place that Mooring reaches."}}`
	answers := map[string]string{
		"/api/v1/me": `{"tenant": "acme", "user": {"id": 1, "email": "", "name": ""}, "actions": [], "expiresAt": "2026-11-24T00:00:00Z",
			"deployments": [{"id": 2, "actions": []}, {"id": 1, "actions": []}]}`,
		"/api/v1/deployments/1/documents?include=link": `{"items": [{"externalWorkbookId": "01AB", "host": "SHEETS_B", "status": "UP_TO_DATE", ` + counts + `,
			"link": {"id": "01AB", "state": "linked", "host": "finance", "name": "plan.xlsx", "webUrl": "https://contoso.sharepoint.com/plan.xlsx",
				"since": "2026-11-20T08:00:00Z", "message": "Agents refresh this workbook too."}}], "pageInfo": {"hasNextPage": true, "endCursor": "c"}}`,
		"/api/v1/deployments/1/documents?include=link&after=c":    `{"items": [` + lost + `], "pageInfo": {"hasNextPage": false}}`,
		"/api/v1/deployments/1/documents?reach=lost&include=link": `{"items": [` + lost + `], "pageInfo": {"hasNextPage": false}}`,
		"/api/v1/deployments/2/documents?include=link": `{"items": [{"externalWorkbookId": "x", "host": "SHEETS_A", "status": "UP_TO_DATE", ` + counts + `}],
			"pageInfo": {"hasNextPage": false}}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if answers[r.URL.String()] == "" {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte(answers[r.URL.String()]))
	}))
	defer server.Close()
	for _, tt := range []struct {
		args   []string
		status int
		lines  int
		says   []string
	}{
		{status: process.ExitDone, lines: 4, says: []string{"linked", "finance", "https://contoso.sharepoint.com/plan.xlsx", "2026-11-20T08:00:00Z", "2           x", "Save it to a place"}},
		{args: []string{"--lost", "--deployment", "1"}, status: process.ExitDone, lines: 2, says: []string{"not_saved"}},
		{args: []string{"--deployment", "1", "--format", "json"}, status: process.ExitDone, lines: 2, says: []string{`{"deploymentId":1,"externalWorkbookId":"01AB"`}},
		{args: []string{"--deployment", "3"}, status: process.ExitDenied},
		{args: []string{"--format", "xml"}, status: process.ExitUsage},
	} {
		var out, err bytes.Buffer
		status := run(t.Context(), append([]string{"documents"}, tt.args...), nil, &out, &err, environment("MOORING_SERVER", server.URL, "MOORING_TOKEN", "t"))
		if status != tt.status || strings.Count(out.String(), "\n") != tt.lines || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%q: %d\n%s%s", tt.args, status, out.String(), err.String())
		}
		for _, said := range tt.says {
			if !strings.Contains(out.String(), said) {
				t.Errorf("%q does not say %q:\n%s", tt.args, said, out.String())
			}
		}
	}
}
