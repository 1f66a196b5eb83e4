package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/web/request"
)

func TestAnIdIsWrittenInOneWay(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, append(someReport[:1:1], step{
			name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@daily"}`, status: 200,
		}, step{name: "a workbook", method: "POST", path: "/workbooks", body: `{}`, status: 200}))
		for _, id := range []string{"+1", "01", "1.0", "1e0", "%201", "1%20", "-1", "0", "٣", "0x1", "1_0", "18446744073709551617", strings.Repeat("1", 400)} {
			for _, path := range []string{"/reports/ID", "/workbooks/ID", "/refresh-schedules/ID", "/reports/ID/refreshes", "/api/v1/deployments/ID/reports/1"} {
				w := a.send(step{method: "GET", path: strings.Replace(path, "ID", id, 1)})
				if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `"code":"not_found"`) {
					t.Errorf("%s with %.20q: %d %s", path, id, w.Code, truncated(w.Body.String()))
				}
			}
		}
		for _, path := range []string{"/reports/1", "/workbooks/1", "/refresh-schedules/1"} {
			if w := a.send(step{method: "GET", path: path}); w.Code != http.StatusOK {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
		a.run(t, []step{
			{name: "in a filter it is told", method: "GET", path: "/reports?workbookId=01", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a run of a report by another spelling is not found", method: "GET", path: "/reports/01/refreshes/x", status: 404},
		})
	})
}

// HEAD answers wherever GET does, with the same status and headers (decisions.md §1).
func TestHeadAnswersAsGetDoes(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, readBackAssets)
		server := httptest.NewServer(a.sut)
		defer server.Close()
		for _, r := range routes() {
			if r.Method != http.MethodGet || strings.HasSuffix(r.Path, "/events") {
				continue
			}
			path := a.fill(strings.NewReplacer(":deploymentId", "1", ":reportId", "{{report}}", ":workbookId", "{{book}}", ":scheduleId", "{{schedule}}",
				":publicId", "ReadBack0001", ":slug", "read-back", ":externalWorkbookId", "doc", ":runId", "none", ":placementId", "none").Replace(r.Path))
			t.Run(r.Path, func(t *testing.T) {
				get, _ := a.over(t, server, http.MethodGet, path)
				head, body := a.over(t, server, http.MethodHead, path)
				if body != "" || head.StatusCode != get.StatusCode {
					t.Errorf("HEAD %d with %d bytes, GET %d", head.StatusCode, len(body), get.StatusCode)
				}
				for _, name := range []string{"Content-Type", "Etag", "Cache-Control", "Content-Security-Policy"} {
					if diff := cmp.Diff(get.Header.Values(name), head.Header.Values(name)); diff != "" {
						t.Errorf("%s (-GET +HEAD):\n%s", name, diff)
					}
				}
				if length := head.Header.Get("Content-Length"); r.Path != "/metrics" && length != "" && length != get.Header.Get("Content-Length") {
					t.Errorf("Content-Length %s, of GET %s", length, get.Header.Get("Content-Length"))
				}
			})
		}
		t.Run("an event stream gives its headers and ends", func(t *testing.T) {
			head, body := a.over(t, server, http.MethodHead, "/api/v1/deployments/1/events")
			if head.StatusCode != http.StatusOK || head.Header.Get("Content-Type") != "text/event-stream" || body != "" {
				t.Errorf("%d %s %q", head.StatusCode, head.Header, body)
			}
		})
		t.Run("what the client has is 304", func(t *testing.T) {
			a.run(t, []step{
				{name: "a tag", method: "GET", path: "/reports/{{report}}", status: 200, keep: map[string]string{"tag": "ETag"}},
				{name: "again", method: "HEAD", path: "/reports/{{report}}", header: map[string]string{"If-None-Match": "{{tag}}"}, status: 304},
			})
		})
	})
}

// over sends a request of the admin over a connection.
func (a *api) over(t *testing.T, server *httptest.Server, method, path string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.tokens["admin"])
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestAMethodThatAPathDoesNotTakeIs405WithTheOthers(t *testing.T) {
	a := onEmbedded(t)
	for path, want := range map[string][]string{
		"/reports":                             {"GET", "HEAD", "POST"},
		"/reports/1":                           {"DELETE", "GET", "HEAD", "PUT"},
		"/reports/by-public-id/Method000001":   {"GET", "HEAD", "PUT"},
		"/workbooks/by-slug/x":                 {"GET", "HEAD", "PUT"},
		"/reports/1/connect-workbook":          {"DELETE", "PUT"},
		"/workbooks/1/publish":                 {"POST"},
		"/api/v1/tenant/settings":              {"GET", "HEAD", "PUT"},
		"/api/v1/external-documents/x/nothing": nil,
	} {
		w := a.send(step{method: "PATCH", path: path})
		status := http.StatusMethodNotAllowed
		if want == nil {
			status = http.StatusNotFound
		}
		if got := slices.Sorted(slices.Values(strings.FieldsFunc(w.Header().Get("Allow"), func(r rune) bool { return r == ',' || r == ' ' }))); w.Code != status || cmp.Diff(want, got) != "" || !strings.Contains(w.Header().Get("Content-Type"), "json") {
			t.Errorf("%s: %d, Allow %q, want %q", path, w.Code, got, want)
		}
	}
}

// A conflict that passes says when to come back, and one with a run names the run.
func TestConflictsSayHowToGoOn(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, append(someReport[:1:1],
			step{name: "placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"d","resultLocation":"S!A1","addressOnly":true}`, status: 200},
			step{name: "a run", method: "POST", path: "/reports/{{report}}/refreshes", status: 202, keep: map[string]string{"run": "runId"}},
		))
		busy := a.send(step{method: "POST", path: "/reports/{{report}}/refreshes"})
		a.check(t, step{status: 409, holds: `{"code":"run_in_progress","retryable":true,"details":[{"code":"run_in_progress","runId":"{{run}}"}]}`}, busy)
		if busy.Header().Get("Retry-After") == "" {
			t.Error("a retryable conflict has no Retry-After")
		}
		for _, code := range codesIn(t, "../placements", "Code") {
			if code := placements.Code(code); request.Status(code) == http.StatusConflict && request.Retryable(code) && request.RetryAfter(&placements.Error{Code: code}) == 0 {
				t.Errorf("%s has no Retry-After", code)
			}
		}
		if request.RetryAfter(&placements.Error{Code: placements.CodeSlugTaken}) != 0 {
			t.Error("a conflict that stays has a Retry-After")
		}
	})
}
