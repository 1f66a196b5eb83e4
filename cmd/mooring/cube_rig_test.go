package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// strictCube is Cube's REST API over the recorded data model. It takes queries in Cube's format alone, refuses members that the model has
// not, and answers three rows: a region, a status or a day each, with numbers that grow.
type strictCube struct {
	*httptest.Server
	t     *testing.T
	model []byte            // of /v1/meta
	types map[string]string // of its members

	mu     sync.Mutex
	loaded []string // the queries of /v1/load
}

const strictCubeToken = "eyJ-of-the-tests"

// newStrictCube starts one, with so many further members in a cube named stock.
func newStrictCube(t *testing.T, further int) *strictCube {
	t.Helper()
	recorded, err := os.ReadFile("../../refresh/source/cube/testdata/meta.json")
	if err != nil {
		t.Fatal(err)
	}
	var model struct {
		Cubes []map[string]any `json:"cubes"`
	}
	if err := json.Unmarshal(recorded, &model); err != nil {
		t.Fatal(err)
	}
	if further > 0 {
		model.Cubes = append(model.Cubes, stock(further))
	}
	c := &strictCube{t: t, types: map[string]string{}}
	for _, cube := range model.Cubes {
		for _, kind := range []string{"dimensions", "measures", "segments"} {
			list, _ := cube[kind].([]any)
			for _, m := range list {
				member := m.(map[string]any)
				c.types[member["name"].(string)], _ = member["type"].(string)
			}
		}
	}
	if c.model, err = json.Marshal(model); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /cubejs-api/v1/meta", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(c.model) })
	mux.HandleFunc("POST /cubejs-api/v1/load", c.load)
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != strictCubeToken {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(c.Close)
	return c
}

// stock is a cube of so many members.
func stock(members int) map[string]any {
	list := make([]any, members)
	for i := range list {
		list[i] = map[string]any{"name": fmt.Sprintf("stock.part_%d", i), "title": fmt.Sprintf("Stock Part number %d", i), "type": "string", "public": true, "isVisible": true}
	}
	return map[string]any{"name": "stock", "type": "cube", "title": "Stock", "public": true, "isVisible": true, "dimensions": list, "measures": []any{}, "segments": []any{}}
}

// source is the configuration of a source over it.
func (c *strictCube) source() string {
	return fmt.Sprintf("{kind: cube, url: %q, token: %s}", c.URL+"/cubejs-api", strictCubeToken)
}

// waitsFor waits until a query that contains part was loaded.
func (c *strictCube) waitsFor(part string) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		c.mu.Lock()
		loaded := slices.Clone(c.loaded)
		c.mu.Unlock()
		if slices.ContainsFunc(loaded, func(query string) bool { return strings.Contains(query, part) }) {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("no query has %s: %s", part, loaded)
		}
	}
}

// strictQuery is Cube's query format, as far as the builder writes it.
type strictQuery struct {
	Measures       []string `json:"measures"`
	Dimensions     []string `json:"dimensions"`
	TimeDimensions []struct {
		Dimension   string `json:"dimension"`
		Granularity string `json:"granularity"`
		DateRange   any    `json:"dateRange"`
	} `json:"timeDimensions"`
	Segments []string `json:"segments"`
	Filters  []struct {
		Member   string   `json:"member"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"filters"`
	Order    map[string]string `json:"order"`
	Limit    int               `json:"limit"`
	Offset   int               `json:"offset"`
	Timezone string            `json:"timezone"`
}

func (c *strictCube) load(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	var body struct {
		Query strictQuery `json:"query"`
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	refuse := func(format string, args ...any) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)})
	}
	if err := d.Decode(&body); err != nil {
		refuse("Invalid query format: %v", err)
		return
	}
	q := body.Query
	columns := map[string]string{} // their types
	for _, member := range slices.Concat(q.Dimensions, q.Measures) {
		columns[member] = c.types[member]
	}
	for _, at := range q.TimeDimensions {
		columns[at.Dimension] = c.types[at.Dimension]
		if at.Granularity != "" {
			columns[at.Dimension+"."+at.Granularity] = "time"
		}
	}
	for member, kind := range columns {
		if kind == "" {
			refuse("'%s' not found for path '%s'", member[strings.Index(member, ".")+1:], member)
			return
		}
	}
	c.mu.Lock()
	c.loaded = append(c.loaded, string(text))
	c.mu.Unlock()
	annotation := map[string]map[string]string{}
	rows := make([]map[string]any, 3)
	for i := range rows {
		rows[i] = map[string]any{}
		for member, kind := range columns {
			annotation[member] = map[string]string{"type": kind}
			rows[i][member] = map[string]any{
				"number": fmt.Sprint(100 * (i + 1)), "time": fmt.Sprintf("2026-11-0%dT00:00:00.000", i+1), "boolean": i == 0,
			}[kind]
			if kind == "string" {
				rows[i][member] = []string{"North", "South", "West"}[i]
			}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": rows, "annotation": map[string]any{"dimensions": annotation}})
}
