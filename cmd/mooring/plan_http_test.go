package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/web/client"
)

const httpBundle = `{"project":"finance","assets":[
	{"kind":"report","ref":"Planned00001","definition":{"name":"Planned","sqlQuery":"SELECT name, amount FROM t"}},
	{"kind":"workbook","ref":"board","definition":{"dashboard":{"widgets":[{"id":"w","type":"CHART","config":{"reportPublicId":"Planned00001"}}]}}},
	{"kind":"placement","ref":"book.xlsx/Summary!K2","definition":{"report":"Planned00001","host":"SHEETS_B","document":"book.xlsx","sheet":"Summary","anchor":"K2"}},
	{"kind":"schedule","ref":"yearly","definition":{"cron":["@yearly"],"target":{"publicId":"Planned00001","document":"book.xlsx","address":"Summary!K2"}}}]}`

// planOverHTTP sends a bundle to a deployment by the generated client.
func planOverHTTP(t *testing.T, api *client.ClientWithResponses, deployment int64, bundle string) (*client.Plan, error) {
	t.Helper()
	answer, err := api.CreatePlanWithBodyWithResponse(t.Context(), deployment, nil, "application/json", strings.NewReader(bundle))
	if err != nil {
		return nil, err
	}
	return answer.JSON200, nil
}

// A bundle is planned, applied and planned again by the built program, over a real Redis and a real workbook.
func TestPlansFromOutside(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	api, err := client.New(s.client.base, s.client.token)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planOverHTTP(t, api, 1, httpBundle)
	if err != nil || plan.Summary.Create != 4 {
		t.Fatalf("%+v, %v", plan, err)
	}
	applied, err := api.ApplyPlanWithResponse(t.Context(), 1, plan.ID)
	if err != nil || len(applied.JSON200.Assets) != 4 {
		t.Fatalf("%+v, %v", applied, err)
	}
	if again, err := planOverHTTP(t, api, 1, httpBundle); err != nil || again.Summary.Unchanged != 4 {
		t.Fatalf("%+v, %v", again, err)
	}
	managed, err := api.ListManagedWithResponse(t.Context(), 1, &client.ListManagedParams{Project: "finance"})
	if err != nil || len(managed.JSON200.Items) != 4 || managed.JSON200.Items[0].ManagedBy.Revision != 1 {
		t.Fatalf("%+v, %v", managed, err)
	}

	report, err := api.GetReportByPublicIDWithResponse(t.Context(), 1, "Planned00001", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.refresh(t.Context(), fmt.Sprintf("%s/%d", exampleReports, report.JSON200.ID)); err != nil {
		t.Fatal(err)
	}
	s.typeFormula("A60", "SUM(L3:L5)")
	changed, err := planOverHTTP(t, api, 1, strings.Replace(httpBundle, "name, amount FROM", "name, amount * 2 AS double FROM", 1))
	if err != nil {
		t.Fatal(err)
	}
	columns := changed.Assets[0].Columns
	if columns == nil || cmp.Diff([]string{"double"}, columns.Appear) != "" || len(columns.Vanish) != 1 || columns.Vanish[0].Name != "amount" {
		t.Fatalf("columns %+v", columns)
	}
	if diff := cmp.Diff([]string{"book.xlsx/Summary!A60"}, columns.Vanish[0].Formulas); diff != "" {
		t.Errorf("formulas (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"book.xlsx"}, changed.Assets[0].Documents); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}

	broken, err := planOverHTTP(t, api, 1, strings.Replace(httpBundle, "FROM t", "FORM t u", 1))
	if err != nil || broken.Assets[0].Error == nil || *broken.Assets[0].Error.Line != 1 {
		t.Fatalf("%+v, %v", broken, err)
	}
	_, err = api.ApplyPlanWithResponse(t.Context(), 1, broken.ID)
	if refused, ok := errors.AsType[*client.ResponseError](err); !ok || refused.Code != "plan_has_conflicts" || refused.Details[0].Pointer != "/assets/0" {
		t.Errorf("a plan with an error was applied: %v", err)
	}
}

// typeFormula writes a formula into the site's workbook, as a person would.
func (s *site) typeFormula(at, formula string) {
	s.t.Helper()
	f, err := excelize.OpenFile(s.workbook())
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if err := errors.Join(f.SetCellFormula("Summary", at, formula), f.Save()); err != nil {
		s.t.Fatal(err)
	}
}
