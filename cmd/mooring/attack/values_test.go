//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mooring/storage/record/recordtest"
)

// tellValues has a person place reports that take a value from a cell of theirs, with queries whose errors quote it, and others look at what
// came of it: who the query is for and who may manage the report are shown the value by its runs, and no other user.
func (a *attacker) tellValues() {
	a.tries(5, "values of parameters that rows were found with", a.told(len(quoting), "SELECT item, amount FROM stock WHERE item <> @told ORDER BY item"))
	for i, expression := range quoting {
		if !a.whole && i%6 != 0 {
			continue
		}
		query := "SELECT " + strings.ReplaceAll(strings.ReplaceAll(expression, "%%", "%"), "%s", "@told") + " AS told"
		a.tries(5, "errors that quote values of parameters", a.told(i, query))
	}
}

// told plays one attack, and says what it has shown to whom.
func (a *attacker) told(n int, query string) []string {
	a.t.Helper()
	value := a.newSecret("a cell of the boss", a.seesValuesOf(recordtest.Boss))
	r := a.newReport(1, "SELECT 1 AS told")
	document := fmt.Sprintf("valued-%d.xlsx", n)
	a.workbook(document, map[string]string{"K1": value})
	body, _ := json.Marshal(map[string]any{
		"sqlQuery": query, "parameters": []any{map[string]any{"name": "told", "type": "text", "fromCells": true}},
	})
	a.must(recordtest.Owner, "PUT", r.path, string(body))
	placement := r.place(recordtest.Boss, document, "B2", `"parameters":{"told":{"cell":"Sheet1!K1"}}`)
	if run := r.run(recordtest.Boss, placement, ""); !strings.Contains(run, value) {
		a.t.Errorf("%s: the run does not show the person whose cell it is what that holds: %s", query, run)
	}
	for _, who := range []string{recordtest.Boss, recordtest.Owner, "an editor", recordtest.Reader, "one who reads all", recordtest.Admin} {
		r.look(who, placement, document)
	}
	a.must(recordtest.Owner, "DELETE", r.path+"?force=true", "") // what it shows is not shown beside the next one
	return a.takeLeaks()
}

// seesValuesOf reports of people whether they may see the values with which a person's blocks were queried.
func (a *attacker) seesValuesOf(whose string) func(string) bool {
	all := append(recordtest.People(), recordtest.Makers()...)
	of := slices.IndexFunc(all, func(p recordtest.Person) bool { return p.Name == whose })
	return func(person string) bool {
		return slices.ContainsFunc(all, func(p recordtest.Person) bool {
			return p.Name == person && (p.ID == all[of].ID || max(p.Level(recordtest.Report), p.Level(recordtest.Hidden)) >= manages)
		})
	}
}
