package ascode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/yaml"
	"mooring/placements"
	"mooring/storage/record/portable"
)

// planned is a plan with everything that a plan may say.
func planned(t *testing.T) *ascode.Review {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ascode.ParsePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// found is what validating finds, with hostile words, and a warning.
func found() ascode.Findings {
	at := yaml.Place{File: "schedules/a.yaml", Line: 2, Column: 1}
	return ascode.Findings{
		Faults:   hostile(),
		Warnings: ascode.Faults{{Place: at, Rule: ascode.RuleDuplicate, Message: "is a twin"}},
	}
}

// hostile is a fault whose words try to steer a terminal, a workflow and a reader.
func hostile() ascode.Faults {
	at := yaml.Place{File: "reports/a,b:c%\x1b[31m.yaml", Line: 3, Column: 7}
	return ascode.Faults{
		{Place: at, Rule: yaml.RuleValue, Message: "says\n::error::\x1b]0;title\a \u202egnp"},
		{Place: yaml.Place{File: "project.yaml"}, Rule: ascode.RuleFile, Message: "is missing"},
	}
}

func TestPlanIsShown(t *testing.T) {
	p, f := planned(t), readFolder(t, folder(t, finance()), "prod")
	p.Locate(f)
	text, err := p.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"plan.txt": p.Text(false), "plan-colour.txt": p.Text(true), "plan.md": p.Markdown(), "plan.github": p.GitHub(f, "finance"),
		"plan.json": string(text) + "\n",
	} {
		golden(t, name, got)
	}
}

func TestPulledIsShown(t *testing.T) {
	dir := folder(t, finance())
	remotes := applied(t, readFolder(t, dir, ""))
	remotes[0].Definition["name"] = "Costs\x1b[2J"
	remotes[1].Definition["sqlQuery"], remotes[1].Applied["sqlQuery"] = "select 1\nfrom t\n", "old"
	remotes[5].Deleted = &portable.Deletion{By: "bob@example.com"}
	got := readFolder(t, dir, "").Pull(remotes, ascode.Undecided)
	golden(t, "pulled.txt", got.Text(false))
}

func TestNothingFromOutsideSteersATerminal(t *testing.T) {
	p := planned(t)
	for i := range p.Assets {
		p.Assets[i].Ref += "\x1b[2J\r\u202e"
		p.Assets[i].Message += "\x1b]0;x\a"
		for j := range p.Assets[i].Changes {
			p.Assets[i].Changes[j].After = "\x1b[31m\n" + strings.Repeat("long\x9b ", 30)
		}
	}
	f := readFolder(t, folder(t, finance()), "prod")
	for name, got := range map[string]string{
		"text": p.Text(false), "markdown": p.Markdown(), "github": p.GitHub(f, ""), "faults": hostile().Error(),
		"annotations": found().GitHub(""),
	} {
		if i := strings.IndexAny(got, "\x1b\a\r\u009b\u202e"); i >= 0 {
			t.Errorf("%s has %q", name, got[i:min(len(got), i+20)])
		}
	}
	if got := found().GitHub(""); !strings.Contains(got, `says%0A::error::\u001b`) {
		t.Errorf("a message that begins no line is not shown as it is: %s", got)
	}
	if got := strings.Count(found().GitHub(""), "\n"); got != 3 {
		t.Errorf("%d lines, want one a fault", got)
	}
}

func TestMarkdownKeepsNamesOutOfItsMarkup(t *testing.T) {
	p := &portable.ApplyPlan{Project: "x", Assets: []portable.PlannedAsset{{
		Kind: portable.KindPlacement, Ref: "</code><img src=x>`@everyone`", Action: portable.ActionUpdate,
		Changes: []portable.MemberChange{{Pointer: "/`a`", Before: "x", After: "```\n# title\n" + strings.Repeat("y", 99)}},
	}}}
	got := (&ascode.Review{ApplyPlan: p}).Markdown()
	if strings.Contains(got, "<img") || !strings.Contains(got, "````diff\n") || !strings.Contains(got, "`` /`a` ``") {
		t.Errorf("got %s", got)
	}
}

func TestMarkdownFitsIntoAComment(t *testing.T) {
	p := &portable.ApplyPlan{Project: "x"}
	for range 2_000 {
		p.Assets = append(p.Assets, portable.PlannedAsset{Kind: portable.KindReport, Ref: "RevByRegion1", Action: portable.ActionCreate})
	}
	got := (&ascode.Review{ApplyPlan: p}).Markdown()
	if len(got) > 65_536 || !strings.Contains(got, "more assets are left out here: see `mooring plan`.") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestOutputsAreOfTheirSchemas(t *testing.T) {
	plan, err := planned(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	faults, err := found().JSON()
	if err != nil {
		t.Fatal(err)
	}
	sarif, err := found().SARIF("a b")
	if err != nil {
		t.Fatal(err)
	}
	none, err := ascode.Findings{}.SARIF("")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		schema string
		output []byte
	}{{"plan.schema.json", plan}, {"faults.schema.json", faults}, {"sarif.schema.json", sarif}, {"sarif.schema.json", none}} {
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(tt.output, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v\n%s", tt.schema, err, tt.output)
		}
	}
	golden(t, "faults.sarif", string(sarif)+"\n")
}

func TestPlanFaultsStandInTheFiles(t *testing.T) {
	got := planned(t).Faults(readFolder(t, folder(t, finance()), "prod")).Error()
	const want = `reports/revenue.sql:2:7: report:RevByRegion1: column "amount" does not exist` + "\n" +
		"workbooks/board.yaml:1:7: workbook:board: is managed by the project sales: " +
		"take it out here, or take it over with --take-over workbook:board"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestServerFaultsStandInTheFiles(t *testing.T) {
	f := readFolder(t, folder(t, finance()), "prod")
	got := f.ServerFaults([]placements.Detail{
		{Pointer: "/assets/5/definition/cron/0", Message: "is too often"},
		{Pointer: "/assets/2/definition/dashboard/widgets/0", Message: "Two widgets overlap."},
	})
	const want = "schedules/weekdays.yaml:2:7: cron is too often\nworkbooks/board.yaml:6:7: Two widgets overlap."
	if got.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", got.Error(), want)
	}
}
