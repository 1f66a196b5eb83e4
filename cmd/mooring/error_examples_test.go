package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
)

const (
	exampleReports   = "/api/v1/deployments/1/reports"
	exampleWorkbooks = "/api/v1/deployments/1/workbooks"
	exampleSchedules = "/api/v1/deployments/1/refresh-schedules"
	exampleRun       = "/api/v1/deployments/1/refreshes/{runId}" // the latest

	clientRun = `{"executor": "client", "placementId": "c"}`
)

// strictly asks that unknown keys and parameters are refused.
var strictly = map[string]string{"Prefer": "handling=strict"}

// errorExamples lists, for the codes that a client can cause at will, requests of which the last one is answered with the code. All go to
// one server, in this order.
var errorExamples = []struct {
	code     string
	requests []exampleRequest
}{
	{"unauthorized", []exampleRequest{{method: "GET", path: exampleReports + "/1", as: "-"}}},
	{"wrong_tenant", []exampleRequest{{method: "GET", path: exampleReports + "/1", as: "zoe"}}},
	{"wrong_deployment", []exampleRequest{{method: "GET", path: exampleReports + "/1", as: "eve"}}},
	{"csrf_required", []exampleRequest{
		{method: "POST", path: exampleReports, body: `{}`, as: "session", header: map[string]string{"X-Mooring-CSRF": "x"}},
	}},
	{"foreign_origin", []exampleRequest{
		{method: "GET", path: exampleReports, as: "session", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
	}},
	{"bad_signature", []exampleRequest{{method: "POST", path: "/api/v1/hooks/orders-loaded", as: "-", body: `{}`}}},
	{"not_found", []exampleRequest{{method: "GET", path: exampleReports + "/1"}}},
	{"no_route", []exampleRequest{{method: "GET", path: "/api/v2/reports"}}},
	{"method_not_allowed", []exampleRequest{{method: "PATCH", path: exampleReports + "/1"}}},
	{"malformed_json", []exampleRequest{{method: "POST", path: exampleReports, body: `{"name": "Orders"`}}},
	{"invalid_request", []exampleRequest{{method: "POST", path: exampleReports, body: `{"name": 7, "folderId": "x"}`}}},
	{"unknown_key", []exampleRequest{{method: "POST", path: exampleReports, body: `{"nmae": "Orders"}`, header: strictly}}},
	{
		"body_too_deep",
		[]exampleRequest{{method: "POST", path: exampleReports, body: `{"meta":` + strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 65)}},
	},
	{
		"body_too_large",
		[]exampleRequest{{method: "POST", path: exampleReports, body: `{"description":"` + strings.Repeat("x", 16<<20) + `"}`}},
	},
	{
		"unsupported_media_type",
		[]exampleRequest{{method: "POST", path: exampleReports, body: `name=Orders`, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}},
	},
	{"unsupported_content_encoding", []exampleRequest{
		{method: "POST", path: exampleReports, body: "\x1f\x8b", header: map[string]string{"Content-Encoding": "gzip"}},
	}},
	{"invalid_parameter", []exampleRequest{{method: "GET", path: exampleReports + "?first=0"}}},
	{"unknown_parameter", []exampleRequest{{method: "GET", path: exampleReports + "?frist=10", header: strictly}}},
	{"invalid_cursor", []exampleRequest{{method: "GET", path: exampleReports + "?after=x"}}},
	{"invalid_public_id", []exampleRequest{{method: "POST", path: exampleReports, body: `{"publicId": "orders"}`}}},
	{"reserved_public_id", []exampleRequest{{method: "POST", path: exampleReports, body: `{"publicId": "000000abcdef"}`}}},
	{"unknown_workbook", []exampleRequest{{method: "POST", path: exampleReports, body: `{"workbookId": 99}`}}},
	{"invalid_slug", []exampleRequest{{method: "POST", path: exampleWorkbooks, body: `{"slug": "sales 2026"}`}}},
	{"public_id_taken", []exampleRequest{
		{method: "POST", path: exampleReports, body: `{"publicId": "Orders000001", "name": "Orders"}`},
		{method: "POST", path: exampleReports, body: `{"publicId": "Orders000001"}`},
	}},
	{"public_id_fixed", []exampleRequest{{method: "PUT", path: exampleReports + "/1", body: `{"publicId": "Orders000002"}`}}},
	{"forbidden", []exampleRequest{
		{method: "PUT", path: exampleReports + "/1/access", body: `{"rolesWithAccess": [{"id": 7, "actions": ["ReportRead"]}]}`},
		{method: "PUT", path: exampleReports + "/1", body: `{"name": "Mine"}`, as: "rob"},
	}},
	{"version_mismatch", []exampleRequest{{method: "PUT", path: exampleReports + "/1", body: `{"name": "Orders", "expectedVersion": 1}`}}},
	{
		"precondition_failed",
		[]exampleRequest{{method: "PUT", path: exampleReports + "/1", body: `{}`, header: map[string]string{"If-Match": `"1-0"`}}},
	},
	{"ambiguous_legacy_id", []exampleRequest{
		{
			method: "POST", path: exampleReports,
			body: `{"name": "Customers", "sqlQuery": "SELECT DISTINCT customer FROM orders ORDER BY customer"}`,
		},
		{
			method: "POST", path: exampleReports,
			body: `{"name": "Customers", "sqlQuery": "SELECT DISTINCT customer FROM orders ORDER BY customer"}`,
		},
		{method: "GET", path: exampleReports + "/by-public-id/PCyMkU7DvbAN"},
	}},
	{"idempotency_key_reused", []exampleRequest{
		{method: "POST", path: exampleReports, body: `{"name": "A"}`, header: map[string]string{"Idempotency-Key": "k1"}},
		{method: "POST", path: exampleReports, body: `{"name": "B"}`, header: map[string]string{"Idempotency-Key": "k1"}},
	}},
	{
		"invalid_address",
		[]exampleRequest{{method: "PUT", path: exampleReports + "/1/connect-workbook", body: `{"externalWorkbookId": "orders.xlsx", "resultLocation": "Sheet1!B"}`}},
	},
	{
		"document_not_allowed",
		[]exampleRequest{{method: "PUT", path: exampleReports + "/1/connect-workbook", body: `{"externalWorkbookId": "orders.csv", "resultLocation": "Sheet1!B2", "host": "SHEETS_B"}`}},
	},
	{"nothing_to_refresh", []exampleRequest{{method: "POST", path: exampleReports + "/1/refreshes"}}},
	{"invalid_checksum", []exampleRequest{{method: "POST", path: exampleReports + "/1/result", body: `{"have": {"v": 0, "chunks": []}}`}}},
	{"query_failed", []exampleRequest{
		{method: "PUT", path: exampleReports + "/1", body: `{"sqlQuery": "SELECT total FROM orders"}`},
		{method: "POST", path: exampleReports + "/1/result"},
	}},
	{"placement_address_taken", []exampleRequest{
		{
			method: "PUT", path: exampleReports + "/1/connect-workbook",
			body: `{"externalWorkbookId": "orders.xlsx", "resultLocation": "Sheet1!B2", "placementId": "a", "addressOnly": true}`,
		},
		{
			method: "PUT", path: exampleReports + "/1/connect-workbook",
			body: `{"externalWorkbookId": "plan.xlsx", "resultLocation": "Sheet1!B2", "placementId": "b", "addressOnly": true}`,
		},
		{
			method: "PUT", path: exampleReports + "/1/connect-workbook",
			body: `{"externalWorkbookId": "orders.xlsx", "resultLocation": "Sheet1!B2", "placementId": "b", "addressOnly": true}`,
		},
	}},
	{
		"placement_id_taken",
		[]exampleRequest{{method: "PUT", path: exampleReports + "/2/connect-workbook", body: `{"externalWorkbookId": "orders.xlsx", "resultLocation": "Sheet1!H2", "placementId": "a", "addressOnly": true}`}},
	},
	{"not_placer", []exampleRequest{
		{
			method: "PUT", path: exampleReports + "/3/connect-workbook",
			body: `{"externalWorkbookId": "orders.xlsx", "resultLocation": "Sheet1!F2", "placementId": "c", "addressOnly": true}`,
		},
		{method: "POST", path: exampleReports + "/3/refreshes", body: clientRun, as: "rob"},
	}},
	{"digest_mismatch", []exampleRequest{
		{method: "POST", path: exampleReports + "/3/refreshes", body: clientRun},
		{method: "POST", path: exampleRun + "/complete", body: `{"fence": 1, "resultChecksum": {"v": 2, "chunks": []}}`},
	}},
	{"block_conflict", []exampleRequest{
		{method: "POST", path: exampleRun + "/plan", body: `{"fence": 1, "anchor": "Sheet1!F2", "extent": {"rows": 24, "columns": 1}, "cells": [["Mine"]]}`},
	}},
	{"lease_lost", []exampleRequest{{method: "PUT", path: exampleRun + "/lease", body: `{"fence": 1}`}}},
	{
		"run_in_progress",
		[]exampleRequest{{method: "POST", path: exampleReports + "/1/refreshes"}, {method: "POST", path: exampleReports + "/1/refreshes"}},
	},
	{"invalid_cron", []exampleRequest{{method: "POST", path: exampleSchedules, body: `{"cron": "7 o'clock", "target": {"reportId": 1}}`}}},
	{
		"invalid_timezone",
		[]exampleRequest{{method: "POST", path: exampleSchedules, body: `{"cron": "0 7 * * *", "timezone": "Berlin", "target": {"reportId": 1}}`}},
	},
	{
		"target_reports_differ",
		[]exampleRequest{{method: "POST", path: exampleSchedules, body: `{"cron": "@daily", "target": {"reportId": 2, "publicId": "Orders000001"}}`}},
	},
	{"schedule_limit", []exampleRequest{
		{method: "POST", path: exampleSchedules, body: `{"cron": "0 7 * * *", "target": {"reportId": 1}}`},
		{method: "POST", path: exampleSchedules, body: `{"cron": "0 8 * * *", "target": {"reportId": 1}}`},
		{method: "POST", path: exampleSchedules, body: `{"cron": "0 9 * * *", "target": {"reportId": 1}}`},
	}},
	{"count_changed", []exampleRequest{{
		method: "POST", path: "/api/v1/deployments/1/bulk/refreshes", body: `{"action": "retry", "filter": {"state": "SKIPPED"}, "expectedCount": 7}`,
	}}},
	{"report_in_use", []exampleRequest{{method: "DELETE", path: exampleReports + "/1"}}},
	{"slug_taken", []exampleRequest{
		{method: "POST", path: exampleWorkbooks, body: `{"slug": "sales-2026"}`},
		{method: "POST", path: exampleWorkbooks, body: `{"slug": "Sales-2026"}`},
	}},
	{"slug_fixed", []exampleRequest{{method: "PUT", path: exampleWorkbooks + "/1", body: `{"slug": "sales-2027"}`}}},
	{"no_draft", []exampleRequest{{method: "POST", path: exampleWorkbooks + "/1/publish"}}},
	{
		"unknown_report",
		[]exampleRequest{{method: "PUT", path: exampleWorkbooks + "/1/dashboard", body: `{"dashboardDraft": {"widgets": [{"config": {"reportId": 99}}]}}`}},
	},
	{
		"chart_reports_differ",
		[]exampleRequest{{method: "PUT", path: exampleWorkbooks + "/1/dashboard", body: `{"dashboardDraft": {"widgets": [{"config": {"reportId": 2, "reportPublicId": "Orders000001"}}]}}`}},
	},
	{
		"dashboard_drafts_differ",
		[]exampleRequest{{method: "PUT", path: exampleWorkbooks + "/1", body: `{"meta": {"dashboardDraft": {"title": "Sales"}}, "dashboardDraft": {"title": "Orders"}}`}},
	},
	{
		"duplicate_widget_id",
		[]exampleRequest{{method: "PUT", path: exampleWorkbooks + "/1/dashboard", body: `{"dashboardDraft": {"widgets": [{"id": "a"}, {"id": "a"}]}}`}},
	},
}

// A code's example is what a request that causes it is answered with.
func TestExamplesOfErrorsAreTrue(t *testing.T) {
	t.Parallel()
	s := newExampleSite(t, "--agent=false") // a run that was asked for is in progress
	second := "    deployments:\n      2: {source: {kind: sqlite, path: shop.db}}\n"
	s.tokens["eve"] = s.tokenUnder(strings.Replace(exampleConfig, "    deployments:\n", second, 1), "--tenant", "acme", "--deployment", "2")
	s.tokens["zoe"] = s.tokenUnder(strings.ReplaceAll(exampleConfig, "acme", "globex"), "--tenant", "globex")
	s.send(exampleRequest{method: "POST", path: "/api/v1/session", body: `{"token":"` + s.tokens["ana"] + `"}`, as: "-"})
	for _, e := range errorExamples {
		for _, q := range e.requests[:len(e.requests)-1] {
			status, body := s.send(q)
			if status >= http.StatusMultipleChoices {
				t.Errorf("%s: %s %s: %d %s", e.code, q.method, q.path, status, body)
			}
			s.keepRun(body)
		}
		s.playError(e.code, e.requests[len(e.requests)-1])
	}
}

func TestExampleOfTheRateLimitIsTrue(t *testing.T) {
	t.Parallel()
	s := newExampleSite(t)
	writeFile(t, s.config, strings.Replace(exampleConfig, "{schedulesPerUser: 2}", "{requestsPerMinute: 1}", 1))
	s.serve()
	q := exampleRequest{method: "GET", path: "/api/v1/tenant/settings"}
	s.send(q)
	s.playError("rate_limited", q)
}

func TestExampleOfTheMissingSourceIsTrue(t *testing.T) {
	t.Parallel()
	s := newExampleSite(t)
	if err := os.Remove(filepath.Join(s.dir, "shop.db")); err != nil {
		t.Fatal(err)
	}
	s.playError("source_unavailable", exampleRequest{method: "GET", path: "/api/v1/deployments/1/catalog"})
}

func TestExampleOfTheMissingAddressIsTrue(t *testing.T) {
	t.Parallel()
	s := newExampleSite(t)
	writeFile(t, s.config, strings.Replace(exampleConfig, "publicURL", "# publicURL", 1))
	s.serve()
	s.playError("no_public_url", exampleRequest{method: "GET", path: "/addin/manifest.xml"})
}

// tokenUnder is a token made under another configuration, which has the site's key.
func (s *exampleSite) tokenUnder(config string, flags ...string) string {
	s.t.Helper()
	file := filepath.Join(s.dir, "other.yaml")
	writeFile(s.t, file, config)
	status, token, stderr := mooring(s.t, append([]string{"key", "create", "--config", file, "--user", "9", "--action", "All"}, flags...)...)
	if status != process.ExitDone {
		s.t.Fatalf("key create: %s", stderr)
	}
	return strings.TrimSpace(token)
}

// playError sends a request and compares its answer with the example of the code.
func (s *exampleSite) playError(code string, q exampleRequest) {
	s.t.Helper()
	status, got := s.send(q)
	examples := s.doc.Components.Responses[fmt.Sprintf("E%d", status)].Content["application/json"].Examples
	if want, ok := examples[code]; !ok || !sameExample(want.Value, got) {
		s.t.Errorf("code %s: %s %s: %d, among the examples of it: %v\ngot %s", code, q.method, q.path, status,
			slices.Sorted(maps.Keys(examples)), got)
	}
}
