//go:build unix

package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mooring/cmd/mooring/programtest"
	"mooring/refresh/signing"
	"mooring/storage/record/recordtest"
	"mooring/storage/storagetest"
)

// attackCosts are the attacks on what costs much, or tells a little.
func (a *attacker) attackCosts() {
	a.compareErrors()
	a.floodHook()
	a.beginSessions()
	a.growMappings()
	a.keepPlans()
}

// keepPlans has one person plan as much as there may be, and one that differs, and another.
func (a *attacker) keepPlans() {
	if !a.whole {
		return
	}
	const asked, bytes, most = 25, 7_000_000, 150_000_000
	before := a.storageBytes()
	for i := range asked {
		definition := fmt.Sprintf(`{"name":"Large","meta":{"text":"%d%s"}}`, i, strings.Repeat("x", bytes))
		a.must("an editor", "POST", plansPath, `{"project":"large","assets":[{"kind":"report","ref":"LargePlan001","definition":`+definition+`}]}`)
	}
	fault := ""
	if more := a.storageBytes() - before; more > most {
		fault = fmt.Sprintf("%d plans of %d bytes take %d of the storage", asked, bytes, more)
	}
	a.try(11, "plans of one person that are kept", fault)
}

// storageBytes is how many bytes the storage has.
func (a *attacker) storageBytes() (bytes int) {
	a.t.Helper()
	client := storagetest.Client(a.t, a.redis)
	info, err := client.Info(a.t.Context(), "memory").Result()
	_, after, found := strings.Cut(info, "used_memory:")
	if _, scan := fmt.Sscan(after, &bytes); err != nil || !found || scan != nil {
		a.t.Fatalf("%v, %v in %s", err, scan, info)
	}
	return bytes
}

// beginSessions signs a browser in again and again with one key.
func (a *attacker) beginSessions() {
	const asked, most = 200, 60
	begun := 0
	for range asked {
		if a.send("", "POST", "/api/v1/session", `{"token":"`+a.tokens[recordtest.Stranger]+`"}`).ok() {
			begun++
		}
	}
	fault := ""
	if begun > most {
		fault = fmt.Sprintf("%d of %d sessions of one person were begun at once", begun, asked)
	}
	a.try(11, "sessions of one person", fault)
}

// compareErrors compares what a reader's runs say of documents that are there, and not theirs, and of some that are not.
func (a *attacker) compareErrors() {
	outside := a.newReport(2, stockQuery) // whose readers may have no documents opened
	within := a.newReport(1, stockQuery)
	for _, way := range []knowing{
		{outside, "placed", report.placedByReader},
		{within, "placed", report.placedByReader},
		{within, "stamped", report.stamped},
		{within, "written by an add-in", report.writtenByAddIn},
		{within, "moved from a block that was written", report.movedFromOwn},
	} {
		missing := a.saidOf(way, "no-such-file.xlsx")
		if refused := strings.Contains(missing, `"errorClass":"auth"`); refused != (way.report.deployment == 2) {
			a.t.Fatalf("%s: of a document that is not there a run says %s", way.how, missing)
		}
		for i, make := range a.unsound() {
			name, fault := fmt.Sprintf("there-%d.xlsx", i), ""
			make(name)
			if told := a.saidOf(way, name); told != missing {
				fault = fmt.Sprintf("%s: of a file that is there: %s, of none: %s", way.how, told, missing)
			}
			_ = exec.Command("rm", "-r", a.sheet(name)).Run()
			a.try(11, "errors of a reader's runs that tell which files there are", fault)
		}
	}
}

// unsound are ways to make a file that is no spreadsheet, which a run that may open it is not to tell from none.
func (a *attacker) unsound() []func(name string) {
	const compound = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" // which an encrypted file begins with, and an .xls
	return []func(name string){
		func(name string) { a.write("sheets/"+name, "no workbook") },
		func(name string) { a.write("sheets/"+name, compound+strings.Repeat("\x00", 8<<10)) },
		func(name string) { a.mustRun("mkdir", a.sheet(name)) },
		func(name string) { a.mustRun("mkfifo", a.sheet(name)) },
		func(name string) { a.mustRun("ln", "-s", a.dir+"/mooring.yaml", a.sheet(name)) },
	}
}

func (a *attacker) mustRun(name string, args ...string) {
	a.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		a.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// knowing is a way in which a reader's placement may have come to a document, as if the reader knew it.
type knowing struct {
	report report
	how    string
	place  func(r report, document string) (placement string)
}

// saidOf is what is told of a run there, whatever the document is called.
func (a *attacker) saidOf(way knowing, document string) string {
	a.t.Helper()
	placement := way.place(way.report, document)
	var run struct {
		State, ErrorClass, Error, NextAttemptAt string
	}
	text := way.report.run(recordtest.Reader, placement, "")
	if err := json.Unmarshal([]byte(text), &run); err != nil || run.Error == "" {
		a.t.Fatalf("%s: a run in %s says %s, %v", way.how, document, text, err)
	}
	waits := run.NextAttemptAt != ""
	way.report.must(recordtest.Reader, "DELETE", way.report.path+"/connect-workbook", fmt.Sprintf(`{"placementId":%q}`, placement))
	told := fmt.Sprintf(`"state":%q,"errorClass":%q,"error":%q,"waits":%t`, run.State, run.ErrorClass, run.Error, waits)
	return strings.ReplaceAll(told, document, "DOCUMENT")
}

func (r report) placedByReader(document string) string {
	return r.place(recordtest.Reader, document, "B2")
}

// stamped places the report and says that an add-in has written it there.
func (r report) stamped(document string) string {
	r.t.Helper()
	placement := r.place(recordtest.Reader, document, "B2")
	r.must(recordtest.Reader, "PUT", r.path+"/refresh", fmt.Sprintf(`{"placementId":%q,"endResultCell":"C5"}`, placement))
	return placement
}

// writtenByAddIn places the report and completes an add-in's run there, in a sheet that does not exist.
func (r report) writtenByAddIn(document string) string {
	r.t.Helper()
	placement := r.place(recordtest.Reader, document, "B2")
	started := r.must(recordtest.Reader, "POST", r.path+"/refreshes", fmt.Sprintf(`{"placementId":%q,"executor":"client"}`, placement))
	at := fmt.Sprintf("/api/v1/deployments/%d/refreshes/%s", r.deployment, started.get("runId"))
	cells, _ := json.Marshal(slices.Repeat([][]any{make([]any, 10)}, 40))
	plan := r.must(recordtest.Reader, "POST", at+"/plan", `{"fence":1,"anchor":"Sheet1!B2","extent":{"rows":40,"columns":10},"cells":`+string(cells)+`}`)
	var planned struct{ ResultChecksum json.RawMessage }
	if err := json.Unmarshal([]byte(plan.text), &planned); err != nil || len(planned.ResultChecksum) == 0 {
		r.t.Fatalf("the plan is %s, %v", plan.text, err)
	}
	r.must(recordtest.Reader, "POST", at+"/complete", `{"fence":1,"resultChecksum":`+string(planned.ResultChecksum)+`}`)
	return placement
}

// movedFromOwn places the report in a document of the reader's own, has it written there, and moves it.
func (r report) movedFromOwn(document string) string {
	r.t.Helper()
	r.workbook("own.xlsx", nil)
	placement := r.place(recordtest.Reader, "own.xlsx", "B2")
	if run := r.run(recordtest.Reader, placement, ""); !strings.Contains(run, `"state":"SUCCEEDED"`) {
		r.t.Fatalf("the run in a document of one's own: %s", run)
	}
	r.must(recordtest.Reader, "PUT", r.path+"/connect-workbook", fmt.Sprintf(
		`{"externalWorkbookId":%q,"resultLocation":"Sheet1!B2","host":%q,"addressOnly":true,"placementId":%q}`, document, r.host, placement))
	return placement
}

// floodHook floods a hook with requests that nobody signed, and then sends one that is.
func (a *attacker) floodHook() {
	const path, secret = "/api/v1/hooks/loaded", "secret of the hook of the attack"
	r := a.newReport(2, stockQuery)
	a.workbook("hooked.xlsx", nil)
	r.place(recordtest.Owner+" at work", "hooked.xlsx", "B2")
	a.must(recordtest.Owner+" at work", "PUT", "/api/v1/deployments/2/refresh-schedules/by-key/loaded", `{"cron":"@yearly","target":{"reportId":`+r.id+`}}`)
	for range 300 {
		a.send("", "POST", path, `{}`)
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	req, err := http.NewRequestWithContext(a.t.Context(), "POST", a.server.base+path, strings.NewReader(`{}`))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}}
	req.Header.Set(signing.HeaderID, "attack")
	req.Header.Set(signing.HeaderTimestamp, now)
	req.Header.Set(signing.HeaderSignature, signing.Signature([]byte(secret), "attack", now, []byte(`{}`)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	resp.Body.Close()
	fault := ""
	if resp.StatusCode != http.StatusAccepted && resp.StatusCode != http.StatusOK {
		fault = fmt.Sprintf("after 300 requests that nobody signed the signed one gets %d", resp.StatusCode)
	}
	a.try(11, "a hook that is flooded", fault)
}

// growMappings compares what the processor does for a file of some keys, or of something else, and for one of four times as many.
func (a *attacker) growMappings() {
	if !a.whole {
		return
	}
	repeat := strings.Repeat
	for name, shape := range map[string]func(n int) string{
		"keys":                  func(n int) string { return repeat("  key: 1\n", n) },
		"pairs in brackets":     func(n int) string { return "  a: [\n" + repeat("key: 1\n", n) + "]\n" },
		"brackets in brackets":  func(n int) string { return "  a: " + repeat("[", n) + repeat("]", n) + "\n" },
		"mappings in brackets":  func(n int) string { return "  a: " + repeat("{a: ", n) + repeat("}", n) + "\n" },
		"lists in lists":        func(n int) string { return "  a:\n    " + repeat("- ", n) + "\n" },
		"documents":             func(n int) string { return "  a: 1\n" + repeat("---\na: 1\n", n) },
		"blank lines of a text": func(n int) string { return "  a: |\n    text\n" + repeat("\n", n) },
	} {
		few, many := a.validated(shape(10_000)), a.validated(shape(40_000))
		fault := ""
		if many > 8*max(few, 50*time.Millisecond) {
			fault = fmt.Sprintf("10,000 %s take %v of the processor, 40,000 %v", name, few, many)
		}
		a.try(11, "a file of very many "+name, fault)
	}
}

// validated is what the processor does to validate a workbook of that meta.
func (a *attacker) validated(meta string) time.Duration {
	dir := a.project("")
	a.write(filepath.Join(strings.TrimPrefix(dir, a.dir), "workbooks/board.yaml"), "slug: board\nname: Board\nmeta:\n"+meta)
	cmd := exec.Command(programtest.Binary(a.t), "validate", dir)
	_ = cmd.Run()
	return cmd.ProcessState.UserTime()
}
