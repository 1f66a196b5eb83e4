//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/xuri/excelize/v2"

	"mooring/storage/record/recordtest"
)

const salesQuery = "SELECT item FROM sales ORDER BY item"

// connect connects a report with data at B2 of a document, with more keys.
func (r report) connect(as, document, more string) answer {
	r.t.Helper()
	body := fmt.Sprintf(`{"externalWorkbookId":%q,"resultLocation":"Sheet1!B2","host":%q%s}`, document, r.host, more)
	return r.send(as, "PUT", r.path+"/connect-workbook", body)
}

// typeInto types a text into a cell, as a person in the sheet.
func (a *attacker) typeInto(document, cell, text string) {
	a.t.Helper()
	f, err := excelize.OpenFile(a.sheet(document))
	if err != nil {
		a.t.Fatal(err)
	}
	defer f.Close()
	if err := f.SetCellStr("Sheet1", cell, text); err != nil {
		a.t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		a.t.Fatal(err)
	}
}

// takings are the ways to make another person's placement one's own.
func takings(placement string) map[string]string {
	return map[string]string{
		"":                     "",
		" and an end":          `,"endResultCell":"J59"`,
		" and a false digest":  `,"endResultCell":"B40","resultChecksum":` + falseDigest,
		" by its id":           fmt.Sprintf(`,"placementId":%q`, placement),
		" by its id and a end": fmt.Sprintf(`,"placementId":%q,"endResultCell":"C99"`, placement),
	}
}

// afterwards are what can be asked for once it is.
var afterwards = []string{"nothing", "keep", "overwrite", "stop", "edits given back", "an add-in's plan"}

// takePlacements takes the boss's placement over, whose block shows every row, and what the boss has typed.
func (a *attacker) takePlacements() {
	a.renameSheets()
	r := a.newReport(1, salesQuery)
	n := 0
	for how := range takings("") {
		for _, then := range afterwards {
			if n++; !a.whole && n%6 != 0 {
				continue
			}
			document := fmt.Sprintf("taken-%d.xlsx", n)
			a.takeOver(r, document, how, then)
			a.tries(1, "values of a placement that a reader takes over", a.takeLeaks())
		}
	}
}

func (a *attacker) takeOver(r report, document, how, then string) {
	a.t.Helper()
	a.workbook(document, nil)
	placement := r.place(recordtest.Boss, document, "B2")
	r.run(recordtest.Boss, placement, "")
	replaced, kept := a.newSecret("what the boss typed and lost", a.bossOrManager), a.newSecret("what the boss typed", a.bossOrManager)
	defer a.forget(replaced)
	defer a.forget(kept)
	a.typeInto(document, "B4", replaced)
	r.run(recordtest.Boss, placement, `,"onEdit":"overwrite"`)
	a.typeInto(document, "B5", kept)
	r.run(recordtest.Boss, placement, `,"onEdit":"keep"`)
	r.connect(recordtest.Reader, document, takings(placement)[how])
	switch then {
	case "nothing":
	case "edits given back":
		r.send(recordtest.Reader, "DELETE", r.path+"/placements/"+placement+"/edits", `{}`)
		r.run(recordtest.Reader, placement, "")
	case "an add-in's plan":
		r.plan(recordtest.Reader, placement, func() {})
	default:
		r.run(recordtest.Reader, placement, `,"onEdit":"`+then+`"`)
	}
	r.look(recordtest.Reader, placement, document)
}

// bossOrManager reports of people whether they may see what the boss typed into a block of the owner's report.
func (a *attacker) bossOrManager(person string) bool {
	boss := recordtest.Person{Name: recordtest.Boss, ID: 6}
	return a.seesRowsOf(boss)(person)
}

// plan begins a run by an add-in, has something happen, and asks for the plan, a longer lease and the end. It returns the answers.
func (r report) plan(as, placement string, between func()) (answers []answer) {
	r.t.Helper()
	started := r.send(as, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q,"executor":"client"}`, placement))
	if !started.ok() {
		return nil
	}
	between()
	at := fmt.Sprintf("/api/v1/deployments/%d/refreshes/%s", r.deployment, started.get("runId"))
	digest := `{"fence":1,"resultChecksum":` + falseDigest + `}`
	answers = append(r.askPlan(as, at), r.send(as, "POST", at+"/complete", digest), r.send(as, "PUT", at+"/lease", `{"fence":1}`))
	r.send(as, "DELETE", at, "")
	return answers
}

// askPlan asks for the plan of a run by an add-in over empty cells from B2 on, and once more if it needs more of them.
func (r report) askPlan(as, at string) (answers []answer) {
	r.t.Helper()
	plan := func(rows, columns int64) answer {
		cells, _ := json.Marshal(slices.Repeat([][]any{make([]any, columns)}, int(rows)))
		return r.send(as, "POST", at+"/plan", fmt.Sprintf(`{"fence":1,"anchor":"Sheet1!B2","extent":{"rows":%d,"columns":%d},"cells":%s}`, rows, columns, cells))
	}
	first := plan(1, 1)
	answers = []answer{first}
	var asked struct {
		Need struct{ Extent struct{ Rows, Columns int64 } }
	}
	if _ = json.Unmarshal([]byte(first.text), &asked); asked.Need.Extent.Rows > 0 {
		answers = append(answers, plan(asked.Need.Extent.Rows, asked.Need.Extent.Columns))
	}
	return answers
}

// invent has an add-in's run of a placement say that nothing stands there, and that it has written what it was to write.
func (r report) invent(as, placement, anchor string) (planned answer) {
	r.t.Helper()
	started := r.send(as, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q,"executor":"client"}`, placement))
	if !started.ok() {
		return started
	}
	at := fmt.Sprintf("/api/v1/deployments/%d/refreshes/%s", r.deployment, started.get("runId"))
	cells, _ := json.Marshal(slices.Repeat([][]any{make([]any, 9)}, 99))
	planned = r.send(as, "POST", at+"/plan", fmt.Sprintf(`{"fence":1,"anchor":%q,"extent":{"rows":99,"columns":9},"cells":%s}`, anchor, cells))
	var plan struct{ ResultChecksum json.RawMessage }
	if err := json.Unmarshal([]byte(planned.text), &plan); err != nil || plan.ResultChecksum == nil {
		return planned
	}
	return r.send(as, "POST", at+"/complete", fmt.Sprintf(`{"fence":1,"resultChecksum":%s}`, plan.ResultChecksum))
}

// renameSheets carries a block that an editor placed, and a reader took over, onto the cells of another sheet that begin with its headings.
func (a *attacker) renameSheets() {
	r := a.newReport(1, stockQuery)
	for i, who := range []string{recordtest.Reader, recordtest.Boss, "one who reads all"} {
		for j, policy := range []string{"keep", "overwrite", "stop"} {
			for k, data := range []string{"", `,"addressOnly":true`} {
				document := fmt.Sprintf("renamed-%d-%d-%d.xlsx", i, j, k)
				cells := map[string]string{"B2": "item", "C2": "amount"}
				for row := 3; row < 9; row++ {
					cells[fmt.Sprintf("B%d", row)], cells[fmt.Sprintf("C%d", row)] = fmt.Sprintf("archived %d", row), "kept"
				}
				a.workbook(document, cells)
				a.addSheet(document, "Live")
				connect := func(as, sheet, more string) answer {
					return r.send(as, "PUT", r.path+"/connect-workbook", fmt.Sprintf(
						`{"externalWorkbookId":%q,"resultLocation":"%s!B2","host":%q,"sheetId":"2","placementId":"r-%[1]s"%[4]s}`, document, sheet, r.host, more))
				}
				placement := "r-" + document
				connect(recordtest.Owner, "Live", `,"addressOnly":true`)
				r.run(recordtest.Owner, placement, "")
				connect(who, "Live", "")
				r.run(who, placement, "")
				connect(who, "Sheet1", data)
				r.run(who, placement, `,"onEdit":"`+policy+`"`)
				a.pg.Exec(a.t, "UPDATE stock SET amount = amount + 1")
				r.run(who, placement, `,"onEdit":"`+policy+`"`)
				a.try(1, "cells of a sheet that a reader says was renamed", a.harm(who+", "+policy+data, document, cells))
			}
		}
	}
}

// addSheet gives a workbook one more sheet.
func (a *attacker) addSheet(document, name string) {
	a.t.Helper()
	f, err := excelize.OpenFile(a.sheet(document))
	if err != nil {
		a.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.NewSheet(name); err != nil {
		a.t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		a.t.Fatal(err)
	}
}

// exchangePlacements has the boss take the reader's placement over, or an editor move it, between the begin of the reader's run and its plan.
func (a *attacker) exchangePlacements() {
	r := a.newReport(1, salesQuery)
	moves := map[string]int{}
	for i, who := range []string{recordtest.Boss, recordtest.Owner, "a manager", "an editor", "an administrator"} {
		for j, how := range []string{"at its address", "to another cell", "to another document"} {
			document := fmt.Sprintf("exchanged-%d-%d.xlsx", i, j)
			a.workbook(document, nil)
			a.workbook("other-"+document, nil)
			placement := r.place(recordtest.Reader, document, "B2")
			moved := false
			answers := r.plan(recordtest.Reader, placement, func() {
				body := map[string]string{
					"at its address":      `{"externalWorkbookId":"` + document + `","resultLocation":"Sheet1!B2","host":"SHEETS_B"}`,
					"to another cell":     `{"externalWorkbookId":"` + document + `","resultLocation":"Sheet1!H2","host":"SHEETS_B","placementId":"` + placement + `"}`,
					"to another document": `{"externalWorkbookId":"other-` + document + `","resultLocation":"Sheet1!B2","host":"SHEETS_B","placementId":"` + placement + `"}`,
				}[how]
				moved = r.send(who, "PUT", r.path+"/connect-workbook", body).ok()
			})
			if moved {
				moves[how]++
			}
			faults := a.takeLeaks()
			for _, got := range answers {
				if moved && got.ok() {
					faults = append(faults, fmt.Sprintf("%s %s: the reader goes on: %.300s", who, how, got.text))
				}
			}
			a.tries(3, "an add-in's run whose placement becomes another person's", faults)
		}
	}
	if len(moves) < 3 {
		a.t.Errorf("placements became another person's only so: %v; nothing was tried the other ways", moves)
	}
}
