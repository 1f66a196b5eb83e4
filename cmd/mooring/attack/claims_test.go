//go:build unix

package attack

import (
	"fmt"
	"maps"

	"mooring/storage/record/recordtest"
)

// foreign are cells of somebody else in a workbook, beside the four rows from B2 on that are free for the stock's table.
type foreign struct {
	what, columns string
	from, to      int
	end           string // the last of them
}

var foreigns = []foreign{
	{"a table to the right and below", "CDEFGHIJ", 6, 59, "J59"},
	{"notes below", "B", 6, 19, "B19"},
	{"notes below and beside", "BC", 6, 19, "C19"},
}

const (
	falseDigest = `{"v":2,"chunks":[{"from":0,"to":58,"hash":"00000000000000000000000000000000"}]}`
	stockQuery  = "SELECT item, amount FROM stock ORDER BY item"
)

// claim is a way to say something of a block that is not so.
type claim struct {
	what, method, path string
	body               string // beside the address
}

// claims are all that a caller can say of where a block ends and of what it holds.
func claims(ends ...string) (list []claim) {
	for _, digest := range []struct{ name, body string }{
		{"a false digest", `,"resultChecksum":` + falseDigest}, {"no digest", ""}, {"an empty digest", `,"resultChecksum":{"v":2,"chunks":[]}`},
	} {
		for _, end := range ends {
			body := `,"endResultCell":"` + end + `"` + digest.body
			list = append(list,
				claim{"a connect with data to " + end + " and " + digest.name, "PUT", "/connect-workbook", body},
				claim{"a stamp to " + end + " and " + digest.name, "PUT", "/refresh", body},
				claim{"a connect without data to " + end + " and " + digest.name, "PUT", "/connect-workbook", `,"addressOnly":true` + body},
			)
		}
	}
	return list
}

// The state in which a claim comes.
var histories = []string{"never written", "written", "written and disconnected"}

// claimCells attacks the cells of workbooks by what a reader claims of a block.
func (a *attacker) claimCells() {
	a.inventRuns()
	n := 0
	for _, of := range []struct {
		deployment int
		who        string
	}{{1, recordtest.Reader}, {2, recordtest.Reader}, {3, "an administrator of another deployment"}} {
		r := a.newReport(of.deployment, stockQuery)
		for _, cells := range foreigns {
			for _, history := range histories {
				for _, c := range claims(cells.end, "J59") {
					for _, policy := range []string{"keep", "overwrite", "stop"} {
						n++
						if a.whole || n%31 == 0 {
							a.try(1, "cells that are claimed for a block", a.claim(r, of.who, n, cells, history, c, policy))
						}
					}
				}
			}
		}
	}
}

// inventRuns attacks cells that look like the report's by an add-in's run that reads and writes nothing, after which an agent is asked for one.
func (a *attacker) inventRuns() {
	for _, deployment := range []int{1, 2} {
		r := a.newReport(deployment, stockQuery)
		for i, policy := range []string{"keep", "overwrite", "stop"} {
			for j, then := range []string{"", `,"endResultCell":"C9"`} {
				document := fmt.Sprintf("invented-%d-%d-%d.xlsx", deployment, i, j)
				cells := map[string]string{"B2": "item", "C2": "amount"}
				for row, item := range []string{"anchor", "buoy", "chain", "tally", "total"} {
					cells[fmt.Sprintf("B%d", row+3)], cells[fmt.Sprintf("C%d", row+3)] = item, "as of then"
				}
				a.workbook(document, cells)
				placement := r.place(recordtest.Reader, document, "B2")
				r.invent(recordtest.Reader, placement, "Sheet1!B2")
				if then != "" {
					r.connect(recordtest.Reader, document, then)
				}
				a.pg.Exec(a.t, "UPDATE stock SET amount = amount + 1")
				r.run(recordtest.Reader, placement, `,"onEdit":"`+policy+`"`)
				r.look(recordtest.Reader, placement, document)
				a.try(1, "cells that a client run is said to have written", a.harm(policy+then, document, cells))
			}
		}
	}
}

// make makes a workbook with the cells, and returns the text in all of them and the cells.
func (f foreign) make(a *attacker, document string) (text string, cells map[string]string) {
	text = a.newSecret("cells of "+document, nobody)
	cells = map[string]string{}
	for row := f.from; row <= f.to; row++ {
		for _, column := range f.columns {
			cell := fmt.Sprintf("%c%d", column, row)
			cells[cell] = text + " " + cell
		}
	}
	a.workbook(document, cells)
	return text, cells
}

// claim plays one attack, and says how it fell.
func (a *attacker) claim(r report, who string, n int, of foreign, history string, c claim, policy string) string {
	a.t.Helper()
	document := fmt.Sprintf("payroll-%d.xlsx", n)
	text, cells := of.make(a, document)
	defer a.forget(text)
	placement := r.place(who, document, "B2")
	if history != histories[0] {
		r.run(who, placement, "")
	}
	if history == histories[2] {
		r.send(who, "DELETE", r.path+"/connect-workbook", fmt.Sprintf(`{"placementId":%q}`, placement))
	}
	body := fmt.Sprintf(`{"externalWorkbookId":%q,"resultLocation":"Sheet1!B2","host":%q,"placementId":%q%s}`, document, r.host, placement, c.body)
	if c.path == "/refresh" {
		body = fmt.Sprintf(`{"placementId":%q%s}`, placement, c.body)
	}
	r.send(who, c.method, r.path+c.path, body)
	r.run(who, placement, `,"onEdit":"`+policy+`"`)
	r.look(who, placement, document)
	r.run(who, placement, "")
	r.look(who, placement, document)
	return a.harm(fmt.Sprintf("deployment %d, %s, %s, %s, %s", r.deployment, of.what, history, c.what, policy), document, cells)
}

// harm says what an attack has shown, moved or emptied.
func (a *attacker) harm(what, document string, cells map[string]string) string {
	a.t.Helper()
	leaked, stand := a.takeLeaks(), a.cells(document)
	touched := 0
	for cell, text := range maps.All(cells) {
		if stand[cell] != text {
			touched++
		}
	}
	if len(leaked) == 0 && touched == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d cells gone or changed, %d answers with values of theirs (%.300q)", what, touched, len(cells), len(leaked), leaked)
}
