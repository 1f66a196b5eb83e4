//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/storage/record/recordtest"
)

// freezes are what a reader can say of the owner's block. STANDS is the digest of what stands there.
var freezes = []struct{ what, path, body string }{
	{"a stamp with a false digest", "/refresh", `"resultChecksum":` + falseDigest},
	{"a stamp with a false digest and an end", "/refresh", `"endResultCell":"C5","resultChecksum":` + falseDigest},
	{"a stamp without a digest", "/refresh", `"endResultCell":"C5"`},
	{"a stamp with an empty digest", "/refresh", `"resultChecksum":{"v":2,"chunks":[]}`},
	{"a stamp with the digest of what stands", "/refresh", `"endResultCell":"C5","resultChecksum":STANDS`},
	{"a connect with a false digest", "/connect-workbook", `"endResultCell":"C5","resultChecksum":` + falseDigest},
	{"a connect with the digest of what stands", "/connect-workbook", `"endResultCell":"C5","resultChecksum":STANDS`},
	{"a connect without a digest", "/connect-workbook", `"endResultCell":"C5"`},
	{"a connect without data, with a digest", "/connect-workbook", `"addressOnly":true,"endResultCell":"C5","resultChecksum":STANDS`},
	{"a connect, and a stamp with the digest of what stands", "", `"endResultCell":"C5","resultChecksum":STANDS`},
}

// freezeBlocks attacks the owner's block by what others say that it holds: it must go on following its source, and keep what is typed into it.
func (a *attacker) freezeBlocks() {
	a.standIn()
	a.setStatus()
	r := a.newReport(1, "SELECT item, amount FROM stock WHERE item <> 'drum' ORDER BY item")
	n := 0
	for _, who := range []string{recordtest.Reader, recordtest.Boss, "one who reads all", "a token without a user"} {
		for _, f := range freezes {
			for _, typed := range []bool{false, true} {
				if n++; !a.whole && n%9 != 0 {
					continue
				}
				a.try(2, "a block that claims should freeze, or that claims should make typed cells the source's",
					a.freeze(r, fmt.Sprintf("frozen-%d.xlsx", n), who, f.what, f.path, f.body, typed))
			}
		}
	}
}

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

// freeze plays one attack, and says how it fell.
func (a *attacker) freeze(r report, document, who, what, path, claim string, typed bool) string {
	a.t.Helper()
	a.workbook(document, nil)
	placement := r.place(recordtest.Owner+" at work", document, "B2")
	r.run(recordtest.Owner, placement, "")
	const own = "typed by a person"
	if typed {
		a.typeInto(document, "C4", own)
	}
	claim = strings.ReplaceAll(claim, "STANDS", a.digest(document))
	stamp := fmt.Sprintf(`{"placementId":%q,%s}`, placement, claim)
	switch path {
	case "/connect-workbook":
		r.connect(who, document, ","+claim)
	case "":
		r.connect(who, document, "")
		fallthrough
	default:
		r.send(who, "PUT", r.path+"/refresh", stamp)
	}
	a.pg.Exec(a.t, "UPDATE stock SET amount = amount + 1 WHERE item = 'anchor'; UPDATE stock SET amount = amount + 1 WHERE item = 'buoy'")
	amount := a.pg.Exec(a.t, "SELECT amount FROM stock WHERE item = 'anchor'")[0][0]
	run := r.run(recordtest.Owner, placement, `,"onEdit":"keep"`)
	stand := a.cells(document)
	var faults []string
	if stand["C3"] != amount {
		faults = append(faults, fmt.Sprintf("C3 is %q, the source says %s: %.400s", stand["C3"], amount, run))
	}
	if typed && stand["C4"] != own {
		faults = append(faults, fmt.Sprintf("C4 is %q, where %q was typed", stand["C4"], own))
	}
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprintf("%s by %s: %s", what, who, strings.Join(faults, ", "))
}

// digest is that of the stock's table as it stands at B2, in the form of a body.
func (a *attacker) digest(document string) string {
	a.t.Helper()
	stand := a.cells(document)
	var b checksum.Builder
	for row := 2; row <= 5; row++ {
		var cells []checksum.Cell
		for _, column := range []string{"B", "C"} {
			text := stand[column+strconv.Itoa(row)]
			cell := checksum.Str(text)
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				cell = checksum.Num(n)
			}
			cells = append(cells, cell)
		}
		b.Append(slices.Clone(cells)...)
	}
	text, err := json.Marshal(b.Grid().Checksum())
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}
