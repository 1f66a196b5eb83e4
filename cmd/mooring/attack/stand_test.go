//go:build unix

package attack

import (
	"fmt"

	"mooring/storage/record/recordtest"
)

// standIn attacks the owner's block by placements of another report that readers put into it: by a client run that writes nothing, and by a
// sheet that is said to be renamed.
func (a *attacker) standIn() {
	r, other := a.newReport(1, "SELECT item, amount FROM stock WHERE item <> 'drum' ORDER BY item"), a.newReport(1, stockQuery)
	for i, who := range []string{recordtest.Reader, recordtest.Boss, "one who reads all"} {
		for j, how := range []string{"a client run that writes nothing", "a sheet that is not renamed"} {
			document := fmt.Sprintf("stood-in-%d-%d.xlsx", i, j)
			a.workbook(document, nil)
			placement := r.place(recordtest.Owner+" at work", document, "B2")
			r.run(recordtest.Owner, placement, "")
			switch how {
			case "a client run that writes nothing":
				other.invent(who, other.place(who, document, "B3"), "Sheet1!B3")
			default:
				at := fmt.Sprintf(`{"externalWorkbookId":%q,"host":%q,"placementId":"s-%s","sheetId":"7","resultLocation":`, document, r.host, document)
				a.must(recordtest.Owner, "PUT", other.path+"/connect-workbook", at+`"Elsewhere!B3","addressOnly":true}`)
				a.send(who, "PUT", other.path+"/connect-workbook", at+`"Elsewhere!B3"}`)
				a.send(who, "PUT", other.path+"/connect-workbook", at+`"Sheet1!B3"}`)
			}
			a.pg.Exec(a.t, "UPDATE stock SET amount = amount + 1")
			amount := a.pg.Exec(a.t, "SELECT amount FROM stock WHERE item = 'anchor'")[0][0]
			run, fault := r.run(recordtest.Owner, placement, ""), ""
			if stand := a.cells(document); stand["C3"] != amount {
				fault = fmt.Sprintf("%s by %s: C3 is %q, the source says %s: %.400s", how, who, stand["C3"], amount, run)
			}
			a.try(2, "a block in which a reader's placement stands", fault)
		}
	}
}

// setStatus attacks the status cell of the owner's block by ends that are far away.
func (a *attacker) setStatus() {
	r := a.newReport(1, stockQuery)
	for i, who := range []string{recordtest.Reader, recordtest.Boss, "one who reads all", "a token without a user"} {
		for j, c := range claims("ZZ999") {
			document := fmt.Sprintf("ended-%d-%d.xlsx", i, j)
			if !a.whole && (i+j)%5 != 0 {
				continue
			}
			a.workbook(document, nil)
			placement := r.place(recordtest.Owner+" at work", document, "B2")
			r.run(recordtest.Owner, placement, "")
			address := fmt.Sprintf(`{"externalWorkbookId":%q,"resultLocation":"Sheet1!B2","host":%q,"placementId":%q`, document, r.host, placement)
			if c.path == "/refresh" {
				address = fmt.Sprintf(`{"placementId":%q`, placement)
			}
			a.send(who, c.method, r.path+c.path, address+c.body+"}")
			got, fault := r.connect(recordtest.Owner, document, `,"addressOnly":true,"statusCell":"K5"`), ""
			if !got.ok() {
				fault = fmt.Sprintf("%s by %s: %.300s", c.what, who, got.text)
			}
			a.try(2, "a status cell where a false end reaches", fault)
		}
	}
}
