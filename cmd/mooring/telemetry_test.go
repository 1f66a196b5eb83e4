package main

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"mooring/placements"
	"mooring/storage/record"
)

// spans is an OTLP collector.
type spans struct {
	mu   sync.Mutex
	list []*otlp.Span
}

func (c *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	unzipped, err := gzip.NewReader(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(unzipped)
	var in collector.ExportTraceServiceRequest
	if err := errors.Join(err, proto.Unmarshal(body, &in)); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range in.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.list = append(c.list, scope.Spans...)
		}
	}
}

// named returns the span of that name in a trace.
func (c *spans) named(t *testing.T, trace []byte, name string) *otlp.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.list {
		if s.Name == name && bytes.Equal(s.TraceId, trace) {
			return s
		}
	}
	t.Fatalf("no span %q", name)
	return nil
}

// anywhere returns the span of that name in whichever trace.
func (c *spans) anywhere(t *testing.T, name string) *otlp.Span {
	t.Helper()
	for _, s := range c.list {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no span %q", name)
	return nil
}

// below lists the names of a span's children, each once.
func (c *spans) below(of *otlp.Span) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, s := range c.list {
		if bytes.Equal(s.ParentSpanId, of.SpanId) && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// What a client asks for is one trace, from its request to the write, and every step is in the log by the same name.
func TestLogsAndTracesOfARefresh(t *testing.T) {
	t.Parallel()
	var got spans
	endpoint := httptest.NewServer(&got)
	defer endpoint.Close()
	s := newSite(t)
	ends(t, s.server)
	text, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	traced := filepath.Join(s.dir, "traced.yaml")
	writeFile(t, traced, string(text)+"log: {level: debug, format: json}\ntraces: {endpoint: '"+endpoint.URL+"'}\ntrustedProxies: [127.0.0.1]\n")
	server := start(t, "serve", "--config", traced)
	s.client.base = "http://" + regexp.MustCompile(`"address":"([^"]+)"`).FindStringSubmatch(server.waitFor(`"msg":"serving"`))[1]
	path, id := s.report("1", "SELECT name, amount FROM t")
	s.connect(path, "book.xlsx", "States!C20")

	const trace = "0af7651916cd43dd8448eb211c80319c"
	run := s.askedFor(path, http.Header{
		"Traceparent": {"00-" + trace + "-b7ad6b7169203331-01"}, "X-Request-Id": {"mine-1"}, "X-Forwarded-For": {"203.0.113.9"},
		"User-Agent": {strings.Repeat("x", 10_000)},
	})
	for _, probe := range []string{"/healthz", "/api/v1/no%0Alevel=ERROR"} {
		s.send(http.MethodGet, probe, "")
	}
	ends(t, server)

	lines := jsonLines(t, server.out.String())
	request := lineOf(t, lines, map[string]any{"msg": "request", "request": "mine-1"})
	holds(t, request, map[string]any{
		"level": "INFO", "method": "POST", "route": "/api/v1/deployments/:deploymentId/reports/:reportId/refreshes", "status": 202.0,
		"client": "203.0.113.9", "tenant": "acme", "uid": 7.0, "trace_id": trace,
	})
	holds(t, lineOf(t, lines, map[string]any{"msg": "run"}), map[string]any{
		"level": "INFO", "run": run.ID, "tenant": "acme", "deployment": 1.0, "report": float64(id), "trigger": "manual", "state": "SUCCEEDED",
		"documents": []any{"book.xlsx"}, "placements": []any{run.Placements[0].PlacementID}, "rows": 4.0, "rowsWritten": 4.0, "attempt": 1.0,
		"trace_id": trace,
	})
	holds(t, lineOf(t, lines, map[string]any{"msg": "request", "route": "/healthz"}), map[string]any{"level": "DEBUG"})

	asked := got.named(t, bytesOf(trace), "POST /api/v1/deployments/:deploymentId/reports/:reportId/refreshes")
	ran := got.named(t, bytesOf(trace), "run")
	if !bytes.Equal(asked.ParentSpanId, bytesOf("b7ad6b7169203331")) {
		t.Errorf("the request's parent is %x", asked.ParentSpanId)
	}
	for _, tc := range []struct {
		of   *otlp.Span
		want string
	}{
		{asked, "authenticate call"},
		{got.named(t, bytesOf(trace), "call"), "bind run"},
		{ran, "claim complete document load query"},
		{got.named(t, bytesOf(trace), "document"), "lock open plan read transaction write"},
		{got.named(t, bytesOf(trace), "plan"), "digest"},
	} {
		if below := strings.Join(got.below(tc.of), " "); below != tc.want {
			t.Errorf("below %s are %s, want %s", tc.of.Name, below, tc.want)
		}
	}
	connected := got.anywhere(t, "PUT /api/v1/deployments/:deploymentId/reports/:reportId/connect-workbook")
	if below := got.below(got.named(t, connected.TraceId, "call")); !slices.Contains(below, "transaction") {
		t.Errorf("below the call of a connect are %v", below)
	}
	got.knowNothing(t, server.out.String(), "SELECT", "=1+1", s.client.token, "0123456789abcdef")
}

// askedFor asks for a run with those headers and waits for its end.
func (s *site) askedFor(path string, header http.Header) *record.Run {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.client.base+path+"/refreshes", strings.NewReader("{}"))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header = header
	req.Header.Set("Authorization", "Bearer "+s.client.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var started struct{ RunID string }
	if err := json.NewDecoder(resp.Body).Decode(&started); err != nil || resp.StatusCode != http.StatusAccepted {
		s.t.Fatalf("answer %d, %v", resp.StatusCode, err)
	}
	run := new(record.Run)
	for deadline := time.Now().Add(patience); run.EndedAt == ""; time.Sleep(poll) {
		if err := s.client.do(s.t.Context(), http.MethodGet, path+"/refreshes/"+started.RunID, nil, run); err != nil {
			s.t.Fatal(err)
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the run has not ended: %+v", run)
		}
	}
	return run
}

// knowNothing wants neither spans nor the log to hold any of those texts.
func (c *spans) knowNothing(t *testing.T, log string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(log, text) {
			t.Errorf("the log holds %q:\n%s", text, log)
		}
		for _, s := range c.list {
			if strings.Contains(s.String(), text) {
				t.Errorf("a span holds %q: %s", text, s)
			}
		}
	}
}

// jsonLines reads a log, each line of which is a JSON object with time, level and message.
func jsonLines(t *testing.T, log string) (lines []map[string]any) {
	t.Helper()
	for text := range strings.Lines(log) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil || line["msg"] == nil || line["time"] == nil || line["level"] == "ERROR" {
			t.Errorf("line %s: %v", text, err)
		}
		lines = append(lines, line)
	}
	return lines
}

// lineOf returns the one line that holds want.
func lineOf(t *testing.T, lines []map[string]any, want map[string]any) map[string]any {
	t.Helper()
	var found []map[string]any
	for _, line := range lines {
		all := true
		for key, value := range want {
			all = all && line[key] == value
		}
		if all {
			found = append(found, line)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d lines hold %v", len(found), want)
	}
	return found[0]
}

func holds(t *testing.T, line, want map[string]any) {
	t.Helper()
	for key, value := range want {
		if list, ok := value.([]any); ok {
			if have, _ := line[key].([]any); !slices.Equal(have, list) {
				t.Errorf("%s is %v, want %v", key, line[key], value)
			}
			continue
		}
		if line[key] != value {
			t.Errorf("%s is %v, want %v", key, line[key], value)
		}
	}
	if line["msg"] != "serving" && line["durationMs"] == nil {
		t.Errorf("no duration in %v", line)
	}
}

func bytesOf(text string) []byte {
	out, _ := hex.DecodeString(text)
	return out
}

// What a source is asked is part of the trace of who asked for the run, also where no traces are exported.
func TestATraceReachesTheSource(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	layer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("traceparent")
		w.WriteHeader(http.StatusForbidden)
	}))
	defer layer.Close()
	s := newSite(t)
	ends(t, s.server)
	text, err := os.ReadFile(s.config)
	if err != nil {
		t.Fatal(err)
	}
	config := strings.Replace(string(text), "{kind: sqlite, path: gone.db}", "{kind: cube, url: '"+layer.URL+"', token: t}", 1)
	writeFile(t, s.config, config)
	s.server = start(t, "serve", "--config", s.config)
	s.client.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(s.server.waitFor("msg=serving"))[1]
	path, _ := s.report("2", "SELECT 1")
	s.connect(path, "book.xlsx", "States!C20")
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	if run := s.askedFor(path, http.Header{"Traceparent": {parent}}); run.ErrorClass != placements.Auth {
		t.Errorf("the run ended %s: %s", run.State, run.Error)
	}
	if got := <-asked; got != parent {
		t.Errorf("the source got %q", got)
	}
	line := s.server.waitFor("msg=run ")
	for _, want := range []string{"level=WARN", "state=FAILED", "class=auth", "trace_id=0af7651916cd43dd8448eb211c80319c"} {
		if !strings.Contains(line, want) {
			t.Errorf("the line lacks %s: %s", want, line)
		}
	}
}
