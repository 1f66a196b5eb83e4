//go:build unix

package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/storage/record"
)

// claimant is a reader without edit access, and what stands in a workbook that is none of his.
type claimant struct {
	*site
	chief  *site
	report string // its path
}

// claimsOn makes a report that the chief owns and sellers may read, on a site of that configuration. Whatever is secret in its workbooks
// has "secret" in its text.
func claimsOn(s *site) *claimant {
	s.t.Helper()
	c := &claimant{site: s.as("--user", "3", "--role", "7"), chief: s.as("--user", "1", "--role", "9", "--action", "ReportEdit")}
	c.report, _ = c.chief.report("1", "SELECT item FROM sales ORDER BY item")
	readers := `{"rolesWithAccess":[{"id":7,"name":"Sellers","actions":["ReportRead"]}]}`
	c.chief.must(http.MethodPut, c.report+"/access", readers)
	return c
}

// must sends a request that succeeds and returns the answer.
func (s *site) must(method, path, body string) string {
	s.t.Helper()
	status, answer := s.send(method, path, body)
	if status/100 != 2 {
		s.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	return answer
}

// fill writes texts into cells of a workbook, as its people do.
func (s *site) fill(workbook string, cells map[string]string) {
	s.t.Helper()
	name := filepath.Join(s.dir, "sheets", workbook)
	f, err := excelize.OpenFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	for cell, text := range cells {
		if err := f.SetCellStr("Sheet1", cell, text); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := f.SaveAs(name); err != nil {
		s.t.Fatal(err)
	}
}

// secrets are foreign cells in rows [from, to) of a column.
func secrets(column string, from, to int) map[string]string {
	cells := map[string]string{}
	for row := from; row < to; row++ {
		cells[fmt.Sprint(column, row)] = fmt.Sprint("secret ", row)
	}
	return cells
}

// refreshes asks for a run and returns it once it has ended, and what the asker is shown of it.
func (s *site) refreshes(report, body string) (run record.Run, shown string) {
	s.t.Helper()
	var started struct{ RunID string }
	if err := s.client.do(s.t.Context(), http.MethodPost, report+"/refreshes", rawJSON(body), &started); err != nil {
		s.t.Fatal(err)
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for ; run.EndedAt == ""; <-tick.C {
		run = record.Run{}
		if err := s.client.do(s.t.Context(), http.MethodGet, report+"/refreshes/"+started.RunID, nil, &run); err != nil {
			s.t.Fatal(err)
		}
	}
	return run, s.must(http.MethodGet, report+"/refreshes/"+started.RunID, "")
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// placementIn is the id of the report's placement in a workbook.
func (s *site) placementIn(report, workbook string) string {
	s.t.Helper()
	for _, p := range s.placed(report) {
		if p.WorkbookID == workbook {
			return p.ID
		}
	}
	s.t.Fatalf("no placement of %s in %s", report, workbook)
	return ""
}

// seesNoSecret checks everything that a reader may ask about the placement.
func (c *claimant) seesNoSecret(what, id, shown string) {
	c.t.Helper()
	at := c.report + "/placements/" + id
	for _, text := range []string{
		shown, c.must(http.MethodGet, at+"/edits", ""), c.must(http.MethodGet, at+"/changes", ""), c.must(http.MethodGet, c.report, ""),
		c.must(http.MethodGet, c.report+"/refreshes", ""), c.must(http.MethodGet, "/api/v1/deployments/1/refreshes", ""),
	} {
		if strings.Contains(text, "secret") {
			c.t.Errorf("%s: the reader sees %s", what, text)
		}
	}
}

// standing is what a block of a column holds, headings included.
func standingSum(texts ...string) checksum.ResultChecksum {
	var b checksum.Builder
	for _, text := range texts {
		b.Append(checksum.Str(text))
	}
	return b.Grid().Checksum()
}

const falseSum = `{"v":2,"chunks":[{"from":0,"to":60,"hash":"00112233445566778899aabbccddeeff"}]}`

// A reader's own placement in a workbook that documents admits: whatever the reader says of it, cells that Mooring has not written are not
// shown, emptied or replaced (decisions.md §3).
func TestAReadersClaimsReachNoForeignCell(t *testing.T) {
	t.Parallel()
	s := newSecuredSite(t)
	c := claimsOn(s)
	foreign := secrets("A", 3, 60)
	s.fill("viewer.xlsx", foreign)
	for _, tt := range []struct{ name, claim, run string }{
		{"an end and a false checksum, keep", `,"endResultCell":"A59","resultChecksum":` + falseSum, `{"onEdit":"keep"}`},
		{"an end without a checksum, keep", `,"endResultCell":"A59"`, `{"onEdit":"keep"}`},
		{"an end and a false checksum, stop", `,"endResultCell":"A59","resultChecksum":` + falseSum, `{"onEdit":"stop"}`},
		{"an end and a false checksum, overwrite", `,"endResultCell":"A59","resultChecksum":` + falseSum, `{"onEdit":"overwrite"}`},
		{"a range and a false checksum, overwrite and shifts", `,"resultChecksum":` + falseSum, `{"onEdit":"overwrite","shiftRows":true}`},
		{"addressOnly, overwrite", `,"addressOnly":true`, `{"onEdit":"overwrite"}`},
	} {
		for _, first := range []bool{true, false} { // after a refresh of two free cells and a disconnect, and without
			location := "Sheet1!A1"
			if !first {
				location = "Sheet1!A4"
			}
			c.connect(c.report, "viewer.xlsx", location)
			if first {
				c.refreshes(c.report, `{}`)
			}
			id := c.placementIn(c.report, "viewer.xlsx")
			c.must(http.MethodDelete, c.report+"/connect-workbook", `{"placementId":"`+id+`"}`)
			c.must(http.MethodPut, c.report+"/connect-workbook", `{"externalWorkbookId":"viewer.xlsx","host":"SHEETS_B","placementId":"`+id+`","resultLocation":"`+location+`"`+tt.claim+`}`)
			id = c.placementIn(c.report, "viewer.xlsx")
			_, shown := c.refreshes(c.report, strings.Replace(tt.run, "{", `{"placementId":"`+id+`",`, 1))
			c.seesNoSecret(tt.name, id, shown)
			c.must(http.MethodDelete, c.report+"/connect-workbook", `{"placementId":"`+id+`"}`)
			if got := s.column("viewer.xlsx")[2:]; len(got) != len(foreign) || slices.ContainsFunc(got, func(text string) bool { return !strings.HasPrefix(text, "secret") }) {
				t.Fatalf("%s, at %s: the foreign cells hold %q", tt.name, location, got)
			}
		}
	}
}

// Whoever takes the chief's placement over sees nothing of the chief's rows and of what was typed beside them.
func TestWhoTakesAPlacementOverSeesNoRowsOfBefore(t *testing.T) {
	t.Parallel()
	s := newSecuredSite(t)
	c := claimsOn(s)
	c.chief.connect(c.report, "chief.xlsx", "Sheet1!A1")
	c.chief.refreshes(c.report, `{}`)
	s.fill("chief.xlsx", map[string]string{"A2": "secret buoy", "A4": "secret rope"})
	c.chief.refreshes(c.report, `{}`)
	id := c.placementIn(c.report, "chief.xlsx")
	connect := `{"externalWorkbookId":"chief.xlsx","host":"SHEETS_B","resultLocation":"Sheet1!A1"`
	if status, answer := c.send(http.MethodPut, c.report+"/connect-workbook", connect+`,"onEdit":"overwrite"}`); status != http.StatusForbidden {
		t.Errorf("options in a data write: %d %s", status, answer)
	}
	c.must(http.MethodPut, c.report+"/connect-workbook", connect+`,"resultChecksum":`+encoded(t, standingSum("item", "secret buoy", "chain", "secret rope"))+`}`)
	c.seesNoSecret("before a run", id, "")
	if status, answer := c.send(http.MethodPut, c.report+"/connect-workbook", connect+`,"addressOnly":true,"onEdit":"overwrite"}`); status != http.StatusForbidden {
		t.Errorf("options once it is taken over: %d %s", status, answer)
	}
	for range 2 { // the edits stay another person's
		if status, answer := c.send(http.MethodPost, c.report+"/refreshes", `{"placementId":"`+id+`","onEdit":"overwrite"}`); status != http.StatusForbidden {
			t.Errorf("overwriting: %d %s", status, answer)
		}
		run, shown := c.refreshes(c.report, `{"onEdit":"keep"}`)
		c.seesNoSecret("after a run", id, shown)
		if run.State != "SUCCEEDED" || !slices.Contains(s.column("chief.xlsx"), "secret buoy") || slices.Contains(s.column("chief.xlsx"), "chain") {
			t.Errorf("the run is %s %s; the file has %q", run.State, run.Error, s.column("chief.xlsx"))
		}
	}
	edits := c.report + "/placements/" + id + "/edits"
	if status, answer := c.send(http.MethodDelete, edits, "{}"); status != http.StatusForbidden {
		t.Errorf("giving them back: %d %s", status, answer)
	}
	if answer := c.chief.must(http.MethodGet, edits, ""); !strings.Contains(answer, "secret buoy") { // who made the report manages it
		t.Errorf("who manages the report sees %s", answer)
	}
}

// A reader's word about another's block changes neither what the next run writes nor what it keeps.
func TestAReaderFreezesNoBlock(t *testing.T) {
	t.Parallel()
	s, pg := securedSite(t, securedConfig)
	c := claimsOn(s)
	c.chief.connect(c.report, "chief.xlsx", "Sheet1!A1")
	c.chief.refreshes(c.report, `{}`)
	id := c.placementIn(c.report, "chief.xlsx")
	want := []string{"item", "buoy", "chain", "rope"}
	tell := func(sum string) {
		c.must(http.MethodPut, c.report+"/refresh", `{"placementId":"`+id+`","endResultCell":"A2","resultChecksum":`+sum+`}`)
	}
	check := func(what string, edits int) {
		t.Helper()
		run, _ := c.chief.refreshes(c.report, `{}`)
		if diff := cmp.Diff(want, s.column("chief.xlsx")); diff != "" || run.State != "SUCCEEDED" {
			t.Errorf("%s: the run is %s %s (-want +got):\n%s", what, run.State, run.Error, diff)
		}
		if n := strings.Count(c.chief.must(http.MethodGet, c.report+"/placements/"+id+"/edits", ""), `"cell"`); n != edits {
			t.Errorf("%s: %d edits, want %d", what, n, edits)
		}
	}
	tell(falseSum)
	pg.Exec(t, "UPDATE sales SET item = 'oar' WHERE item = 'chain'")
	want[2] = "oar"
	check("a false checksum", 0)
	s.fill("chief.xlsx", map[string]string{"A3": "typed"})
	tell(encoded(t, standingSum("item", "buoy", "typed", "rope")))
	want[2] = "typed"
	check("the checksum of what stands", 1)
	tell(encoded(t, standingSum("item", "buoy", "typed", "rope")))
	pg.Exec(t, "UPDATE sales SET item = 'rope 2' WHERE item = 'rope'")
	want[3] = "rope 2"
	check("the same once more", 1)
	c.must(http.MethodPut, c.report+"/connect-workbook", `{"externalWorkbookId":"chief.xlsx","host":"SHEETS_B","resultLocation":"Sheet1!A1","resultChecksum":`+
		encoded(t, standingSum("item", "buoy", "typed", "rope 2"))+`}`)
	tell(encoded(t, standingSum("item", "buoy", "typed", "rope 2")))
	c.chief.must(http.MethodPut, c.report+"/connect-workbook", `{"externalWorkbookId":"chief.xlsx","host":"SHEETS_B","resultLocation":"Sheet1!A1"}`)
	check("after a takeover, once it is taken back", 1)
}

const unboundedConfig = `
listen: 127.0.0.1:0
redis: ${REDIS}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
      1: {source: {kind: postgres, url: "${PG}", rowSecurity: true}}
      3: {source: {kind: postgres, url: "${PG}", rowSecurity: true}}
    spreadsheets:
      SHEETS_B: {kind: xlsx, dir: sheets%s}
`

// No agent opens a workbook because a reader says that a report stands there.
func TestAgentsOpenOnlyDocumentsThatAreMeant(t *testing.T) {
	t.Parallel()
	s, _ := securedSite(t, fmt.Sprintf(unboundedConfig, ""))
	c := claimsOn(s)
	c.connect(c.report, "viewer.xlsx", "Sheet1!A1")
	run, _ := c.refreshes(c.report, `{}`)
	if run.State != "FAILED" || run.ErrorClass != "auth" || !strings.Contains(run.Error, "documents in the configuration") ||
		!strings.Contains(run.Error, "by the add-in") || !strings.Contains(run.Error, "somebody with edit access") {
		t.Errorf("the run is %s %s: %s", run.State, run.ErrorClass, run.Error)
	}
	if got := s.column("viewer.xlsx"); got != nil {
		t.Errorf("the workbook holds %q", got)
	}
	c.chief.connect(c.report, "viewer.xlsx", "Sheet1!A1") // which leaves the placement the reader's
	if run, _ = c.refreshes(c.report, `{}`); run.State != "SUCCEEDED" || !slices.Equal(s.column("viewer.xlsx"), []string{"item", "rope"}) {
		t.Errorf("once an editor has confirmed it: %s %s, %q", run.State, run.Error, s.column("viewer.xlsx"))
	}
	id := c.placementIn(c.report, "viewer.xlsx")
	c.must(http.MethodPut, c.report+"/connect-workbook", `{"externalWorkbookId":"viewer.xlsx","host":"SHEETS_B","placementId":"`+id+`","resultLocation":"Sheet1!C1","addressOnly":true}`)
	if run, _ = c.refreshes(c.report, `{}`); run.ErrorClass != "auth" {
		t.Errorf("once the reader has moved it: %s %s", run.State, run.Error)
	}
}

// A token of one deployment reads no workbook that documents gives to another.
func TestDocumentsBelongToDeployments(t *testing.T) {
	t.Parallel()
	s, _ := securedSite(t, fmt.Sprintf(unboundedConfig, `, documents: {1: ["chief.xlsx"], 3: ["viewer.xlsx"]}`))
	s.fill("chief.xlsx", secrets("A", 1, 9))
	other := s.as("--user", "4", "--deployment", "3", "--action", "ReportEdit")
	path, _ := other.report("3", "SELECT item FROM sales")
	body := `{"externalWorkbookId":"chief.xlsx","host":"SHEETS_B","resultLocation":"Sheet1!A1","endResultCell":"A9","resultChecksum":` + falseSum + `}`
	if status, answer := other.send(http.MethodPut, path+"/connect-workbook", body); status != http.StatusForbidden || !strings.Contains(answer, "document_not_allowed") {
		t.Errorf("%d %s", status, answer)
	}
	other.connect(path, "viewer.xlsx", "Sheet1!A1")
	if run, _ := other.refreshes(path, `{}`); run.State != "SUCCEEDED" {
		t.Errorf("its own workbook: %s %s", run.State, run.Error)
	}
}
