package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	dto "github.com/prometheus/client_model/go"

	"mooring/cmd/mooring/programtest"
	"mooring/storage/storagetest"
)

// monitoring is a file for operators.
func monitoring(name string) string { return filepath.Join(root, "scripts", "monitoring", name) }

// dashboard is what these tests look at of a dashboard of Grafana.
type dashboard struct {
	UID, Title string
	Panels     []struct {
		ID                       int
		Type, Title, Description string
		GridPos                  struct{ X, Y, W, H int }
		Targets                  []struct{ RefID, Expr string }
	}
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile(monitoring("dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// queries are the dashboard's, each after its panel's title, as they are asked with everything chosen.
func (d dashboard) queries() (list [][2]string) {
	chosen := strings.NewReplacer("$__rate_interval", "1m", "$job", "mooring", "$tenant", ".*")
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			list = append(list, [2]string{p.Title, chosen.Replace(target.Expr)})
		}
	}
	return list
}

// rule is one of a file of rules.
type rule struct {
	Alert       string `yaml:",omitempty"`
	Record      string `yaml:",omitempty"`
	Expr        string
	For         string            `yaml:",omitempty"`
	Labels      map[string]string `yaml:",omitempty"`
	Annotations map[string]string `yaml:",omitempty"`
}

type ruleFile struct {
	Groups []ruleGroup
}

type ruleGroup struct {
	Name  string
	Rules []rule
}

func readAlerts(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile(monitoring("alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file ruleFile
	if err := yaml.Unmarshal(text, &file); err != nil || len(file.Groups) != 1 || len(file.Groups[0].Rules) == 0 {
		t.Fatalf("%+v, %v", file, err)
	}
	return file.Groups[0].Rules
}

func promtool(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), storagetest.Binary(t, "promtool"), args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %q: %v\n%s", args, err, out)
	}
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", monitoring("alerts.yml"))
	promtool(t, "test", "rules", monitoring("alerts_test.yml"))
	tests, err := os.ReadFile(monitoring("alerts_test.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range readAlerts(t) {
		if !strings.Contains(string(tests), `alertname="`+r.Alert+`"`) {
			t.Errorf("no test lets %s fire", r.Alert)
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || r.Labels["severity"] == "" {
			t.Errorf("%s does not say what is wrong, how badly, and what to do", r.Alert)
		}
		if !strings.Contains(readme, "| `"+r.Alert+"` | ") {
			t.Errorf("README.md does not say what to do about %s", r.Alert)
		}
	}
}

// Every query of the dashboard is one that Prometheus takes, and every panel says what it shows and stands on none.
func TestDashboard(t *testing.T) {
	t.Parallel()
	d := readDashboard(t)
	var file ruleFile
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if p.Type != "row" && (len(p.Targets) == 0 || p.Description == "") || p.Title == "" || ids[p.ID] {
			t.Errorf("panel %d %q lacks a title, a description, a query or an id of its own", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if at := [2]int{x, y}; taken[at] != "" || x >= 24 {
					t.Fatalf("panels %q and %q overlap, or it leaves the grid", p.Title, taken[at])
				} else {
					taken[at] = p.Title
				}
			}
		}
	}
	for i, q := range d.queries() {
		file.Groups = append(file.Groups, ruleGroup{fmt.Sprint(i, " ", q[0]), []rule{{Record: fmt.Sprint("query_", i), Expr: q[1]}}})
	}
	text, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(t.TempDir(), "dashboard.yml")
	writeFile(t, rules, string(text))
	promtool(t, "check", "rules", rules)
}

// metricName is a name of a series in a query.
var metricName = regexp.MustCompile(`\b(mooring|process|go)_[a-z0-9_]+\b`)

// series are the names under which the families of a page can be asked for.
func series(families map[string]*dto.MetricFamily) map[string]bool {
	names := map[string]bool{}
	for name, family := range families {
		names[name] = true
		if family.GetType() == dto.MetricType_HISTOGRAM {
			names[name+"_bucket"], names[name+"_sum"], names[name+"_count"] = true, true, true
		}
	}
	return names
}

// A real Prometheus reads the built program and has an answer to every query of the dashboard; it takes the alerts, none of which fires.
func TestPrometheusReadsMooring(t *testing.T) {
	t.Parallel()
	server := storagetest.Binary(t, "prometheus")
	s := newSite(t)
	_, address := s.startOperations("serve")
	s.used()
	answers(t, "http://"+address+"/readyz", "ready")
	_, families := scrapeAll(t, address)
	alerts, queries := readAlerts(t), readDashboard(t).queries()
	for _, r := range alerts {
		queries = append(queries, [2]string{r.Alert, r.Expr})
	}
	exposed := series(families)
	for _, q := range queries {
		for _, name := range metricName.FindAllString(q[1], -1) {
			if !exposed[name] {
				t.Errorf("%s asks for %s, which the program does not have", q[0], name)
			}
		}
	}
	p := startPrometheus(t, server, address)
	p.until("count_over_time(mooring_build_info[1m]) >= 3")
	for _, q := range queries[:len(queries)-len(alerts)] {
		p.until(q[1])
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Name, Health, State, LastError string }
		}
	}
	p.get("/api/v1/rules", nil, &rules)
	if len(rules.Groups) != 1 || len(rules.Groups[0].Rules) != len(alerts) {
		t.Fatalf("rules: %+v", rules)
	}
	for _, r := range rules.Groups[0].Rules {
		if r.Health == "err" || r.State == "firing" {
			t.Errorf("%+v", r)
		}
	}
}

// prometheus is a real one at work.
type prometheus struct {
	*testing.T
	base string
}

// startPrometheus starts one that scrapes an address every second and evaluates the alerts.
func startPrometheus(t *testing.T, server, address string) *prometheus {
	t.Helper()
	dir, listen := t.TempDir(), storagetest.FreeAddr(t)
	alerts, err := filepath.Abs(monitoring("alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "prometheus.yml")
	writeFile(t, config, fmt.Sprintf(`
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs: [{job_name: mooring, static_configs: [{targets: [%q]}]}]
`, alerts, address))
	cmd := exec.Command(server, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+listen)
	out := programtest.NewOutput()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(out)
		}
	})
	return &prometheus{t, "http://" + listen}
}

// until waits until a query has an answer.
func (p *prometheus) until(query string) {
	p.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		var answer struct{ Result []json.RawMessage }
		status := p.get("/api/v1/query", url.Values{"query": {query}}, &answer)
		if status == http.StatusOK && len(answer.Result) > 0 {
			return
		}
		if time.Now().After(deadline) || status == http.StatusBadRequest {
			p.Fatalf("%s: %d, no answer", query, status)
		}
	}
}

// get asks and returns the status, 0 as long as none is there to answer.
func (p *prometheus) get(path string, query url.Values, data any) int {
	p.Helper()
	resp, err := http.Get(p.base + path + "?" + query.Encode())
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	body := struct{ Data any }{data}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil && resp.StatusCode == http.StatusOK {
		p.Fatal(err)
	}
	return resp.StatusCode
}
