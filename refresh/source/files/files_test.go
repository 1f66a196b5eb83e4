package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/files"
	"mooring/refresh/source/sourcetest"
)

// sample are the files of a folder, by their names.
var sample = map[string]string{
	"labels.csv":   "id,label\n1,one\n2,two\n",
	"Orders 2.csv": "\xef\xbb\xbf\"Net \"\"Total\";\"a \"\"key\"\"\"\r\n1.5;07\r\n;\"line\r\nline\"\r\n",
	"events.jsonl": `{"at":"2024-05-06T06:00:00Z","n":1,"tags":["a", "b"]}` + "\n\n" + `{"n":2.5,"ok":true,"at":null}`,
	"changes.csv":  "i\n0\n",
	"notes.txt":    "no table",
	".hidden.csv":  "a\n1\n",
}

func writeFiles(t testing.TB, dir string, contents map[string]string) string {
	t.Helper()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// folderOf makes a folder of files.
func folderOf(t testing.TB, contents map[string]string) string {
	t.Helper()
	return writeFiles(t, t.TempDir(), contents)
}

func open(t testing.TB, dir string) source.Source {
	t.Helper()
	return sourcetest.Open(t, &files.Config{Dir: dir})
}

func openWith(t testing.TB, dir string, limits source.Limits) source.Source {
	t.Helper()
	return sourcetest.Open(t, &files.Config{Dir: dir, Limits: limits})
}

type parquetSample struct {
	ID    int64     `parquet:"id"`
	Day   int32     `parquet:"day,date"`
	At    time.Time `parquet:"at,timestamp(microsecond)"`
	Price int64     `parquet:"price,decimal(2:18)"`
	Tags  []string  `parquet:"tags,list"`
}

func writeParquet[T any](t testing.TB, path string, rows ...T) {
	t.Helper()
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
}

func field(name string, is source.FieldType) source.Field {
	return source.Field{Name: name, Insert: source.Identifier(name), Type: is}
}

func listed() []source.Dataset {
	table := func(name string, columns ...source.Field) source.Dataset {
		return source.Dataset{Name: name, Kind: source.KindTable, Insert: source.Identifier(name), Columns: columns}
	}
	head := field(`Net "Total`, source.TypeNumber)
	return []source.Dataset{
		table("Orders 2", head, field(`a "key"`, source.TypeText)),
		table("changes", field("i", source.TypeNumber)),
		table(
			"events", field("at", source.TypeDateTime), field("n", source.TypeNumber), field("tags", source.TypeJSON),
			field("ok", source.TypeBoolean),
		),
		table("labels", field("id", source.TypeNumber), field("label", source.TypeText)),
		table(
			"sales", field("id", source.TypeNumber), field("day", source.TypeDate), field("at", source.TypeDateTime),
			field("price", source.TypeNumber), field("tags", source.TypeJSON),
		),
	}
}

func TestFiles(t *testing.T) {
	dir := folderOf(t, sample)
	writeParquet(t, filepath.Join(dir, "sales.parquet"), parquetSample{
		1, 19849, time.Date(2024, 5, 6, 6, 0, 0, 0, time.UTC), 1250, []string{"a", "b"},
	})
	before := contents(t, dir)
	config := func(dir string) source.Config { return &files.Config{Dir: dir} }
	n := 0
	s := sourcetest.SQLite(config(dir))
	s.Cells, s.Bound = sampleCells(t), boundInFiles()
	s.Listed = listed()
	s.Header = source.Query{SQL: "SELECT id, label FROM labels WHERE id > 9"}
	s.Writes = writes(dir)
	s.Unchanged = func(t *testing.T) { wantContents(t, dir, before) }
	s.Unreachable = map[string]sourcetest.Unreachable{
		"a missing folder": {Config: config(filepath.Join(dir, "none")), Class: placements.Transient},
		"a file":           {Config: config(filepath.Join(dir, "labels.csv")), Class: placements.Structure},
	}
	s.Change = func(t *testing.T) {
		n++
		text := "i\n"
		for i := range n + 1 {
			text += fmt.Sprintln(i)
		}
		writeFiles(t, dir, map[string]string{"changes.csv": text})
		before = contents(t, dir)
	}
	s.Internals = []string{filepath.Dir(dir), os.TempDir(), "sqlite3"}
	sourcetest.Run(t, s)
}

// boundInFiles are queries with parameters on what was read of a file.
func boundInFiles() []sourcetest.BoundCase {
	of := func(p placements.Parameter, sql string, v placements.ParameterValue, want ...checksum.Cell) sourcetest.BoundCase {
		p.Name = "v"
		return sourcetest.BoundCase{Name: sql, Query: source.Query{SQL: sql, Parameters: sourcetest.Arguments(p, v)}, Want: want}
	}
	one, num := placements.OneValue, placements.NumberScalar
	return []sourcetest.BoundCase{
		of(placements.Parameter{Type: placements.ParameterNumber}, "SELECT count(*), typeof(@v) FROM labels WHERE id = @v", one(num(1)), checksum.Num(1), checksum.Str("integer")),
		of(placements.Parameter{Type: placements.ParameterNumber, List: true}, "SELECT count(*) FROM labels WHERE id IN (@v)", placements.ListValue(num(1), num(2)), checksum.Num(2)),
		of(placements.Parameter{Type: placements.ParameterDate}, "SELECT count(*) FROM sales WHERE day = @v", one(placements.TextScalar("2024-05-06")), checksum.Num(1)),
		of(placements.Parameter{Type: placements.ParameterBoolean}, "SELECT @v + 1", one(placements.BooleanScalar(true)), checksum.Num(2)),
	}
}

// writes are statements that do more than read; some would leave files in dir.
func writes(dir string) []string {
	return []string{
		"INSERT INTO labels VALUES (1, 'one')", "INSERT INTO labels VALUES (1, 'one') RETURNING id", "UPDATE labels SET label = 'x'",
		"DELETE FROM labels", "WITH gone AS (SELECT 1) DELETE FROM labels", "CREATE TABLE more (i)", "CREATE TEMP TABLE more (i)", "DROP TABLE labels",
		"ATTACH ':memory:' AS other", "ATTACH '" + filepath.Join(dir, "attached.db") + "' AS other", "DETACH main", "VACUUM",
		"VACUUM INTO '" + filepath.Join(dir, "copy.db") + "'", "VACUUM main INTO '" + filepath.Join(dir, "copy.csv") + "'", "PRAGMA user_version = 7",
		"PRAGMA query_only = OFF", "PRAGMA writable_schema = 1", "SELECT * FROM pragma_user_version", "SELECT load_extension('libevil.so')",
		"CREATE VIRTUAL TABLE words USING fts5(word)", "REINDEX", "ANALYZE", "BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT s",
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[entry.Name()] = string(text)
	}
	return found
}

func wantContents(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("the folder (-want +got):\n%s", diff)
	}
}

func sampleCells(t *testing.T) []sourcetest.CellCase {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	cell := func(name, query string, want checksum.Cell, format string) sourcetest.CellCase {
		return sourcetest.CellCase{Name: name, Query: source.Query{SQL: query, Location: berlin}, Want: []checksum.Cell{want}, Formats: []string{format}}
	}
	num, str := checksum.Num, checksum.Str
	const noon = 45418 // 2024-05-06
	return []sourcetest.CellCase{
		cell("integer", "SELECT id FROM labels WHERE label = 'two'", num(2), ""),
		cell("number", `SELECT "Net ""Total" FROM "Orders 2" LIMIT 1`, num(1.5), ""),
		cell("zeros before a number", `SELECT "a ""key""" FROM "orders 2" LIMIT 1`, str("07"), ""),
		cell("nothing", `SELECT "Net ""Total" FROM main."ORDERS 2" LIMIT 1 OFFSET 1`, checksum.Cell{}, ""),
		cell("lines in a value", `SELECT "a ""key""" FROM [Orders 2] LIMIT 1 OFFSET 1`, str("line\nline"), ""),
		cell("instant of a line", "SELECT at FROM events LIMIT 1", num(noon+8./24), checksum.DateTimeFormat),
		cell("nothing of a line", "SELECT at FROM events LIMIT 1 OFFSET 1", checksum.Cell{}, checksum.DateTimeFormat),
		cell("truth of a line", "SELECT ok FROM events LIMIT 1 OFFSET 1", checksum.Bool(true), ""),
		cell("list of a line", "SELECT tags FROM events LIMIT 1", str(`["a","b"]`), ""),
		cell("numbers of lines", "SELECT sum(n) FROM events", num(3.5), ""),
		cell("date of Parquet", "SELECT day FROM sales", num(noon), checksum.DateFormat),
		cell("instant of Parquet", "SELECT at FROM sales", num(noon+8./24), checksum.DateTimeFormat),
		cell("decimal of Parquet", "SELECT price FROM sales", num(12.5), ""),
		cell("list of Parquet", "SELECT tags FROM sales", str(`["a","b"]`), ""),
		cell("a join of all kinds", "SELECT count(*) FROM labels l JOIN events e ON e.n = l.id JOIN sales s USING (id)", num(1), ""),
		cell("the same table twice", "SELECT count(*) FROM labels a, labels b", num(4), ""),
		cell("a table that only a subquery names", "SELECT 1 WHERE EXISTS (SELECT 1 FROM labels)", num(1), ""),
		cell("a name that a query gives itself", "WITH labels AS (SELECT 7 AS id) SELECT id FROM labels", num(7), ""),
	}
}
