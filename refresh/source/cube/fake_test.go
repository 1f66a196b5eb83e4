package cube_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/refresh/secret"

	"mooring/refresh/source/cube"
)

const cubeToken = "eyJ-the-token"

// fakeCube is Cube's REST API over a model of its own: numbers (i, label), cells (one member a case) and slow ones. It refuses what
// Cube would refuse, and cuts results at its row limit silently, as Cube does.
type fakeCube struct {
	*httptest.Server
	t        *testing.T
	cells    map[string]fakeMember
	rowLimit int
	model    string // of /v1/meta
	anyZone  bool   // /v1/cubesql takes zones that do not exist, as it did before it honoured or checked them

	mu       sync.Mutex
	requests []fakeRequest
	seen     map[string]bool // request ids
	changes  int             // of the data, see change
}

// fakeMember is a dimension of cells: its type in the annotation and its only value.
type fakeMember struct{ kind, value string }

type fakeRequest struct {
	path, id, body string
}

// fakeModel is the data model as far as tests look at it without running a query.
const fakeModel = `{"cubes":[
	{"name":"hidden","dimensions":[{"name":"hidden.x","public":false}]},
	{"name":"numbers","dimensions":[{"name":"numbers.i","public":true}],"measures":[{"name":"numbers.label"}]},
	{"name":"orders","measures":[{"name":"orders.count"}],"dimensions":[{"name":"orders.at"},{"name":"orders.status"}],
		"segments":[{"name":"orders.open"}]},
	{"name":"slow","measures":[{"name":"slow.forever"}]},
	{"name":"broken","measures":[{"name":"broken.internally"}]}]}`

func newFakeCube(t *testing.T, cells map[string]fakeMember) *fakeCube {
	f := &fakeCube{t: t, cells: cells, rowLimit: 50_000, model: fakeModel, seen: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /cubejs-api/v1/meta", f.authorized(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, f.model)
	}))
	mux.HandleFunc("POST /cubejs-api/v1/sql", f.authorized(f.makeSQL))
	mux.HandleFunc("POST /cubejs-api/v1/load", f.authorized(f.load))
	mux.HandleFunc("POST /cubejs-api/v1/dry-run", f.authorized(f.dryRun))
	mux.HandleFunc("POST /cubejs-api/v1/cubesql", f.authorized(f.cubesql))
	mux.HandleFunc("/busy/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	mux.HandleFunc("/down/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html>upstream 10.1.2.3:4000 is down</html>")
	})
	mux.HandleFunc("/elsewhere/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "<html>Welcome</html>")
	})
	mux.HandleFunc("/moved/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/cubejs-api/v1/meta", http.StatusMovedPermanently)
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fakeCube) config() *cube.Config {
	return &cube.Config{URL: secret.Text(f.URL + "/cubejs-api"), Token: cubeToken}
}

// asked returns the requests made so far.
func (f *fakeCube) asked() []fakeRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]fakeRequest(nil), f.requests...)
}

// change changes the data, after which Cube's refresh keys have it refresh what it keeps.
func (f *fakeCube) change() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes++
}

// changed is how often the data was changed, and when Cube last refreshed what it keeps.
func (f *fakeCube) changed() (times int, refreshed string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changes, time.Date(2024, 5, 6, 7, 8, f.changes, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

var requestID = regexp.MustCompile(`^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})-span-([1-9][0-9]*)$`)

// authorized checks what every request needs.
func (f *fakeCube) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != cubeToken {
			fail(w, http.StatusForbidden, "Invalid token")
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			f.t.Errorf("body: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		id := r.Header.Get("X-Request-Id")
		f.mu.Lock()
		if !requestID.MatchString(id) || f.seen[id] {
			f.t.Errorf("request id %q is malformed or used before", id)
		}
		f.seen[id] = true
		f.requests = append(f.requests, fakeRequest{r.URL.Path, id, string(body)})
		f.mu.Unlock()
		if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
			fail(w, http.StatusBadRequest, "query is required")
			return
		}
		next(w, r)
	}
}

// span is the number at the end of the request's id.
func span(r *http.Request) int {
	n, _ := strconv.Atoi(requestID.FindStringSubmatch(r.Header.Get("X-Request-Id"))[2])
	return n
}

func fail(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": message})
}

// strictly decodes a body that may have no key but those of into.
func strictly(w http.ResponseWriter, r io.Reader, into any) bool {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		fail(w, http.StatusBadRequest, "Invalid query format: "+err.Error())
		return false
	}
	return true
}

type fakeLoad struct {
	Measures       []string         `json:"measures"`
	Dimensions     []string         `json:"dimensions"`
	TimeDimensions []map[string]any `json:"timeDimensions"`
	Filters        []struct {
		Member   string   `json:"member"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"filters"`
	Segments []string          `json:"segments"`
	Order    map[string]string `json:"order"`
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	Timezone string            `json:"timezone"`
}

func (f *fakeCube) load(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Query fakeLoad `json:"query"`
	}
	if !strictly(w, r.Body, &body) {
		return
	}
	q := body.Query
	if f.exceeds(w, q.Limit) {
		return
	}
	switch member := append(append([]string{}, q.Dimensions...), q.Measures...)[0]; {
	case member == "slow.count":
		f.slow(w, r)
	case member == "slow.forever":
		select { // Cube waits itself before it says so
		case <-r.Context().Done():
		case <-time.After(5 * time.Millisecond):
			fail(w, http.StatusOK, "Continue wait")
		}
	case member == "broken.internally":
		fail(w, http.StatusInternalServerError, "Error: pre-aggregation table is not found")
	case member == "broken.telling":
		fail(w, http.StatusInternalServerError, fmt.Sprintf("Error: invalid input syntax for type integer: %q", q.Filters[0].Values[0]))
	case member == "broken.database":
		fail(w, http.StatusBadRequest, "Error: connect ECONNREFUSED db.internal:5432 at postgres://root:pw@db.internal/x")
	case strings.HasPrefix(member, "cells."):
		cell := f.cells[strings.TrimPrefix(member, "cells.")]
		fmt.Fprintf(w, `{"query":{},"data":[{%q:%s}],"annotation":{"measures":{},"dimensions":{%q:{"title":"x","type":%q}},"timeDimensions":{}}}`,
			member, cell.value, member, cell.kind)
	case strings.HasPrefix(member, "large."):
		n, _ := strconv.Atoi(strings.TrimPrefix(member, "large."))
		fmt.Fprintf(w, `{"data":[{%q:%q}],"annotation":{"dimensions":{%q:{"type":"string"}}}}`, member, strings.Repeat("x", n), member)
	case member == "orders.count", member == "orders.status", strings.HasPrefix(member, "orders.at."):
		f.orders(w, q)
	case strings.HasPrefix(member, "numbers."):
		f.numbers(w, q)
	default:
		fail(w, http.StatusBadRequest, fmt.Sprintf("'%s' not found for path '%s'", member[strings.Index(member, ".")+1:], member))
	}
}

// exceeds refuses a limit beyond Cube's own, as an internal error.
func (f *fakeCube) exceeds(w http.ResponseWriter, limit int) bool {
	if limit > f.rowLimit {
		fail(w, http.StatusInternalServerError, "Error: The query limit has been exceeded.")
		return true
	}
	return false
}

// dryRun looks at a query and does not run it.
func (f *fakeCube) dryRun(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Query fakeLoad `json:"query"`
	}
	if !strictly(w, r.Body, &body) || f.exceeds(w, body.Query.Limit) {
		return
	}
	for _, member := range append(append([]string{}, body.Query.Dimensions...), body.Query.Measures...) {
		switch name := strings.Split(member, "."); {
		case member == "hidden.x":
			fail(w, http.StatusBadRequest, "You requested hidden member.")
			return
		case !strings.Contains(fakeModel, `"`+name[0]+"."+name[1]+`"`):
			fail(w, http.StatusBadRequest, fmt.Sprintf("'%s' not found for path '%s'", name[1], member))
			return
		}
	}
	if slices.ContainsFunc(body.Query.Segments, func(s string) bool { return s != "orders.open" }) {
		fail(w, http.StatusInternalServerError, "Error: segment not found in the model at /cube/conf/model")
		return
	}
	fmt.Fprint(w, `{"queryType":"regularQuery"}`)
}

// makeSQL shows the SQL of a statement and does not run it. A statement whose first word is none that cubesql knows is refused.
func (f *fakeCube) makeSQL(w http.ResponseWriter, r *http.Request) {
	var body struct{ Query, Format string }
	if !strictly(w, r.Body, &body) {
		return
	}
	text := strings.TrimPrefix(body.Query, "SELECT ")
	_, isText := literalOf(text)
	switch statement, rest, _ := strings.Cut(text, " "); {
	case body.Format != "sql":
		fail(w, http.StatusBadRequest, "Unable to decode query param as JSON")
	case statement == "slow" && span(r) < 3:
		fail(w, http.StatusOK, "Continue wait")
	case statement == "combine":
		json.NewEncoder(w).Encode(map[string]any{"sql": map[string]string{
			"status": "error", "query_type": "post_processing", "error": "Provided query can not be executed without post-processing.",
		}})
	case isText, slices.Contains([]string{"numbers", "large", "cell", "lines", "abort", "slow", "forever"}, statement):
		fmt.Fprint(w, `{"sql":{"status":"ok","query_type":"regular","sql":["SELECT 1",[]]}}`)
	default:
		json.NewEncoder(w).Encode(map[string]any{"sql": map[string]string{
			"status": "error", "query_type": "regular", "error": planning(rest),
		}})
	}
}

// slow answers the third request of a query.
func (f *fakeCube) slow(w http.ResponseWriter, r *http.Request) {
	if span(r) < 3 {
		fail(w, http.StatusOK, "Continue wait")
		return
	}
	fmt.Fprint(w, `{"data":[{"slow.count":"3"}],"annotation":{"measures":{"slow.count":{"type":"number"}}}}`)
}

// orders have a count by status and by day, of which each combination has one.
func (f *fakeCube) orders(w http.ResponseWriter, q fakeLoad) {
	changes, refreshed := f.changed()
	row, annotation := map[string]any{"orders.count": strconv.Itoa(12 + changes)}, map[string]any{}
	for _, d := range q.Dimensions {
		row[d], annotation[d] = "shipped", map[string]string{"type": "string"}
		if strings.Count(d, ".") == 2 { // a time with its granularity
			row[d], annotation[d] = "2024-05-06T00:00:00.000", map[string]string{"type": "time"}
		}
	}
	for _, d := range q.TimeDimensions {
		if granularity, ok := d["granularity"]; ok {
			key := fmt.Sprintf("%s.%s", d["dimension"], granularity)
			row[key] = "2024-05-06T00:00:00.000"
			annotation[key] = map[string]string{"type": "time"}
		}
	}
	json.NewEncoder(w).Encode(map[string]any{"data": []any{row}, "lastRefreshTime": refreshed, "annotation": map[string]any{
		"measures":   map[string]any{"orders.count": map[string]string{"type": "number"}},
		"dimensions": annotation,
	}})
}

// numbers have as many rows as the filter says, at most the limit.
func (f *fakeCube) numbers(w http.ResponseWriter, q fakeLoad) {
	n, label := q.Limit, func(i int) string { return fmt.Sprintf("row %d", i) }
	switch {
	case len(q.Filters) > 0 && q.Filters[0].Member == "numbers.label": // one is labeled so
		n, label = 1, func(int) string { return q.Filters[0].Values[0] }
	case len(q.Filters) > 0:
		n, _ = strconv.Atoi(q.Filters[0].Values[0])
	}
	if q.Limit == 0 {
		q.Limit = 10_000
	}
	_, refreshed := f.changed()
	rows := []map[string]any{}
	for i := 1; i <= min(n, q.Limit); i++ {
		rows = append(rows, map[string]any{"numbers.i": strconv.Itoa(i), "numbers.label": label(i)})
	}
	json.NewEncoder(w).Encode(map[string]any{"data": rows, "lastRefreshTime": refreshed, "annotation": map[string]any{
		"dimensions": map[string]any{"numbers.i": map[string]string{"type": "number"}},
		"measures":   map[string]any{"numbers.label": map[string]string{"type": "string"}},
	}})
}

// literalOf returns the text that a statement selects, written as the standard has it; false where it selects none, or has anything besides.
func literalOf(selected string) (text string, ok bool) {
	inside, ok := strings.CutPrefix(strings.Trim(selected, " "), "'")
	for ok {
		part, rest, closed := strings.Cut(inside, "'")
		text += part
		if inside, ok = strings.CutPrefix(rest, "'"); !ok {
			return text, closed && rest == ""
		}
		text += "'"
	}
	return "", false
}

// cubesql understands the statements of the tests only.
func (f *fakeCube) cubesql(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Query             string `json:"query"`
		Timezone          string `json:"timezone"`
		ThrowContinueWait bool   `json:"throwContinueWait"`
	}
	if !strictly(w, r.Body, &body) {
		return
	}
	if _, err := time.LoadLocation(body.Timezone); err != nil && !f.anyZone {
		fail(w, http.StatusBadRequest, fmt.Sprintf("Invalid query format: \"timezone\" must be a valid IANA time zone, got %q", body.Timezone))
		return
	}
	const numbers = `{"schema":[{"name":"i","column_type":"Int64"},{"name":"label","column_type":"String"}]}`
	text, of, _ := strings.Cut(strings.TrimPrefix(body.Query, "SELECT "), "\nLIMIT ")
	limit, _ := strconv.Atoi(of)
	if f.exceeds(w, limit) {
		return
	}
	if limit == 0 {
		limit = f.rowLimit // silently
	}
	if value, ok := literalOf(text); ok {
		said, _ := json.Marshal(value)
		fmt.Fprintf(w, "{\"schema\":[{\"name\":\"x\",\"column_type\":\"String\"}]}\n{\"data\":[[%s]]}\n", said)
		return
	}
	statement, rest, _ := strings.Cut(text, " ")
	switch statement {
	case "numbers":
		n, _ := strconv.Atoi(rest)
		fmt.Fprintln(w, numbers)
		for i := 1; i <= min(n, limit); i++ {
			fmt.Fprintf(w, "{\"data\":[[\"%d\",\"row %d\"]]}\n", i, i)
		}
		if n == 0 {
			fmt.Fprintln(w, `{"data":[]}`)
		}
	case "changes":
		changes, _ := f.changed()
		fmt.Fprintf(w, "%s\n{\"data\":[[\"%d\",\"changes\"]]}\n", numbers, changes)
	case "1":
		fmt.Fprintln(w, `{"schema":[{"name":"Int64(1)","column_type":"Int64"}]}`+"\n"+`{"data":[["1"]]}`)
	case "large":
		n, _ := strconv.Atoi(rest)
		fmt.Fprintf(w, "{\"schema\":[{\"name\":\"x\",\"column_type\":\"String\"}]}\n{\"data\":[[%q]]}\n", strings.Repeat("x", n))
	case "cell":
		cell := f.cells[rest]
		fmt.Fprintf(w, "{\"schema\":[{\"name\":\"x\",\"column_type\":%s}]}\n{\"data\":[[%s]]}\n", cell.kind, cell.value)
	case "lines":
		fmt.Fprint(w, rest)
	case "abort":
		fmt.Fprint(w, rest)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case "slow":
		if span(r) < 3 {
			fail(w, http.StatusOK, "Continue wait")
			return
		}
		fmt.Fprintln(w, numbers+"\n"+`{"data":[["3","three"]]}`)
	case "forever":
		<-r.Context().Done()
	case "telling":
		fail(w, http.StatusInternalServerError, "Error: invalid input syntax for type integer: "+rest)
	default:
		fail(w, http.StatusOK, planning(rest))
	}
}

// planning is what cubesql says of a statement that it does not know: the statement but its conditions.
func planning(statement string) string {
	statement, _, _ = strings.Cut(statement, " WHERE ")
	return "Error during planning: " + statement
}
