package cube_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/secret"
	"mooring/refresh/source"
	"mooring/refresh/source/cube"
	"mooring/refresh/source/sourcetest"
)

// cubeSubject is the part of the suite's subject that both of Cube's endpoints share.
func cubeSubject(t *testing.T, f *fakeCube) sourcetest.Subject {
	at := func(path string) source.Config {
		return &cube.Config{URL: secret.Text(f.URL + path), Token: cubeToken}
	}
	wrongToken := f.config()
	wrongToken.Token = "eyJ-another"
	return sourcetest.Subject{
		Config:   f.config(),
		Listed:   fakeListed(),
		Change:   func(*testing.T) { f.change() },
		NoProbes: map[string]source.Probe{"listen": {Listen: "orders"}, "query": {Query: "{"}},
		Unreachable: map[string]sourcetest.Unreachable{
			"a wrong token":               {Config: wrongToken, Class: placements.Auth},
			"a wrong path":                {Config: at("/cube-api"), Class: placements.Structure},
			"a path that moved":           {Config: at("/moved"), Class: placements.Structure},
			"another service":             {Config: at("/elsewhere"), Class: placements.Permanent},
			"a proxy without its server":  {Config: at("/down"), Class: placements.Transient},
			"a server that asks for time": {Config: at("/busy"), Class: placements.Quota},
			"nobody listens": {
				Config: &cube.Config{URL: secret.Text(fmt.Sprintf("http://127.0.0.1:%d/cubejs-api", sourcetest.FreePort(t)))},
				Class:  placements.Transient,
			},
		},
		Internals: []string{"127.0.0.1", f.URL, cubeToken, "eyJ-another", "10.1.2.3", "db.internal"},
	}
}

func jsonQuery(format string, args ...any) source.Query {
	return source.Query{JSON: fmt.Sprintf(format, args...)}
}

func sqlQuery(format string, args ...any) source.Query {
	return source.Query{SQL: fmt.Sprintf(format, args...)}
}

func TestCubeLoad(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]fakeMember{}
	var cells []sourcetest.CellCase
	cell := func(name, kind, value string, want checksum.Cell, format string) {
		key := strings.ReplaceAll(name, " ", "_")
		members[key] = fakeMember{kind, value}
		query := jsonQuery(`{"dimensions":["cells.%s"]}`, key)
		query.Location = berlin
		cells = append(cells, sourcetest.CellCase{Name: name, Query: query, Want: []checksum.Cell{want}, Formats: []string{format}})
	}
	const day = 45418 // 2024-05-06
	cell("number as a string", "number", `"700"`, checksum.Num(700), "")
	cell("number with a fraction", "number", `"12.50"`, checksum.Num(12.5), "")
	cell("number as a number", "number", `-3.5e2`, checksum.Num(-350), "")
	cell("number beyond 2^53", "number", `"9007199254740993"`, checksum.Str("9007199254740993"), "")
	cell("number that is none", "number", `"n/a"`, checksum.Str("n/a"), "")
	cell("null", "number", `null`, checksum.Cell{}, "")
	cell("text", "string", `"plain"`, checksum.Str("plain"), "")
	cell("text of digits", "string", `"007"`, checksum.Str("007"), "")
	cell("text that came as a number", "string", `7.0`, checksum.Str("7.0"), "")
	cell("text like a formula", "string", `"=1+1"`, checksum.Str("=1+1"), "")
	cell("empty text", "string", `""`, checksum.Cell{}, "")
	cell("escapes", "string", `"\u00e4\n\ud83d\ude00"`, checksum.Str("ä\n😀"), "")
	cell("true", "boolean", `true`, checksum.Bool(true), "")
	cell("false as text", "boolean", `"false"`, checksum.Bool(false), "")
	cell("true as a number", "boolean", `1`, checksum.Bool(true), "")
	cell("true as a digit", "boolean", `"1"`, checksum.Bool(true), "")
	cell("time", "time", `"2024-05-06T06:00:00.000"`, checksum.Num(day+.25), checksum.DateTimeFormat)
	cell("time with a zone", "time", `"2024-05-06T06:00:00.000Z"`, checksum.Num(day+8./24), checksum.DateTimeFormat)
	cell("geo", "geo", `{"latitude": 1, "longitude": 2}`, checksum.Str(`{"latitude":1,"longitude":2}`), "")

	f := newFakeCube(t, members)
	subject := cubeSubject(t, f)
	subject.Cells = cells
	rows := func(n int) source.Query {
		return jsonQuery(`{"dimensions":["numbers.i"],"measures":["numbers.label"],
			"filters":[{"member":"numbers.i","operator":"lte","values":["%d"]}],"order":{"numbers.i":"asc"}}`, n)
	}
	subject.Rows = rows
	subject.Cheap = jsonQuery(`{"measures":["orders.count"]}`)
	subject.Slack = 1 << 10 // until the end rows are kept as JSON
	subject.Large = func(n int) source.Query { return jsonQuery(`{"dimensions":["large.%d"]}`, n) }
	subject.Header, subject.HeaderNames = rows(0), []string{"numbers.i", "numbers.label"}
	subject.Endless = jsonQuery(`{"measures":["slow.forever"]}`)
	subject.Broken = jsonQuery(`{"measures":["labels.missing_column"]}`)
	subject.BrokenAt = `"labels.missing_column"`
	subject.Raises = jsonQuery(`{"measures":["broken.internally"]}`)
	const asText = `"filters":[{"member":"orders.status","operator":"equals","values":[{"parameter":"text"}]}]`
	subject.BrokenWith = jsonQuery(`{"measures":["labels.missing_column"],` + asText + `}`)
	subject.Telling = []source.Query{jsonQuery(`{"measures":["broken.telling"],` + asText + `}`)}
	subject.Echo = jsonQuery(`{"measures":["numbers.label"],"filters":[{"member":"numbers.label","operator":"equals","values":[{"parameter":"text"}]}]}`)
	sourcetest.Run(t, subject)
}

func TestCubeSQL(t *testing.T) {
	members := map[string]fakeMember{}
	var cells []sourcetest.CellCase
	cell := func(name, kind, value string, want checksum.Cell, format string) {
		members[name] = fakeMember{kind, value}
		cells = append(cells, sourcetest.CellCase{
			Name: name, Query: sqlQuery("cell %s", name),
			Want: []checksum.Cell{want}, Formats: []string{format},
		})
	}
	const day = 45418 // 2024-05-06
	cell("integer", `"Int64"`, `"789"`, checksum.Num(789), "")
	cell("double", `"Double"`, `"3.5"`, checksum.Num(3.5), "")
	cell("decimal", `{"Decimal":[10,2]}`, `"12.50"`, checksum.Num(12.5), "")
	cell("string", `"String"`, `"12.50"`, checksum.Str("12.50"), "")
	cell("boolean", `"Boolean"`, `"true"`, checksum.Bool(true), "")
	cell("timestamp", `"Timestamp"`, `"2024-05-06T06:00:00.000"`, checksum.Num(day+.25), checksum.DateTimeFormat)
	cell("date", `{"Date":false}`, `"2024-05-06"`, checksum.Num(day), checksum.DateFormat)
	cell("unknown type", `{"List":{}}`, `[1, 2]`, checksum.Str("[1,2]"), "")
	cell("null", `"Int64"`, `null`, checksum.Cell{}, "")

	f := newFakeCube(t, members)
	subject := cubeSubject(t, f)
	subject.Cells = cells
	subject.Large = func(n int) source.Query { return sqlQuery("large %d", n) }
	subject.Rows = func(n int) source.Query { return sqlQuery("SELECT numbers %d", n) }
	subject.Header, subject.HeaderNames = sqlQuery("numbers 0"), []string{"i", "label"}
	subject.Endless = sqlQuery("forever")
	subject.Broken = sqlQuery("broken Invalid identifier 'missing_column'")
	subject.Raises = sqlQuery("abort ")
	subject.BrokenWith = sqlQuery("broken Invalid identifier 'missing_column' WHERE @text")
	subject.Telling = []source.Query{sqlQuery("telling @text"), sqlQuery("unknown @text")}
	subject.Cheap = sqlQuery("SELECT changes")
	subject.ColumnsUnknown = true
	subject.Echo, subject.Refuses = sqlQuery("SELECT @text"), `\` // values are written into the text
	sourcetest.Run(t, subject)
}

func TestCubeContinueWaitRepeatsTheRequest(t *testing.T) {
	for _, c := range []struct {
		name  string
		query source.Query
	}{
		{"load", jsonQuery(`{"measures":["slow.count"]}`)},
		{"cubesql", sqlQuery("slow")},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakeCube(t, nil)
			_, grid := sourcetest.Table(t, sourcetest.Open(t, f.config()), c.query)
			if got := grid.Cells(1, nil)[0]; got != checksum.Num(3) {
				t.Errorf("cell %v, want 3", got)
			}
			requests := f.asked()
			if len(requests) != 3 {
				t.Fatalf("%d requests, want 3", len(requests))
			}
			for i, r := range requests {
				if r.body != requests[0].body {
					t.Errorf("request %d asks %s, the first %s", i+1, r.body, requests[0].body)
				}
				want := strings.TrimSuffix(requests[0].id, "1") + fmt.Sprint(i+1)
				if r.id != want {
					t.Errorf("request %d has id %s, want %s", i+1, r.id, want)
				}
			}
		})
	}
}

// TestCubeStream holds the lines that /v1/cubesql may send after its status, when all it can say is in the stream.
func TestCubeStream(t *testing.T) {
	const schema = `{"schema":[{"name":"a","column_type":"Int64"}]}` + "\n"
	for _, c := range []struct {
		name, query string
		want        placements.Class // empty: a whole result
		says        string
	}{
		{"rows in several lines", "lines " + schema + `{"data":[["1"],["2"]]}` + "\n" + `{"data":[["3"]]}`, "", ""},
		{"no rows", "lines " + schema + `{"data":[]}`, "", ""},
		{"an error instead of a schema", `lines {"error":"Table 'x' not found"}`, placements.Structure, "Table 'x' not found"},
		{
			"an error after rows", "lines " + schema + `{"data":[["1"]]}` + "\n" + `{"error":"division by zero"}`, placements.Structure,
			"division by zero",
		},
		{"still running after rows", "lines " + schema + `{"data":[["1"]]}` + "\n" + `{"error":"Continue wait"}`, placements.Transient, ""},
		{"an end before any row", "lines " + schema, placements.Transient, ""},
		{"nothing at all, as before July 2025", "lines ", placements.Structure, "upgrade Cube"},
		{"no rows and no schema", `lines {"data":[]}`, placements.Structure, "upgrade Cube"},
		{"an end within a line", "lines " + schema + `{"data":[["1"`, placements.Transient, ""},
		{"a connection that breaks off", "abort " + schema + `{"data":[["1"]]}` + "\n", placements.Transient, ""},
		{"a row that is too short", "lines " + schema + `{"data":[[]]}`, placements.Permanent, ""},
		{"rows before the schema", `lines {"data":[["1"]]}`, placements.Permanent, ""},
		{"what is no JSON", "lines <html>", placements.Permanent, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := sourcetest.Open(t, newFakeCube(t, nil).config())
			_, err := src.Query(context.Background(), sqlQuery("%s", c.query), new(checksum.Builder))
			var fault *placements.Fault
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want == "":
				return
			case !errors.As(err, &fault):
				t.Fatalf("got %v, want a %s fault", err, c.want)
			}
			if fault.Class != c.want || !strings.Contains(fault.Message, c.says) {
				t.Errorf("%s: %s, want %s saying %q", fault.Class, fault.Message, c.want, c.says)
			}
		})
	}
}

func TestCubeNeverGivesACutResult(t *testing.T) {
	numbers := func(n int, limit string) source.Query {
		return jsonQuery(`{"dimensions":["numbers.i"],"filters":[{"member":"numbers.i","operator":"lte","values":["%d"]}]%s}`, n, limit)
	}
	for _, c := range []struct {
		name  string
		query source.Query
		rows  int // -1: a fault
	}{
		{"load, fewer rows than Cube gives", numbers(19, ""), 19},
		{"load, as many as Cube gives", numbers(20, ""), -1},
		{"load, more than Cube gives", numbers(21, ""), -1},
		{"load, a limit of the query's own", numbers(21, `,"limit":10`), 10},
		{"load, the query's own limit is Cube's", numbers(21, `,"limit":20`), 20},
		{"load, the query's own limit is beyond Cube's", numbers(21, `,"limit":21`), -1},
		{"cubesql, fewer rows than Cube gives", sqlQuery("SELECT numbers 19"), 19},
		{"cubesql, as many as Cube gives", sqlQuery("SELECT numbers 20"), -1},
		{"cubesql, more than Cube gives", sqlQuery("SELECT numbers 21"), -1},
		{"cubesql, a limit of the statement's own", sqlQuery("SELECT numbers 21\nLIMIT 10"), 10},
		{"cubesql, the statement's own limit is Cube's", sqlQuery("SELECT numbers 21\nLIMIT 20"), 20},
		{"cubesql, the statement's own limit is beyond Cube's", sqlQuery("SELECT numbers 21\nLIMIT 21"), -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakeCube(t, nil)
			f.rowLimit = 20
			config := f.config()
			config.RowLimit = 20
			var b checksum.Builder
			_, err := sourcetest.Open(t, config).Query(context.Background(), c.query, &b)
			if c.rows >= 0 {
				if err != nil || b.Rows() != c.rows+1 {
					t.Errorf("%d rows, %v; want %d", b.Rows(), err, c.rows+1)
				}
				return
			}
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Structure {
				t.Errorf("got %v, want a structure fault", err)
			}
		})
	}
}

// TestCubeLimitBelowOurs has a Cube whose own limit is below rowLimit: it refuses what asks for more, and would cut what does not ask.
func TestCubeLimitBelowOurs(t *testing.T) {
	ask := func(q source.Query) func(source.Source) error {
		return func(s source.Source) error {
			_, err := s.Query(context.Background(), q, new(checksum.Builder))
			return err
		}
	}
	for name, do := range map[string]func(source.Source) error{
		"load":                 ask(jsonQuery(`{"measures":["orders.count"]}`)),
		"cubesql":              ask(sqlQuery("SELECT numbers 15")),
		"cubesql, its own one": ask(sqlQuery("SELECT numbers 15\nLIMIT 15")),
		"check":                func(s source.Source) error { return s.Check(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeCube(t, nil)
			f.rowLimit = 10
			config := f.config()
			config.RowLimit = 20
			var fault *placements.Fault
			err := do(sourcetest.Open(t, config))
			if !errors.As(err, &fault) || fault.Class != placements.Structure || !strings.Contains(fault.Message, "rowLimit, which is 20") {
				t.Errorf("got %v, want a structure fault that names rowLimit", err)
			}
		})
	}
}

func TestCubeSaysWhatAnInternalErrorIs(t *testing.T) {
	_, err := sourcetest.Open(t, newFakeCube(t, nil).config()).
		Query(context.Background(), jsonQuery(`{"measures":["broken.internally"]}`), new(checksum.Builder))
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Transient || !strings.Contains(fault.Message, "pre-aggregation table is not found") {
		t.Errorf("got %v, want a transient fault that says why", err)
	}
}

func TestCubeDimensionWithAGranularityIsADay(t *testing.T) {
	for granularity, format := range map[string]string{"day": checksum.DateFormat, "month": checksum.DateFormat, "hour": checksum.DateTimeFormat} {
		columns, grid := sourcetest.Table(t, sourcetest.Open(t, newFakeCube(t, nil).config()),
			jsonQuery(`{"measures":["orders.count"],"dimensions":["orders.at.%s"]}`, granularity))
		if want := (source.Column{Name: "orders.at." + granularity, Format: format}); columns[0] != want {
			t.Errorf("got column %+v, want %+v", columns[0], want)
		}
		if got := grid.Cells(1, nil)[0]; got != checksum.Num(45418) {
			t.Errorf("got cell %+v, want 2024-05-06", got)
		}
	}
}

// TestCubeRequest pins what is asked for.
func TestCubeRequest(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	with := func(q source.Query, location *time.Location, rows int) source.Query {
		q.Location, q.MaxRows = location, rows
		return q
	}
	count := `"measures":["orders.count"]`
	for _, c := range []struct {
		name  string
		query source.Query
		want  string
	}{
		{"one row more than allowed", with(jsonQuery("{%s}", count), nil, 9), `{"query":{` + count + `,"limit":10,"timezone":"UTC"}}`},
		{"at most what Cube gives", jsonQuery("{%s}", count), `{"query":{` + count + `,"limit":50000,"timezone":"UTC"}}`},
		{"the query's own limit", jsonQuery(`{%s,"limit":3}`, count), `{"query":{` + count + `,"limit":3,"timezone":"UTC"}}`},
		{
			"times of the deployment's zone", with(jsonQuery(`{%s,"limit":3}`, count), berlin, 0),
			`{"query":{` + count + `,"limit":3,"timezone":"Europe/Berlin"}}`,
		},
		{
			"the query's own zone", with(jsonQuery(`{%s,"limit":3,"timezone":"Asia/Tokyo"}`, count), berlin, 0),
			`{"query":{` + count + `,"limit":3,"timezone":"Asia/Tokyo"}}`,
		},
		{
			"rows in the form read here", jsonQuery(`{%s,"limit":3,"responseFormat":"compact"}`, count),
			`{"query":{` + count + `,"limit":3,"timezone":"UTC"}}`,
		},
		{
			"keys that are null", jsonQuery(`{%s,"limit":null,"timeDimensions":[{"dimension":"orders.at","granularity":null,"compareDateRange":null}]}`, count),
			`{"query":{` + count + `,"limit":50000,"timezone":"UTC","timeDimensions":[{"dimension":"orders.at","granularity":null,"compareDateRange":null}]}}`,
		},
		{
			"a SELECT without a limit", sqlQuery("SELECT numbers 1;"),
			`{"query":"SELECT numbers 1\nLIMIT 50000","throwContinueWait":true,"timezone":"UTC"}`,
		},
		{
			"a statement and its zone", with(sqlQuery("numbers 1"), berlin, 0),
			`{"query":"numbers 1","throwContinueWait":true,"timezone":"Europe/Berlin"}`,
		},
		{"a statement as it is", sqlQuery("lines <>&"), `{"query":"lines <>&","throwContinueWait":true,"timezone":"UTC"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakeCube(t, nil)
			_, _ = sourcetest.Open(t, f.config()).Query(context.Background(), c.query, new(checksum.Builder))
			requests := f.asked()
			if len(requests) != 1 {
				t.Fatalf("%d requests, want 1", len(requests))
			}
			if diff := cmp.Diff(decoded(t, c.want), decoded(t, requests[0].body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCubeRefusesQueriesThatGiveNoOneTable(t *testing.T) {
	src := sourcetest.Open(t, newFakeCube(t, nil).config())
	for _, c := range []struct {
		name  string
		query source.Query
	}{
		{"a list of queries", jsonQuery(`[{"measures":["orders.count"]}]`)},
		{"no JSON", jsonQuery(`measures: orders.count`)},
		{"no members", jsonQuery(`{"filters":[]}`)},
		{"a filter by time alone", jsonQuery(`{"timeDimensions":[{"dimension":"orders.at","dateRange":"today"}]}`)},
		{"members of the wrong type", jsonQuery(`{"measures":"orders.count"}`)},
		{
			"date ranges to compare",
			jsonQuery(`{"measures":["orders.count"],"timeDimensions":[{"dimension":"orders.at","compareDateRange":["today"]}]}`),
		},
		{"both kinds", source.Query{JSON: `{"measures":["orders.count"]}`, SQL: "numbers 1"}},
		{"a member that the answer lacks", jsonQuery(`{"measures":["orders.count","orders.lost"]}`)},
		{"a database's fault", jsonQuery(`{"measures":["broken.database"]}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := src.Query(context.Background(), c.query, new(checksum.Builder))
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Structure {
				t.Fatalf("got %v, want a structure fault", err)
			}
			if strings.Contains(fault.Message, "db.internal") {
				t.Errorf("message %q tells an address", fault.Message)
			}
		})
	}
}

func TestCubeRetryAfter(t *testing.T) {
	f := newFakeCube(t, nil)
	for _, c := range []struct {
		path     string
		from, to time.Duration
	}{
		{"/busy", 7 * time.Second, 7 * time.Second},
		{"/down", 58 * time.Second, 62 * time.Second}, // a date, to the second
	} {
		config := f.config()
		config.URL = secret.Text(f.URL + c.path)
		var fault *placements.Fault
		if err := sourcetest.Open(t, config).Check(context.Background()); !errors.As(err, &fault) {
			t.Fatalf("%s: got %v, want a fault", c.path, err)
		}
		if fault.RetryAfter < c.from || fault.RetryAfter > c.to {
			t.Errorf("%s: retry after %s, want %s to %s", c.path, fault.RetryAfter, c.from, c.to)
		}
	}
}

func TestCubeTotals(t *testing.T) {
	const query = `{"measures":["orders.count"],"dimensions":["orders.status"],"order":{"orders.count":"desc"},"limit":5,
		"timeDimensions":[{"dimension":"orders.at","granularity":"day","dateRange":["2024-05-01","2024-05-31"]}],
		"filters":[{"member":"orders.status","operator":"set"}]}`
	const filters = `"filters":[{"member":"orders.status","operator":"set"}]`
	for _, c := range []struct {
		name string
		keep []string
		want string // the rest of the query asked for
		rows []string
	}{
		{
			"of everything", nil, `"dimensions":[],"timeDimensions":[{"dimension":"orders.at","dateRange":["2024-05-01","2024-05-31"]}]`,
			[]string{"orders.count"},
		},
		{
			"by a dimension",
			[]string{"orders.status"},
			`"dimensions":["orders.status"],"timeDimensions":[{"dimension":"orders.at","dateRange":["2024-05-01","2024-05-31"]}]`,
			[]string{"orders.status", "orders.count"},
		},
		{
			"by day",
			[]string{"orders.at.day"},
			`"dimensions":[],"timeDimensions":[{"dimension":"orders.at","granularity":"day","dateRange":["2024-05-01","2024-05-31"]}]`,
			[]string{"orders.at.day", "orders.count"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFakeCube(t, nil)
			totaler := sourcetest.Open(t, f.config()).(source.Totaler)
			var b checksum.Builder
			columns, err := totaler.Totals(context.Background(), source.Query{JSON: query}, 4, c.keep, &b)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, column := range columns {
				names = append(names, column.Name)
			}
			if diff := cmp.Diff(c.rows, names); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
			if b.Rows() != 2 {
				t.Errorf("%d rows, want a header and one", b.Rows())
			}
			want := `{"query":{"measures":["orders.count"],"limit":50000,"timezone":"UTC",` + filters + `,` + c.want + `}}`
			if diff := cmp.Diff(decoded(t, want), decoded(t, f.asked()[0].body)); diff != "" {
				t.Errorf("query (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCubeTotalsThatCannotBe(t *testing.T) {
	f := newFakeCube(t, nil)
	totaler := sourcetest.Open(t, f.config()).(source.Totaler)
	filtered := func(filter string) string {
		return `{"measures":["orders.count"],"dimensions":["orders.status"],"filters":[` + filter + `]}`
	}
	for _, c := range []struct {
		name, query string
		keep        []string
	}{
		{"without measures", `{"dimensions":["orders.status"]}`, nil},
		{"of ungrouped rows", `{"measures":["orders.count"],"ungrouped":true}`, nil},
		{"kept by what is not in the query", `{"measures":["orders.count"]}`, []string{"orders.status"}},
		{"kept by a measure", `{"measures":["orders.count"]}`, []string{"orders.count"}},
		{"of rows that the limit cut off", `{"measures":["orders.count"],"dimensions":["orders.status"],"limit":4}`, nil},
		{"of rows after the first ones", `{"measures":["orders.count"],"dimensions":["orders.status"],"offset":1}`, nil},
		{"where a filter looks at a measure", filtered(`{"member":"orders.count","operator":"equals","values":["3"]}`), nil},
		{"where a filter among others does", filtered(`{"or":[{"and":[{"member":"orders.count","operator":"set"}]}]}`), nil},
		{"where a filter may look at a measure", filtered(`{"member":"orders.total","operator":"gt","values":["3"]}`), nil},
		{"of a sqlQuery", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := totaler.Totals(context.Background(), source.Query{JSON: c.query, SQL: "numbers 3"}, 4, c.keep, new(checksum.Builder))
			if !errors.Is(err, source.ErrNoTotals) {
				t.Errorf("got %v, want %v", err, source.ErrNoTotals)
			}
		})
	}
	if asked := f.asked(); len(asked) > 0 {
		t.Errorf("Cube was asked %d times", len(asked))
	}
}
