//go:build unix

package attack

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/refresh/signing"
	"mooring/storage/record/recordtest"
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
	client := redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(a.redis, "redis://")})
	defer client.Close()
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
	r := a.newReport(2, stockQuery)
	said := func(document string) string {
		placement := r.place(recordtest.Reader, document, "B2")
		run := r.run(recordtest.Reader, placement, "")
		_, told, _ := strings.Cut(run, `"error":`)
		told, _, _ = strings.Cut(told, `","`)
		return strings.ReplaceAll(strings.ReplaceAll(told, document, "DOCUMENT"), placement, "PLACEMENT")
	}
	missing := said("no-such-file.xlsx")
	for i, make := range []func(name string){
		func(name string) { a.workbook(name, nil) },
		func(name string) { a.workbook(name, map[string]string{"B2": "filled"}) },
		func(name string) { a.write("sheets/"+name, "no workbook") },
		func(name string) { _ = exec.Command("mkdir", a.sheet(name)).Run() },
		func(name string) { _ = exec.Command("mkfifo", a.sheet(name)).Run() },
	} {
		name, fault := fmt.Sprintf("there-%d.xlsx", i), ""
		make(name)
		if told := said(name); told != missing {
			fault = fmt.Sprintf("of a file that is there: %s, of none: %s", told, missing)
		}
		_ = exec.Command("rm", "-r", a.sheet(name)).Run()
		a.try(11, "errors of a reader's runs that tell which files there are", fault)
	}
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
	cmd := exec.Command(binary(a.t), "validate", dir)
	_ = cmd.Run()
	return cmd.ProcessState.UserTime()
}
