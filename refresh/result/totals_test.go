package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	"mooring/refresh/source/sqlite"
	"mooring/storage/record"
)

// shown is a table as text: cells by commas, rows by semicolons, errors and empty cells as a sheet shows them.
func shown(g *checksum.Grid) string {
	var rows []string
	for i := range g.Rows() {
		var cells []string
		for _, c := range g.Cells(i, nil) {
			switch c.Kind {
			case checksum.Number:
				cells = append(cells, fmt.Sprint(c.Number))
			default:
				cells = append(cells, c.Text)
			}
		}
		rows = append(rows, strings.Join(cells, ","))
	}
	return strings.Join(rows, "; ")
}

// averages is a Cube that knows the average order by region and status. It counts what it was asked.
type averages struct {
	*httptest.Server
	asked atomic.Int32
	down  atomic.Bool // what is asked after the first query fails
}

func newAverages(t *testing.T) *averages {
	a := &averages{}
	a.Server = httptest.NewServer(http.HandlerFunc(a.load))
	t.Cleanup(a.Close)
	return a
}

func (a *averages) load(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Query struct{ Dimensions []string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if a.asked.Add(1) > 1 && a.down.Load() {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	answer := map[string]string{
		"o.region o.status": `{"o.region":"EU","o.status":"new","o.average":"10"},{"o.region":"US","o.status":"new","o.average":"20"},
			{"o.region":"EU","o.status":"paid","o.average":"30"}`,
		"o.status": `{"o.status":"new","o.average":"12.5"},{"o.status":"paid","o.average":"30"}`,
		"o.region": `{"o.region":"US","o.average":"20"},{"o.region":"EU","o.average":"15.5"}`,
		"":         `{"o.average":"17.25"}`,
	}[joined(body.Query.Dimensions)]
	w.Write([]byte(`{"data":[` + answer + `],"annotation":{"measures":{"o.average":{"type":"number"}},
		"dimensions":{"o.region":{"type":"string"},"o.status":{"type":"string"}}}}`))
}

func joined(names []string) (all string) {
	slices.Sort(names)
	for i, name := range names {
		if i > 0 {
			all += " "
		}
		all += name
	}
	return all
}

func (a *averages) source(t *testing.T) source.Source {
	t.Helper()
	return opened(t, &cube.Config{URL: secret.Text(a.URL), Token: "t"})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, c source.Config) source.Source {
	t.Helper()
	src, err := c.Open(t.Context())
	must(t, err)
	t.Cleanup(func() { must(t, src.Close()) })
	return src
}

func TestTotalsAreTheSourcesWhereItCanComputeThem(t *testing.T) {
	const byBoth = `{"measures":["o.average"],"dimensions":["o.region","o.status"]}`
	inCube := func(columns ...string) record.PivotItems {
		return record.PivotItems{Rows: []string{"o.region"}, Columns: columns, Measures: []string{"o.average"}, ShowColumnTotals: true}
	}
	sqlite := func(t *testing.T, _ *averages) source.Source {
		path := filepath.Join(t.TempDir(), "empty.db")
		must(t, os.WriteFile(path, nil, 0o600))
		return opened(t, &sqlite.Config{Path: path})
	}
	cube := func(t *testing.T, a *averages) source.Source { return a.source(t) }
	hidden := inCube("o.status")
	hidden.ShowColumnTotals = false
	byRow, both := hidden, inCube("o.status")
	byRow.ShowRowTotals, both.ShowRowTotals = true, true
	for _, tt := range []struct {
		name   string
		source func(*testing.T, *averages) source.Source
		in     record.Definition
		want   string
		asked  int32 // of Cube
	}{
		{
			"SQLite has rows only: sums of each row and of all", sqlite,
			record.Definition{
				SQLQuery: "SELECT 'EU' AS region, 'new' AS status, 10 AS average UNION ALL SELECT 'US', 'new', 20 UNION ALL SELECT 'US', 'paid', 2",
				PivotItems: &record.PivotItems{
					Rows: []string{"region"}, Columns: []string{"status"}, Measures: []string{"average"}, ShowColumnTotals: true, ShowRowTotals: true,
				},
			},
			",average,average,average; region,new,paid,Total (sum); EU,10,,10; US,20,2,22; Total (sum),30,2,32", 0,
		},
		{
			"Cube totals by row", cube,
			record.Definition{JSONQuery: byBoth, PivotItems: &byRow},
			",o.average,o.average,o.average; o.region,new,paid,Total; EU,10,30,15.5; US,20,,20", 2,
		},
		{
			"Cube totals by row, by column and all", cube,
			record.Definition{JSONQuery: byBoth, PivotItems: &both},
			",o.average,o.average,o.average; o.region,new,paid,Total; EU,10,30,15.5; US,20,,20; Total,12.5,30,17.25", 4,
		},
		{
			"Cube cannot total rows of a query that its limit cut: sums", cube,
			record.Definition{JSONQuery: `{"limit":3,` + byBoth[1:], PivotItems: &both},
			",o.average,o.average,o.average; o.region,new,paid,Total (sum); EU,10,30,40; US,20,,20; Total (sum),30,30,60", 1,
		},
		{
			"SQLite has rows only: sums", sqlite,
			record.Definition{
				SQLQuery:   "SELECT 'EU' AS region, 10 AS average UNION ALL SELECT 'US', 20",
				PivotItems: &record.PivotItems{Rows: []string{"region"}, Measures: []string{"average"}, ShowColumnTotals: true},
			},
			"region,average; EU,10; US,20; Total (sum),30", 0,
		},
		{
			"Cube totals by column", cube,
			record.Definition{JSONQuery: byBoth, PivotItems: new(inCube("o.status"))},
			",o.average,o.average; o.region,new,paid; EU,10,30; US,20; Total,12.5,30", 2,
		},
		{
			"Cube totals all", cube,
			record.Definition{JSONQuery: byBoth, PivotItems: new(inCube())},
			"o.region,o.average; EU,40; US,20; Total,17.25", 2,
		},
		{
			"Cube cannot total a query that its limit cut: sums", cube,
			record.Definition{JSONQuery: `{"limit":3,` + byBoth[1:], PivotItems: new(inCube())},
			"o.region,o.average; EU,40; US,20; Total (sum),60", 1,
		},
		{
			"nobody asks for totals that are not shown", cube,
			record.Definition{JSONQuery: byBoth, PivotItems: &hidden},
			",o.average,o.average; o.region,new,paid; EU,10,30; US,20", 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAverages(t)
			got, err := totalled(t, tt.source(t, a), tt.in)
			must(t, err)
			if diff := cmp.Diff(tt.want, shown(got.Grid)); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
			if cut := strings.Contains(tt.name, "cannot"); got.Summed != cut {
				t.Errorf("it says that a source that totals could not: %t", got.Summed)
			}
			if asked := a.asked.Load(); asked != tt.asked {
				t.Errorf("Cube was asked %d times, want %d", asked, tt.asked)
			}
		})
	}
}

// totalled runs a report's query.
func totalled(t *testing.T, src source.Source, in record.Definition) (*Answer, error) {
	return new(Results).Alone(t.Context(), Question{From: Origin{Source: src, Location: time.UTC}, Of: &in, Room: NewRoom(1<<30, 1<<20)})
}

func TestTotalsThatFailFailTheRun(t *testing.T) {
	a := newAverages(t)
	a.down.Store(true)
	p := record.PivotItems{Rows: []string{"o.region"}, Measures: []string{"o.average"}, ShowColumnTotals: true}
	in := record.Definition{JSONQuery: `{"measures":["o.average"],"dimensions":["o.region","o.status"]}`, PivotItems: &p}
	_, err := totalled(t, a.source(t), in)
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Transient {
		t.Errorf("got %v, want a transient fault: a sum in the place of a total would say something else", err)
	}
}
