package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/refresh/signing"
	"mooring/storage/storagetest"
)

// exampleHookSecret is that of the hook in exampleConfig.
const exampleHookSecret = "0123456789abcdef0123456789abcdef"

// signedForHook is the header of a request to the hook in exampleConfig.
func signedForHook(body, id string) map[string]string {
	now := strconv.FormatInt(time.Now().Unix(), 10)
	return map[string]string{
		signing.HeaderID: id, signing.HeaderTimestamp: now,
		signing.HeaderSignature: signing.Signature([]byte(exampleHookSecret), id, now, []byte(body)),
	}
}

// newHookSite is a site on a Redis, with the schedule that its hook runs.
func newHookSite(t *testing.T, address string) *exampleSite {
	t.Helper()
	s := newExampleSite(t, "--redis", address)
	for _, q := range []exampleRequest{
		{method: "POST", path: exampleReports, body: `{"name": "Orders", "sqlQuery": "SELECT customer, amount FROM orders ORDER BY id"}`},
		{
			method: "PUT", path: exampleReports + "/1/connect-workbook",
			body: `{"externalWorkbookId": "orders.xlsx", "resultLocation": "Sheet1!B2", "host": "SHEETS_B", "addressOnly": true}`,
		},
		{method: "PUT", path: exampleSchedules + "/by-key/weekdays", body: `{"cron": "0 6 * * 1-5", "overlap": "queue", "target": {"reportId": 1}}`},
	} {
		if status, body := s.send(q); status != http.StatusOK {
			t.Fatalf("%s %s: %d %s", q.method, q.path, status, body)
		}
	}
	return s
}

// runs are the runs of the site's schedule.
func (s *exampleSite) runs() (list struct {
	Items []struct{ ID, Trigger, State string }
},
) {
	s.t.Helper()
	_, body := s.send(exampleRequest{method: "GET", path: exampleSchedules + "/1/runs"})
	if err := json.Unmarshal(body, &list); err != nil {
		s.t.Fatalf("%v: %s", err, body)
	}
	return list
}

// The commands of the page, typed at the end of a load, bring the data into the sheet.
func TestAHookAsTheReadmeSaysIt(t *testing.T) {
	t.Parallel()
	s := newHookSite(t, storagetest.Redis(t))
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Refresh when data arrived\n")
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)
	if block == nil {
		t.Fatal("the page has no commands")
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(block[1], "localhost:8080", s.base))
	cmd.Env = append(os.Environ(), "HOOK_SECRET="+exampleHookSecret)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte(`{"runs":[{"runId":"`)) {
		t.Fatalf("%v: %s", err, out)
	}
	s.keepRun(out)
	s.waitForRun()
	if runs := s.runs(); len(runs.Items) != 1 || runs.Items[0].Trigger != "hook" || runs.Items[0].State != "SUCCEEDED" {
		t.Errorf("runs: %+v", runs)
	}
	f, err := excelize.OpenFile(filepath.Join(s.dir, "sheets", "orders.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := f.GetCellValue("Sheet1", "B3"); got != "Ada" {
		t.Errorf("the sheet has %q, %v", got, err)
	}
}

func TestAHookOnTwoServersRunsOnce(t *testing.T) {
	t.Parallel()
	address := storagetest.Redis(t)
	s := newHookSite(t, address)
	first := s.base
	s.serve("--redis", address)
	servers := []string{first, s.base}
	const senders = 50
	answers := make([]string, senders)
	var group sync.WaitGroup
	for i := range senders {
		group.Go(func() {
			body := `{"type": "orders.loaded"}`
			req, err := http.NewRequestWithContext(t.Context(), "POST", servers[i%2]+"/api/v1/hooks/orders-loaded", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			for field, value := range signedForHook(body, "load-1") {
				req.Header.Set(field, value)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			var text bytes.Buffer
			_, _ = text.ReadFrom(resp.Body)
			answers[i] = fmt.Sprint(resp.StatusCode, " ", text.String())
		})
	}
	group.Wait()
	for _, answer := range answers {
		if answer != answers[0] || !strings.HasPrefix(answer, "202 ") {
			t.Fatalf("%s and %s", answers[0], answer)
		}
	}
	if runs := s.runs(); len(runs.Items) != 1 {
		t.Errorf("runs: %+v", runs)
	}
}

func TestCheckWarnsOfAHookThatRunsNothing(t *testing.T) {
	t.Parallel()
	address := storagetest.Redis(t)
	const warning = "warning hook orders-loaded: tenant acme, deployment 1 has no schedule with the key weekdays"
	s := newExampleSite(t, "--redis", address)
	if status, stdout, stderr := mooring(t, "check", "--config", s.config, "--redis", address); status != process.ExitDone || !strings.Contains(stdout, warning) {
		t.Errorf("status %d, %s\n%s", status, stderr, stdout)
	}
	s = newHookSite(t, address)
	if status, stdout, stderr := mooring(t, "check", "--config", s.config, "--redis", address); status != process.ExitDone || strings.Contains(stdout, warning) {
		t.Errorf("with the schedule: status %d, %s\n%s", status, stderr, stdout)
	}
}
