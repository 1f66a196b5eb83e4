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
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/process"
	"mooring/refresh/source/sqlite"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// What a restored service answers is what its source answers: every list, and every asset in it, but for what a restore changes.
func TestARestoredSiteAnswersAsItsSource(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.use()
	if status := s.server.terminate(); status != process.ExitDone {
		t.Fatalf("status %d: %s", status, s.server.out)
	}
	storagetest.Fill(t, s.redis, storagetest.Amounts{
		Deployment: record.Deployment{Tenant: "acme", ID: 1}, Reports: 12, Placements: 80, Documents: 10, Runs: 600, Schedules: 10,
	})
	once, twice := storagetest.Redis(t), storagetest.Redis(t)
	source := s.answers(s.redis)
	s.copyTo(s.redis, once)
	first := s.answers(once)
	s.copyTo(once, twice)
	second := s.answers(twice)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("with nothing under way (-source +restored):\n%.6000s", diff)
	}
	if diff := cmp.Diff(lasting(source, source), lasting(first, source)); diff != "" {
		t.Errorf("with runs under way (-source +restored):\n%.6000s", diff)
	}
	kinds := map[string]int{}
	for path := range second {
		kinds[regexp.MustCompile(`/[0-9A-Za-z-]*[0-9][0-9A-Za-z:-]*`).ReplaceAllString(path, "/…")]++
	}
	t.Logf("%d answers: %v", len(second), kinds)
	if len(second) < 700 {
		t.Errorf("%d answers", len(second))
	}
}

// use makes something of every kind that there is.
func (s *site) use() {
	s.t.Helper()
	path, _ := s.report("1", "SELECT name, amount FROM t ORDER BY amount DESC")
	s.connect(path, "book.xlsx", "States!C20")
	for _, change := range []string{"UPDATE t SET amount = 4 WHERE name = 'b'", "DELETE FROM t WHERE name = 'c'"} {
		if _, err := s.client.refresh(s.t.Context(), path); err != nil {
			s.t.Fatal(err)
		}
		if err := sqlite.Exec(s.t.Context(), filepath.Join(s.dir, "shop.db"), []string{change}, nil); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, one := range [][3]string{
		{http.MethodPut, path, `{"sqlQuery": "SELECT name FROM t"}`},
		{http.MethodPost, "/api/v1/deployments/1/workbooks", `{"name": "Board"}`},
		{
			http.MethodPut, "/api/v1/deployments/1/refresh-schedules/by-key/daily",
			`{"name": "Daily", "cron": ["0 7 * * *"], "target": {"reportId": 1}}`,
		},
		{http.MethodPut, "/api/v1/tenant/settings", `{"auditLogEnabled": true, "maintenanceWindowDay": "SUNDAY"}`},
		{http.MethodPost, "/api/v1/revocations", `{"jti": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}`},
	} {
		if status, body := s.send(one[0], one[1], one[2]); status >= 300 {
			s.t.Errorf("%s %s: %d %s", one[0], one[1], status, body)
		}
	}
}

// copyTo backs a storage up to stdout and restores it to another one from stdin.
func (s *site) copyTo(from, to string) {
	s.t.Helper()
	var file, said bytes.Buffer
	save := exec.Command(build(s.t), "backup", "-", "--config", s.config, "--redis", from)
	save.Stdout, save.Stderr = &file, &said
	if err := save.Run(); err != nil {
		s.t.Fatalf("%v: %s", err, said.String())
	}
	load := exec.Command(build(s.t), "restore", "-", "--config", s.config, "--redis", to)
	load.Env = append(os.Environ(), "TMPDIR="+s.t.TempDir())
	load.Stdin, load.Stderr = &file, &said
	if out, err := load.Output(); err != nil || len(out) > 0 {
		s.t.Fatalf("%v: %s%s", err, out, said.String())
	}
}

// answers returns what a server of a storage answers, by path: lists by the assets in them.
func (s *site) answers(redis string) map[string]any {
	s.t.Helper()
	p := start(s.t, "serve", "--config", s.config, "--redis", redis, "--agent=false")
	defer p.terminate()
	s.client.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(p.waitFor("msg=serving"))[1]
	all := map[string]any{}
	const d = "/api/v1/deployments/1"
	for _, id := range s.list(all, d+"/reports", "id") {
		report := d + "/reports/" + id
		all[report] = s.get(report)
		for _, version := range s.list(all, report+"/versions", "version") {
			all[report+"/versions/"+version] = s.get(report + "/versions/" + version)
		}
		s.list(all, report+"/refreshes", "id")
	}
	for _, id := range s.list(all, d+"/workbooks", "id") {
		all[d+"/workbooks/"+id] = s.get(d + "/workbooks/" + id)
	}
	s.list(all, d+"/placements", "placement")
	for path, placed := range all {
		if one, is := placed.(map[string]any); is && strings.HasPrefix(path, d+"/placements/") {
			p := one["placement"].(map[string]any)
			of := fmt.Sprintf("%s/reports/%v/placements/%v", d, one["reportId"], p["id"])
			if p["edits"] != nil {
				all[of+"/edits"] = s.get(of + "/edits?first=100")
			}
			for _, run := range s.list(all, of+"/changes", "runId") {
				all[of+"/changes/"+run] = s.get(of + "/changes/" + run)
			}
		}
	}
	for _, id := range s.list(all, d+"/refreshes", "id") {
		all[d+"/refreshes/"+id] = s.get(d + "/refreshes/" + id)
	}
	for _, id := range s.list(all, d+"/refresh-schedules", "id") {
		all[d+"/refresh-schedules/"+id] = s.get(d + "/refresh-schedules/" + id)
		s.list(all, d+"/refresh-schedules/"+id+"/runs", "id")
	}
	s.list(all, d+"/audit", "id")
	s.list(all, d+"/documents", "externalWorkbookId")
	s.list(all, "/api/v1/audit", "id")
	s.list(all, "/api/v1/revocations", "jti")
	all["/api/v1/tenant/settings"] = s.get("/api/v1/tenant/settings")
	stats := s.get(d + "/stats?window=7d").(map[string]any)
	all["stats"] = []any{stats["runs"], stats["placements"], stats["documents"], stats["schedules"], stats["lateness"]}
	return all
}

// list adds the items of a list to all, and returns their ids.
func (s *site) list(all map[string]any, path, id string) (ids []string) {
	s.t.Helper()
	for after := ""; ; {
		page, _ := s.get(path + "?first=100&after=" + after).(map[string]any)
		items, _ := page["items"].([]any)
		for i, item := range items {
			one := item.(map[string]any)
			name := fmt.Sprint(one[id])
			if p, is := one[id].(map[string]any); is {
				name = fmt.Sprint(one["reportId"], p["id"], p["externalWorkbookId"], p["anchorCell"])
			} else if one[id] == nil {
				name = fmt.Sprint("#", i)
			}
			if action := fmt.Sprint(one["action"]); action == "tenant.backup" || action == "tenant.restore" {
				continue
			}
			ids = append(ids, name)
			all[path+"/"+name+" "] = one // apart from what is asked of it alone
		}
		info, _ := page["pageInfo"].(map[string]any)
		if info["hasNextPage"] != true {
			all[path+" in order"] = ids
			return ids
		}
		after = info["endCursor"].(string)
	}
}

// get returns what a path answers, without what says that it was restored, and how old blocks are, which a restored storage does not know.
func (s *site) get(path string) any {
	s.t.Helper()
	status, body := s.send(http.MethodGet, path, "")
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, status, body)
	}
	var answer any
	if err := json.Unmarshal([]byte(regexp.MustCompile(`,?"(?:restoredAt|asOf)":"[^"]*"`).ReplaceAllString(body, "")), &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer
}

// lasting returns those of some answers that a restore does not change: of which the source shows nothing under way, and no next time.
func lasting(answers, source map[string]any) map[string]any {
	kept := map[string]any{}
	for path, answer := range answers {
		text, _ := json.Marshal(source[path])
		underWay := slices.ContainsFunc([]string{`"QUEUED"`, `"RUNNING"`, `"REFRESHING"`}, func(mark string) bool {
			return strings.Contains(string(text), mark)
		})
		if underWay || path == "stats" || strings.Contains(path, "/documents") {
			continue
		}
		if one, is := answer.(map[string]any); is && strings.Contains(path, "/refresh-schedules/") {
			delete(one, "nextFires")
		}
		kept[path] = answer
	}
	return kept
}
