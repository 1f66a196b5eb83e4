package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// receiver is an OTLP collector.
type receiver struct {
	mu      sync.Mutex
	spans   []*otlp.Span
	service map[string]string // attributes of the resource
	paths   []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, sent *http.Request) {
	unzipped, err := gzip.NewReader(sent.Body)
	body, err2 := io.ReadAll(unzipped)
	var in collector.ExportTraceServiceRequest
	if err := errors.Join(err, err2, proto.Unmarshal(body, &in)); err != nil || sent.Header.Get("Content-Type") != "application/x-protobuf" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = append(r.paths, sent.URL.Path)
	for _, resource := range in.ResourceSpans {
		r.service = map[string]string{}
		for _, a := range resource.Resource.Attributes {
			r.service[a.Key] = a.Value.GetStringValue()
		}
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

func tracer(t *testing.T, endpoint string, log *slog.Logger) *Tracer {
	t.Helper()
	tr, err := New(t.Context(), Config{Endpoint: endpoint, Version: "v1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestSpansReachTheCollector(t *testing.T) {
	var got receiver
	server := httptest.NewServer(&got)
	defer server.Close()
	tr := tracer(t, server.URL, slog.New(slog.DiscardHandler))
	began := time.Now().Add(-time.Minute)
	ctx, run := tr.Work(Resume(t.Context(), parent), "run", began)
	Since(ctx, "claim", began).End()
	inner, query := Start(ctx, "query")
	query.Count("mooring.rows", 7)
	query.Fail("auth")
	end := tr.Transaction(inner)
	end(errors.New("text with a value"))
	query.End()
	run.End()
	tr.Close()

	byName := map[string]*otlp.Span{}
	for _, s := range got.spans {
		byName[s.Name] = s
		if text := s.String(); strings.Contains(text, "text with a value") {
			t.Errorf("a span holds the text of an error: %s", text)
		}
	}
	if len(byName) != 4 || got.service["service.name"] != "mooring" || got.service["service.version"] != "v1" || got.paths[0] != "/v1/traces" {
		t.Fatalf("%d spans of %v at %v", len(byName), got.service, got.paths)
	}
	for child, of := range map[string]string{"claim": "run", "query": "run", "transaction": "query"} {
		if !bytes.Equal(byName[child].ParentSpanId, byName[of].SpanId) || !bytes.Equal(byName[child].TraceId, byName[of].TraceId) {
			t.Errorf("%s is not part of %s", child, of)
		}
	}
	if root := byName["run"]; string(root.ParentSpanId) != "\xb7\xad\x6b\x71\x69\x20\x33\x31" || root.StartTimeUnixNano != uint64(began.UnixNano()) {
		t.Errorf("the run's parent is %x, its start %d", root.ParentSpanId, root.StartTimeUnixNano)
	}
	if s := byName["query"].Status; s.Code != otlp.Status_STATUS_CODE_ERROR || s.Message != "auth" {
		t.Errorf("status %v", s)
	}
}

// Steps of one trace that another trace's step did are linked.
func TestLink(t *testing.T) {
	var got receiver
	server := httptest.NewServer(&got)
	defer server.Close()
	tr := tracer(t, server.URL, slog.New(slog.DiscardHandler))
	one, first := tr.Work(t.Context(), "first", time.Now())
	other, second := tr.Work(t.Context(), "second", time.Now())
	Link(other, one)
	Link(one, one)
	first.End()
	second.End()
	tr.Close()
	for _, s := range got.spans {
		if want := map[string]int{"first": 0, "second": 1}[s.Name]; len(s.Links) != want {
			t.Errorf("%s has %d links", s.Name, len(s.Links))
		}
	}
}

// A collector that does not answer holds up neither a step nor, for long, the end of the process.
func TestADeadCollector(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	tr := tracer(t, server.URL, slog.New(slog.DiscardHandler))
	began := time.Now()
	for range 10_000 {
		_, span := tr.Work(t.Context(), "run", time.Now())
		span.End()
	}
	stepped := time.Since(began)
	tr.Close()
	closed := time.Since(began) - stepped
	if stepped > flushLimit || closed > 3*flushLimit {
		t.Errorf("steps took %s, closing %s", stepped, closed)
	}
}

func TestALostExportIsToldOnceInAWhile(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler()) // an answer that is not tried again
	defer server.Close()
	var log bytes.Buffer
	tr := tracer(t, server.URL+"/other", slog.New(slog.NewTextHandler(&log, nil)))
	for range 3 {
		_, span := tr.Work(t.Context(), "run", time.Now())
		span.End()
		if err := tr.provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tr.Close()
	if n := strings.Count(log.String(), "traces not sent"); n != 1 || !strings.Contains(log.String(), "spans=1 ") {
		t.Errorf("told %d times:\n%s", n, &log)
	}
}

func TestNothingIsTraced(t *testing.T) {
	off, err := New(t.Context(), Config{})
	if off != nil || err != nil {
		t.Fatalf("%v, %v", off, err)
	}
	ctx, span := off.Work(t.Context(), "run", time.Now())
	inner, step := Start(ctx, "query")
	step.Text("a", "b")
	step.Fail("auth")
	step.End()
	span.End()
	off.Close()
	if inner != ctx || ctx != t.Context() || span.On() || step.On() || Parent(ctx) != "" {
		t.Error("something is traced")
	}
}

func TestReceive(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for _, tc := range []struct {
		fact, parent, state string
		sent, sentState     string
	}{
		{"a trace", parent, "a=1", parent, "a=1"},
		{"a later version's", "01" + parent[2:] + "-" + long, "", parent, ""},
		{"none", "", "", "", ""},
		{"text", "hello", "", "", ""},
		{"a line of its own", parent + "\nlevel=ERROR", "", "", ""},
		{"too long", parent + long, "", "", ""},
		{"upper case", strings.ToUpper(parent), "", "", ""},
		{"no trace", "00-" + strings.Repeat("0", 32) + parent[35:], "", "", ""},
		{"no span", parent[:36] + strings.Repeat("0", 16) + "-01", "", "", ""},
		{"no version", "ff" + parent[2:], "", "", ""},
		{"a long state", parent, "a=" + long, parent, ""},
		{"a state that is none", parent, "\"", parent, ""},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			in := http.Header{}
			in.Set("traceparent", tc.parent)
			in.Set("tracestate", tc.state)
			out := http.Header{}
			Send(Receive(context.Background(), in), out)
			if got := out.Get("traceparent"); got != tc.sent || out.Get("tracestate") != tc.sentState {
				t.Errorf("sent on: %q, %q", got, out.Get("tracestate"))
			}
		})
	}
	twice := http.Header{"Traceparent": {parent, parent}}
	if Parent(Receive(context.Background(), twice)) != "" {
		t.Error("two traceparents are one")
	}
}

func TestEndpoints(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://localhost:4318":          "http://localhost:4318/v1/traces",
		"https://c.example.com/":         "https://c.example.com/v1/traces",
		"https://c.example.com/otlp/in":  "https://c.example.com/otlp/in",
		"localhost:4318":                 "",
		"grpc://localhost:4317":          "",
		"https://u:secret@c.example.com": "",
		"http://":                        "",
		"http://c.example.com?token=1":   "",
	} {
		got, err := ParseEndpoint(endpoint)
		if got != want || (err == nil) != (want != "") || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %q, %v", endpoint, got, err)
		}
	}
}

func TestLinesNameTheirTrace(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(LogHandler(slog.NewJSONHandler(&out, nil))).With("a", 1)
	log.InfoContext(Resume(t.Context(), parent), "one")
	log.Info("two")
	one, two, _ := strings.Cut(out.String(), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(one), &line); err != nil || line["trace_id"] != parent[3:35] || line["a"] != 1.0 {
		t.Errorf("%s: %v", one, err)
	}
	if strings.Contains(two, "trace_id") {
		t.Errorf("a line without a trace: %s", two)
	}
}

// What is not traced costs next to nothing: it is in the way of every request.
func BenchmarkStartOff(b *testing.B) {
	ctx := context.WithValue(b.Context(), new(int), 1)
	b.ReportAllocs()
	for b.Loop() {
		_, span := Start(ctx, "query")
		span.End()
	}
}
