package main

import (
	"os"
	"strings"
	"testing"

	"mooring/storage/record/recordtest"
)

// The rows of the page's table, and the rights of which each tells. What cells hold is no operation of its own.
var pageRights = map[string][]recordtest.Right{
	"see its definition, placements, runs, versions; run its query, as oneself": {
		{Operation: "getReport"}, {Operation: "listEdits"}, {Operation: "getRun"}, {Operation: "getVersion"}, {Operation: "showResult"},
	},
	"place it in a document; disconnect a placement; have one refreshed that keeps edits": {
		{Operation: "connectWorkbook", How: recordtest.Anew}, {Operation: "disconnectWorkbook"}, {Operation: "startRun", How: recordtest.ByKeeping},
	},
	"move a placement, change its options, give its edits back, overwrite them, schedule it": {
		{Operation: "connectWorkbook", How: recordtest.Moved},
		{Operation: "connectWorkbook", How: recordtest.Options},
		{Operation: "returnEdits"},
		{Operation: "startRun", How: recordtest.ByWriting},
		{Operation: "createSchedule", How: recordtest.ForOne},
	},
	"have put back what a run changed":                     {{Operation: "restoreChange"}},
	"preview, begin, plan and complete a run by an add-in": {{Operation: "startRun", How: recordtest.ByClient}, {Operation: "previewRefresh"}, {Operation: "planRun"}, {Operation: "completeRun"}},
	"stop a run": {{Operation: "stopRun"}},
	"change, pause, resume or delete a schedule": {
		{Operation: "updateSchedule"}, {Operation: "pauseSchedule"}, {Operation: "resumeSchedule"}, {Operation: "deleteSchedule"},
	},
	"change the report; apply a plan that changes it": {{Operation: "updateReport"}, {Operation: "applyPlan"}},
	"set its access list; delete it":                  {{Operation: "setAccess"}, {Operation: "deleteReport"}},
}

// The table of who may do what is the one that every height is tested by.
func TestThePageSaysWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Who may do what\n")
	section, _, _ = strings.Cut(section, "\n## ")
	seen := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			continue
		}
		rights := pageRights[strings.TrimSpace(cells[0])]
		if len(rights) > 0 {
			seen++
		}
		for _, of := range rights {
			for i, who := range []string{"one who reads all", "an editor", "a manager"} {
				if said, is := strings.TrimSpace(cells[i+1]), onPage(of, who); said != is {
					t.Errorf("%s: the page says %q for %s, the table %q of %s %s", cells[0], said, who, is, of.Operation, of.How)
				}
			}
		}
	}
	if seen != len(pageRights) {
		t.Errorf("%d of %d rows are on the page", seen, len(pageRights))
	}
}

// onPage is what the page says of a right for one of the people: what a person who reads gets of another's, and of their own.
func onPage(of recordtest.Right, who string) string {
	word := "no"
	for _, r := range recordtest.Rights() {
		if r.Operation != of.Operation || r.How != of.How || r.On != recordtest.Report {
			continue
		}
		for _, p := range recordtest.People() {
			switch {
			case p.Name == who && r.Answer(&p) == recordtest.Done:
				return "yes"
			case p.Name == recordtest.Reader && r.Whose == p.Name && r.Answer(&p) == recordtest.Done,
				p.Name == recordtest.Owner && r.Whose == p.Name && r.Takes == recordtest.Asker:
				word = "own"
			}
		}
	}
	return word
}
