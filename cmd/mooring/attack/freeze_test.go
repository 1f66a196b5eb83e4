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

// freeze is something that a reader can say of a block; path is where, empty for a connect and a stamp.
type freeze struct{ what, path, body string }

// freezes are what a reader can say of the owner's block. STANDS is the digest of what stands there.
var freezes = []freeze{
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
	others := []string{recordtest.Reader, recordtest.Boss, "one who reads all", "a token without a user"}
	n := 0
	for _, who := range others {
		for _, f := range freezes {
			for _, typed := range []bool{false, true} {
				if n++; !a.whole && n%9 != 0 {
					continue
				}
				a.try(2, "a block that claims should freeze, or that claims should make typed cells the source's",
					a.freeze(r, fmt.Sprintf("frozen-%d.xlsx", n), who, f, typed))
			}
		}
	}
	a.tellOfBlocks(r, others)
}

// ownText is what the owner types into C4, in the block of the stock.
const ownText = "typed by a person"

// freeze plays one attack, and says how it fell.
func (a *attacker) freeze(r report, document, who string, f freeze, typed bool) string {
	a.t.Helper()
	a.workbook(document, nil)
	placement := r.place(recordtest.Owner+" at work", document, "B2")
	r.run(recordtest.Owner, placement, "")
	if typed {
		a.typeInto(document, "C4", ownText)
	}
	r.tell(who, document, placement, f)
	return a.followed(r, document, placement, f.what+" by "+who, typed)
}

// said is what is said of a block at B2: STANDS in it is the digest of what stands there.
func (r report) said(document string, f freeze) string {
	r.t.Helper()
	if !strings.Contains(f.body, "STANDS") {
		return f.body
	}
	return strings.ReplaceAll(f.body, "STANDS", r.digest(document))
}

// tell says something of a block at B2.
func (r report) tell(who, document, placement string, f freeze) {
	r.t.Helper()
	claim := r.said(document, f)
	stamp := fmt.Sprintf(`{"placementId":%q,%s}`, placement, claim)
	switch f.path {
	case "/connect-workbook":
		r.connect(who, document, ","+claim)
	case "":
		r.connect(who, document, "")
		fallthrough
	default:
		r.send(who, "PUT", r.path+"/refresh", stamp)
	}
}

// moveStock changes the first two of the stock's amounts.
func (a *attacker) moveStock() {
	a.pg.Exec(a.t, "UPDATE stock SET amount = amount + 1 WHERE item = 'anchor'; UPDATE stock SET amount = amount + 1 WHERE item = 'buoy'")
}

// followed says how a block does not follow the source after what has happened, or does not keep what was typed into it.
func (a *attacker) followed(r report, document, placement, happened string, typed bool) string {
	a.t.Helper()
	a.moveStock()
	amount := a.pg.Exec(a.t, "SELECT amount FROM stock WHERE item = 'anchor'")[0][0]
	run := r.run(recordtest.Owner, placement, `,"onEdit":"keep"`)
	stand := a.cells(document)
	var faults []string
	if stand["C3"] != amount {
		faults = append(faults, fmt.Sprintf("C3 is %q, the source says %s: %.400s", stand["C3"], amount, run))
	}
	if typed && stand["C4"] != ownText {
		faults = append(faults, fmt.Sprintf("C4 is %q, where %q was typed", stand["C4"], ownText))
	}
	if len(faults) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", happened, strings.Join(faults, ", "))
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
