package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/web/client"
)

// The committed client is the one that the committed document generates.
func TestGeneratedFromTheDocument(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "client.gen.go")
	generate := exec.CommandContext(t.Context(), "go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", "-o", fresh, "../openapi.json")
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("client.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("web/openapi.json has changed: run go generate ./web/client")
	}
}

func TestBodiesSendWhatIsSet(t *testing.T) {
	for name, tt := range map[string]struct {
		body any
		want string
	}{
		"nothing":            {client.ReportInput{}, `{}`},
		"a value":            {client.ReportInput{Name: client.Set("Sales")}, `{"name":"Sales"}`},
		"the zero value":     {client.ReportInput{Title: client.Set("")}, `{"title":""}`},
		"null clears":        {client.ReportInput{FolderID: client.Null[int64]()}, `{"folderId":null}`},
		"false is not unset": {client.ScheduleInput{Paused: client.Set(false)}, `{"paused":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := json.Marshal(tt.body); string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// Members that the document leaves open come back as they were read.
func TestDashboardsKeepMembersOfOthers(t *testing.T) {
	const sent = `{"kind":"CLASSIC","palette":{"a":1},"widgets":[{"config":{"color":"red"},"id":"w","legend":true,"type":"CHART"}]}`
	var draft client.DashboardDraft
	if err := json.Unmarshal([]byte(sent), &draft); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(draft); string(got) != sent {
		t.Errorf("got %s, %v, want %s", got, err, sent)
	}
}

func TestResponseError(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   client.ResponseError
	}{
		"all faults of a body": {
			status: http.StatusBadRequest,
			body: `{"statusCode":400,"error":"Bad Request","message":"Not a cron.","code":"invalid_cron","retryable":false,` +
				`"details":[{"pointer":"/cron","message":"Not a cron.","code":"invalid_cron"}]}`,
			want: client.ResponseError{
				StatusCode: 400, Message: "Not a cron.", Code: "invalid_cron",
				Details: []client.ErrorDetail{{Pointer: "/cron", Message: "Not a cron.", Code: "invalid_cron"}},
			},
		},
		"when to send it again": {
			status: http.StatusServiceUnavailable, header: map[string]string{"Retry-After": "5", "X-Request-Id": "r1"},
			body: `{"statusCode":503,"message":"Try again.","code":"unavailable","retryable":true}`,
			want: client.ResponseError{
				StatusCode: 503, Message: "Try again.", Code: "unavailable", Retryable: true, RetryAfter: 5 * time.Second, RequestID: "r1",
			},
		},
		"a proxy's page": {
			status: http.StatusBadGateway, body: `<html>`,
			want: client.ResponseError{StatusCode: 502, Message: "Bad Gateway"},
		},
		"JSON of something else": {
			status: http.StatusNotFound, body: `{"statusCode":1}`,
			want: client.ResponseError{StatusCode: 404, Message: "Not Found"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Authorization"); got != "Bearer abc" {
					t.Errorf("Authorization: %q", got)
				}
				for name, value := range tt.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			defer server.Close()
			api, err := client.New(server.URL, "abc")
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Request = "GET /api/v1/tenant/settings"
			_, err = api.GetSettingsWithResponse(t.Context())
			got, ok := errors.AsType[*client.ResponseError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
