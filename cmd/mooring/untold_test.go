//go:build unix

package main

import (
	"net/http"
	"strings"
	"testing"
)

// With row-level security neither a run, nor an answer, nor the log quotes a row in an error, whoever reads it.
func TestAnErrorQuotesNoRowOfAnotherPerson(t *testing.T) {
	t.Parallel()
	s := newSecuredSite(t)
	viewer := s.as("--user", "3", "--action", "ReportEdit")
	reader := s.as("--user", "4", "--action", "ReportRead")
	for _, query := range []string{
		"SELECT (SELECT string_agg(item, ',') FROM sales)::regclass",
		"SELECT item::integer FROM sales",
		"SELECT query_to_xml('SELECT ' || item, true, true, '') FROM sales",
		"DO $$ BEGIN RAISE EXCEPTION '%', (SELECT string_agg(item, ',') FROM sales); END $$",
		"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '57014', MESSAGE = (SELECT string_agg(item, ',') FROM sales); END $$",
	} {
		path, id := viewer.report("1", query)
		viewer.connect(path, "viewer.xlsx", "Sheet1!A1")
		var schedule struct{ ID int64 }
		body := map[string]any{"target": map[string]any{"reportId": id}, "cron": "@yearly"}
		if err := viewer.client.do(t.Context(), http.MethodPost, "/api/v1/deployments/1/refresh-schedules", body, &schedule); err != nil {
			t.Fatal(err)
		}
		run := viewer.ended(schedule.ID)
		if run.State != "FAILED" || strings.Contains(encoded(t, run), "rope") {
			t.Errorf("%s: the run is %s: %s", query, run.State, encoded(t, run))
		}
		_, shown := reader.send(http.MethodGet, path, "")
		status, result := viewer.send(http.MethodPost, path+"/result", "{}")
		if status != http.StatusUnprocessableEntity || strings.Contains(shown+result, "rope") || !strings.Contains(result, "query_failed") {
			t.Errorf("%s: %d %s\n%s", query, status, result, shown)
		}
		if _, answer := viewer.send(http.MethodDelete, path+"?force=true", ""); strings.Contains(answer, "statusCode") {
			t.Error(answer)
		}
	}
	path, _ := viewer.report("1", "SELECT itm FROM sales")
	if _, result := viewer.send(http.MethodPost, path+"/result", "{}"); !strings.Contains(result, `column \"itm\" does not exist`) {
		t.Errorf("a fault of the query's text is not told: %s", result)
	}
	if log := s.server.out.String(); strings.Contains(log, "rope") {
		t.Errorf("the log quotes a row:\n%s", log)
	}
}
