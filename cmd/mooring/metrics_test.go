package main

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/redis/go-redis/v9"

	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// startOperations starts a command on the site's storage, with an address for operators, which it returns.
func (s *site) startOperations(command string) (p *program, address string) {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	config := filepath.Join(s.dir, "operated.yaml")
	writeFile(s.t, config, string(text)+"ops: {listen: 127.0.0.1:0}\n")
	p = start(s.t, command, "--config", config)
	return p, operationsOf(p)
}

func operationsOf(p *program) string {
	p.t.Helper()
	return regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(p.waitFor("msg=operations"))[1]
}

// scrape returns the page of metrics at an address, and what it says.
func scrape(t *testing.T, address string) (page string, families map[string]*dto.MetricFamily) {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s, %v", resp.StatusCode, body, err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err = parser.TextToMetricFamilies(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return string(body), families
}

// used does to a site what makes every series: a run, and a request that finds nothing. It returns what must be no label.
func (s *site) used() (secret []string) {
	s.t.Helper()
	path, _ := s.report("1", "SELECT name, amount FROM t")
	s.connect(path, "book.xlsx", "States!C20")
	var run placedReport
	if err := s.client.do(s.t.Context(), http.MethodPost, path+"/refreshes", map[string]any{}, &run); err != nil {
		s.t.Fatal(err)
	}
	s.send(http.MethodGet, path+"4711", "")
	return []string{"book.xlsx", "States", "Shop", "shop.db", "4711", "amount"}
}

// labels are the labels that series of Mooring's own may have.
var labels = []string{"class", "goversion", "kind", "method", "outcome", "reason", "route", "state", "status", "tenant", "version"}

func TestMetricsOfTheBuiltProgram(t *testing.T) {
	t.Parallel()
	promtool := storagetest.Binary(t, "promtool")
	s := newSite(t)
	server, address := s.startOperations("serve")
	s.client.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(server.waitFor("msg=serving"))[1]
	secret := s.used()
	page, families := scrapeAll(t, address)

	lint := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	lint.Stdin = strings.NewReader(page)
	if out, err := lint.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
	for name, family := range families {
		for _, series := range family.Metric {
			for _, label := range series.Label {
				for _, text := range secret {
					if strings.Contains(label.GetValue(), text) {
						t.Errorf("%s: label %s is %q", name, label.GetName(), label.GetValue())
					}
				}
				if strings.HasPrefix(name, "mooring_") && !slices.Contains(labels, label.GetName()) {
					t.Errorf("%s has a label %s", name, label.GetName())
				}
			}
		}
	}
	if diff := cmp.Diff(documentedMetrics(), ownMetrics(families)); diff != "" {
		t.Errorf("the table of README.md (-) and the page (+):\n%s", diff)
	}
	for path, want := range map[string]int{"/metrics": http.StatusNotFound, "/healthz": http.StatusOK, "/debug/pprof/": http.StatusNotFound} {
		if got, _ := s.send(http.MethodGet, path, ""); got != want {
			t.Errorf("%s at listen answers %d, want %d", path, got, want)
		}
	}
	answers(t, "http://"+address+"/debug/pprof/goroutine?debug=1", "goroutine profile")
}

func ownMetrics(families map[string]*dto.MetricFamily) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(families)), func(name string) bool { return !strings.HasPrefix(name, "mooring_") })
}

// documentedMetrics are the names in the operation page's table.
func documentedMetrics() (names []string) {
	for _, row := range regexp.MustCompile("(?m)^\\| `(mooring_[a-z_]+)[`{]").FindAllStringSubmatch(readme, -1) {
		names = append(names, row[1])
	}
	slices.Sort(names)
	return names
}

// reporterKey is the key of the process that shows what is the same for all.
const reporterKey = "mooring:{agents}:reporter"

// Of a server and two agents one shows what is the same for all; when it is killed, another one does within a minute.
func TestOneProcessShowsTheQueue(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	processes := map[string]*program{}
	for _, command := range []string{"serve", "agent", "agent"} {
		p, address := s.startOperations(command)
		answers(t, "http://"+address+"/readyz", "ready")
		processes[address] = p
	}
	first := showing(t, processes)
	if again := showing(t, processes); len(first) != 1 || !slices.Equal(first, again) {
		t.Fatalf("the queue is shown by %v, then by %v", first, again)
	}
	dead := processes[first[0]]
	_ = dead.cmd.Process.Kill()
	<-dead.ended
	delete(processes, first[0])

	options, err := redis.ParseURL(s.redis)
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(options)
	defer rdb.Close()
	if left := rdb.PTTL(t.Context(), reporterKey).Val(); left > 45*time.Second {
		t.Errorf("the dead process is waited for %v: with a scrape every 15 s, the queue is not shown within a minute", left)
	}
	rdb.Del(t.Context(), reporterKey) // as that time does
	if next := showing(t, processes); len(next) != 1 {
		t.Fatalf("after its death the queue is shown by %v", next)
	} else if status := processes[next[0]].terminate(); status != process.ExitDone {
		t.Errorf("SIGTERM ends it with %d", status)
	} else {
		delete(processes, next[0])
	}
	if last := showing(t, processes); len(last) != 1 {
		t.Errorf("when one has ended in order, the queue is shown by %v", last)
	}
}

// scrapeAll scrapes until the page has what the storage is asked for, which on a busy machine may answer too late.
func scrapeAll(t *testing.T, address string) (page string, families map[string]*dto.MetricFamily) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		if page, families = scrape(t, address); families["mooring_queue_depth"] != nil || time.Now().After(deadline) {
			return page, families
		}
	}
}

// showing are the addresses of those that show the queue, and all that goes with it, once there is one.
func showing(t *testing.T, processes map[string]*program) (shown []string) {
	t.Helper()
	for deadline := time.Now().Add(patience); len(shown) == 0 && time.Now().Before(deadline); time.Sleep(poll) {
		shown = showingNow(t, processes)
	}
	return shown
}

func showingNow(t *testing.T, processes map[string]*program) (shown []string) {
	t.Helper()
	for address := range processes {
		_, families := scrape(t, address)
		all := 0
		for _, name := range []string{"mooring_queue_depth", "mooring_schedules", "mooring_agents"} {
			if families[name] != nil {
				all++
			}
		}
		switch all {
		case 0:
		case 3:
			shown = append(shown, address)
		default:
			t.Errorf("%s shows a part of the backlog", address)
		}
	}
	return shown
}

func TestAnAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, taken := s.startOperations("agent")
	operated := filepath.Join(s.dir, "taken.yaml")
	text, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, operated, string(text)+"ops: {listen: \""+taken+"\"}\n")
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--config", operated}, "mooring: ops.listen: "},
		{[]string{"agent", "--config", operated}, "mooring: ops.listen: "},
		{[]string{"agent", "--config", operated, "--listen", strings.Replace(taken, "127.0.0.1", "localhost", 1)}, "mooring: --listen: "},
		{[]string{"serve", "--config", s.config, "--listen", taken}, "mooring: listen: "},
	} {
		status, _, stderr := mooring(t, row.args...)
		if status != process.ExitFailed || !strings.Contains(stderr, row.want) {
			t.Errorf("%q: %d %s", row.args, status, stderr)
		}
	}
	other := start(t, "agent", "--config", operated, "--listen", "127.0.0.1:0")
	answers(t, "http://"+operationsOf(other)+"/metrics", "mooring_build_info")
}
