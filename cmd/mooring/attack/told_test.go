//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"strings"

	"mooring/storage/record/recordtest"
)

// tellOfBlocks attacks the owner's blocks by what others say of them after the owner's add-in has, while a run of an agent goes on, and between
// the plan and the end of a run of the owner's add-in.
func (a *attacker) tellOfBlocks(r report, others []string) {
	n := 0
	for _, who := range others {
		for _, f := range freezes {
			if n++; !a.whole && n%9 != 0 {
				continue
			}
			a.try(2, "cells typed into a block of which the owner's add-in tells, and then others",
				a.tellAfterOwner(r, fmt.Sprintf("told-%d.xlsx", n), who, f))
			if f.path == "/refresh" || strings.Contains(f.body, "addressOnly") { // which leave the placement the owner's
				a.try(2, "an agent's run that is not recorded because others tell of its block",
					a.tellMeanwhile(r, fmt.Sprintf("told-of-agents-%d.xlsx", n), who, f))
				a.try(2, "an add-in's run that is not recorded because others tell of its block",
					a.tellBeforeEnd(r, fmt.Sprintf("told-of-add-ins-%d.xlsx", n), who, f))
			}
		}
	}
}

// tellAfterOwner plays the first of these attacks, and says how it fell.
func (a *attacker) tellAfterOwner(r report, document, who string, f freeze) string {
	a.t.Helper()
	a.workbook(document, nil)
	placement := r.place(recordtest.Owner+" at work", document, "B2")
	r.run(recordtest.Owner, placement, "")
	r.must(recordtest.Owner, "PUT", r.path+"/refresh",
		fmt.Sprintf(`{"placementId":%q,"endResultCell":"C5","resultChecksum":%s}`, placement, a.digest(document)))
	a.typeInto(document, "C4", ownText)
	r.tell(who, document, placement, f)
	a.moveStock()
	run := r.run(recordtest.Owner, placement, `,"onEdit":"keep"`)
	if stands := a.cells(document)["C4"]; stands != ownText {
		return fmt.Sprintf("%s by %s: C4 is %q, where %q was typed: %.400s", f.what, who, stands, ownText, run)
	}
	return ""
}

// crowd are cells that make a workbook slow to read, so that a claim comes between the beginning of a write and its end.
func crowd() map[string]string {
	cells := map[string]string{}
	for row := 100; row < 15100; row++ {
		for _, column := range "LMNOP" {
			cells[fmt.Sprintf("%c%d", column, row)] = "crowded"
		}
	}
	return cells
}

// tellMeanwhile plays the second. What the placement tells afterwards is of the run, or of a claim after its end; and the next one keeps what
// was typed and brings the rest.
func (a *attacker) tellMeanwhile(r report, document, who string, f freeze) string {
	a.t.Helper()
	a.workbook(document, crowd())
	placement := r.place(recordtest.Owner+" at work", document, "B2")
	r.run(recordtest.Owner, placement, "")
	f.body = r.said(document, f)
	a.moveStock()
	r.place(recordtest.Owner+" at work", document, "B2") // the server remembers it
	id := r.must(recordtest.Owner, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q}`, placement)).get("runId")
	until(a.t, "run "+id+" begins", func() bool {
		return r.send(recordtest.Owner, "GET", r.path+"/refreshes/"+id, "").get("state") != "QUEUED"
	})
	r.tell(who, document, placement, f)
	var run, now struct{ StartedAt, EndedAt, RefreshedAt string }
	_ = json.Unmarshal([]byte(r.awaitEnd(recordtest.Owner, id)), &run)
	list := r.must(recordtest.Owner, "GET", "/api/v1/external-documents/"+document+"/placements", "").text
	_, told, _ := strings.Cut(list, `"placement":`)
	_ = json.NewDecoder(strings.NewReader(told)).Decode(&now)
	byOwner := strings.Contains(told, fmt.Sprintf(`"refreshedByUserId":%d,`, recordtest.People()[0].ID))
	if now.RefreshedAt < run.StartedAt || !byOwner && now.RefreshedAt < run.EndedAt {
		return fmt.Sprintf("%s by %s: the run from %s to %s leaves %.600s", f.what, who, run.StartedAt, run.EndedAt, list)
	}
	a.typeInto(document, "C4", ownText)
	return a.followed(r, document, placement, f.what+" by "+who, true)
}

// tellBeforeEnd plays the third.
func (a *attacker) tellBeforeEnd(r report, document, who string, f freeze) string {
	a.t.Helper()
	a.workbook(document, nil)
	placement := r.place(recordtest.Owner+" at work", document, "B2")
	ended := r.endPlanned(recordtest.Owner, placement, func() { r.tell(who, document, placement, f) })
	list := r.must(recordtest.Owner, "GET", "/api/v1/external-documents/"+document+"/placements", "").text
	if by := fmt.Sprintf(`"refreshedByUserId":%d,`, recordtest.People()[0].ID); !ended.ok() || !strings.Contains(list, by) {
		return fmt.Sprintf("%s by %s: the owner's run (%d %.200s) leaves %.600s", f.what, who, ended.status, ended.text, list)
	}
	return ""
}

// endPlanned makes a run by an add-in, has something happen between its plan and its end, and returns the answer to that.
func (r report) endPlanned(as, placement string, between func()) answer {
	r.t.Helper()
	started := r.must(as, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q,"executor":"client"}`, placement))
	at := fmt.Sprintf("/api/v1/deployments/%d/refreshes/%s", r.deployment, started.get("runId"))
	asked := r.askPlan(as, at)
	between()
	return r.send(as, "POST", at+"/complete", `{"fence":1,"resultChecksum":`+asked[len(asked)-1].get("resultChecksum")+`}`)
}
