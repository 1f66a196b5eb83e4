package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
	"mooring/refresh/source/sqlite"
)

const sqliteSample = `
CREATE TABLE kinds (
  i INTEGER, r REAL, t TEXT, b BLOB, n INTEGER,
  yes BOOLEAN, no BOOL, maybe BOOLEAN,
  d DATE, dt DATETIME, tz TIMESTAMP, dint DATE, unix TIMESTAMP, millis DATETIME, julian DATETIME,
  clock TIME, price DECIMAL(10,2), odd DECIMAL, id UUID, doc JSON);
INSERT INTO kinds VALUES (
  42, 0.5, 'plain', x'00ff', NULL,
  1, 0, 7,
  '2024-05-06', '2024-05-06 06:00:00', '2024-05-06T06:00:00Z', 20240506, 1714975200, 1714975200000, 2460436.75,
  '18:00', 12.5, '12,50', x'00112233445566778899aabbccddeeff', '{"a": [1, 2]}');
CREATE TABLE labels (id INTEGER, label TEXT);
CREATE TABLE changes (i INTEGER);
CREATE VIEW view_of_labels AS SELECT * FROM labels;
CREATE VIRTUAL TABLE words USING fts5(word);
INSERT INTO words VALUES ('anchor'), ('mooring');
CREATE TABLE "Order" ("Net ""Total""" DECIMAL(10,2), code VARCHAR(9), size DOUBLE PRECISION, raw);
CREATE TABLE words_of (x); -- no shadow of words
CREATE TABLE gone (x);
CREATE VIEW view_of_nothing AS SELECT * FROM gone;
DROP TABLE gone;
`

// sqliteListed is what of the sample can be read.
func sqliteListed() []source.Dataset {
	field := func(name string, is source.FieldType) source.Field {
		return source.Field{Name: name, Insert: name, Type: is}
	}
	id, label := field("id", source.TypeNumber), field("label", source.TypeText)
	kinds := source.Dataset{Name: "kinds", Kind: source.KindTable, Insert: "kinds"}
	for _, of := range []struct {
		names []string
		is    source.FieldType
	}{
		{[]string{"i", "r"}, source.TypeNumber},
		{[]string{"t"}, source.TypeText},
		{[]string{"b"}, source.TypeOther},
		{[]string{"n"}, source.TypeNumber},
		{[]string{"yes", "no", "maybe"}, source.TypeBoolean},
		{[]string{"d"}, source.TypeDate},
		{[]string{"dt", "tz"}, source.TypeDateTime},
		{[]string{"dint"}, source.TypeDate},
		{[]string{"unix", "millis", "julian"}, source.TypeDateTime},
		{[]string{"clock"}, source.TypeTime},
		{[]string{"price", "odd"}, source.TypeNumber},
		{[]string{"id"}, source.TypeText},
		{[]string{"doc"}, source.TypeJSON},
	} {
		for _, name := range of.names {
			kinds.Columns = append(kinds.Columns, source.Field{Name: name, Insert: source.Identifier(name), Type: of.is})
		}
	}
	return []source.Dataset{
		{Name: "Order", Kind: source.KindTable, Insert: `"Order"`, Columns: []source.Field{
			{Name: `Net "Total"`, Insert: `"Net ""Total"""`, Type: source.TypeNumber},
			field("code", source.TypeText),
			field("size", source.TypeNumber), field("raw", source.TypeOther),
		}},
		{Name: "changes", Kind: source.KindTable, Insert: "changes", Columns: []source.Field{field("i", source.TypeNumber)}},
		kinds,
		{Name: "labels", Kind: source.KindTable, Insert: "labels", Columns: []source.Field{id, label}},
		{Name: "view_of_labels", Kind: source.KindView, Insert: "view_of_labels", Columns: []source.Field{id, label}},
		{Name: "words", Kind: source.KindTable, Insert: "words", Columns: []source.Field{field("word", source.TypeOther)}},
		{Name: "words_of", Kind: source.KindTable, Insert: "words_of", Columns: []source.Field{field("x", source.TypeOther)}},
	}
}

// sqliteFile makes a database file and returns its path.
func sqliteFile(t testing.TB, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	sqliteExec(t, path, statements)
	return path
}

func sqliteExec(t testing.TB, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

func TestSQLite(t *testing.T) {
	path := sqliteFile(t, sqliteSample)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	config := func(path string) source.Config { return &sqlite.Config{Path: path} }
	s := sourcetest.SQLite(config(path))
	s.Cells = sqliteCells(t)
	s.Bound = boundInSQLite()
	s.Telling = append(s.Telling, source.Query{SQL: "SELECT word FROM words WHERE words MATCH @text"})
	s.Listed = sqliteListed()
	s.Header = source.Query{SQL: "SELECT id, label FROM view_of_labels"}
	s.Writes = sqliteWrites(filepath.Dir(path))
	s.Unchanged = func(t *testing.T) { wantOnly(t, path, before) }
	s.Unreachable = map[string]sourcetest.Unreachable{
		"a missing file":      {Config: config(filepath.Join(t.TempDir(), "none.db")), Class: placements.Transient},
		"a directory":         {Config: config(t.TempDir()), Class: placements.Structure},
		"a file of rubbish":   {Config: config(rubbish(t)), Class: placements.Structure},
		"a truncated file":    {Config: config(truncated(t, before)), Class: placements.Structure},
		"a missing directory": {Config: config(filepath.Join(t.TempDir(), "no", "none.db")), Class: placements.Transient},
	}
	s.Change = func(t *testing.T) {
		sqliteExec(t, path, "INSERT INTO changes VALUES (1)")
		if before, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	s.Internals = []string{filepath.Dir(path), os.TempDir(), "sqlite3"}
	sourcetest.Run(t, s)
}

// sqliteWrites are statements that do more than read; some would leave files in dir.
func sqliteWrites(dir string) []string {
	return []string{
		"INSERT INTO labels VALUES (1, 'one')",
		"INSERT INTO labels VALUES (1, 'one') RETURNING id",
		"UPDATE labels SET label = 'x'",
		"DELETE FROM labels",
		"WITH gone AS (SELECT 1) DELETE FROM labels",
		"CREATE TABLE more (i)",
		"CREATE TEMP TABLE more (i)",
		"DROP TABLE labels",
		"ATTACH ':memory:' AS other",
		"ATTACH '" + filepath.Join(dir, "attached.db") + "' AS other",
		"DETACH main",
		"VACUUM",
		"VACUUM INTO '" + filepath.Join(dir, "copy.db") + "'",
		"PRAGMA journal_mode = WAL",
		"PRAGMA user_version = 7",
		"PRAGMA writable_schema = 1",
		"SELECT * FROM pragma_user_version",
		"SELECT load_extension('libevil.so')",
		"REINDEX", "ANALYZE", "BEGIN IMMEDIATE", "SAVEPOINT s",
		"INSERT INTO words(words) VALUES ('rebuild')",
	}
}

func sqliteCells(t *testing.T) []sourcetest.CellCase {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	cell := func(name, query string, want checksum.Cell, format string) sourcetest.CellCase {
		return sourcetest.CellCase{
			Name:    name,
			Query:   source.Query{SQL: query, Location: berlin},
			Want:    []checksum.Cell{want},
			Formats: []string{format},
		}
	}
	num, str := checksum.Num, checksum.Str
	const noon = 45418 // 2024-05-06
	return []sourcetest.CellCase{
		cell("integer", "SELECT i FROM kinds", num(42), ""),
		cell("integer beyond 2^53", "SELECT 9007199254740993", str("9007199254740993"), ""),
		cell("smallest integer", "SELECT -9223372036854775808", str("-9223372036854775808"), ""),
		cell("real", "SELECT r FROM kinds", num(0.5), ""),
		cell("infinity", "SELECT 9e999", checksum.Err(checksum.NotANumber), ""),
		cell("text", "SELECT t FROM kinds", str("plain"), ""),
		cell("text like a formula", "SELECT '=1+1'", str("=1+1"), ""),
		cell("text with a NUL", "SELECT cast(x'610062' AS TEXT)", str("a\x00b"), ""),
		cell("text that is no UTF-8", "SELECT cast(x'61ff' AS TEXT)", str("a\uFFFD"), ""),
		cell("empty text", "SELECT ''", checksum.Cell{}, ""),
		cell("blob", "SELECT b FROM kinds", str("00ff"), ""),
		cell("empty blob", "SELECT x''", checksum.Cell{}, ""),
		cell("null", "SELECT n FROM kinds", checksum.Cell{}, ""),
		cell("true", "SELECT yes FROM kinds", checksum.Bool(true), ""),
		cell("false", "SELECT no FROM kinds", checksum.Bool(false), ""),
		cell("a boolean that is neither", "SELECT maybe FROM kinds", num(7), ""),
		cell("a comparison is a number", "SELECT 1 < 2", num(1), ""),
		cell("date", "SELECT d FROM kinds", num(noon), checksum.DateFormat),
		cell("date and time without zone", "SELECT dt FROM kinds", num(noon+.25), checksum.DateTimeFormat),
		cell("instant", "SELECT tz FROM kinds", num(noon+8./24), checksum.DateTimeFormat),
		cell("integer date stays a number", "SELECT dint FROM kinds", num(20240506), checksum.DateFormat),
		cell("seconds since 1970", "SELECT unix FROM kinds", num(noon+8./24), checksum.DateTimeFormat),
		cell("milliseconds since 1970", "SELECT millis FROM kinds", num(noon+8./24), checksum.DateTimeFormat),
		cell("julian day", "SELECT julian FROM kinds", num(noon+.25), checksum.DateTimeFormat),
		cell("text in a date column", "SELECT d FROM (SELECT 'soon' AS d WHERE 0 UNION ALL SELECT 'soon')", str("soon"), ""),
		cell("an expression has no declared type", "SELECT date(d) FROM kinds", str("2024-05-06"), ""),
		cell("time of day", "SELECT clock FROM kinds", num(.75), checksum.TimeFormat),
		cell("decimal", "SELECT price FROM kinds", num(12.5), ""),
		cell("a decimal that is no number", "SELECT odd FROM kinds", str("12,50"), ""),
		cell("uuid", "SELECT id FROM kinds", str("00112233-4455-6677-8899-aabbccddeeff"), ""),
		cell("json", "SELECT doc FROM kinds", str(`{"a":[1,2]}`), ""),
		cell("a view keeps its columns' types", "SELECT d FROM (SELECT * FROM kinds)", num(noon), checksum.DateFormat),
		cell("full-text search", "SELECT word FROM words WHERE words MATCH 'anch*'", str("anchor"), ""),
		cell("table-valued function", "SELECT value FROM json_each('[3]')", num(3), ""),
		cell("recursion", "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i < 9) SELECT max(i) FROM n", num(9), ""),
		cell("comments around", "-- why\nSELECT 1; /* done */ ; -- bye", num(1), ""),
	}
}

// wantOnly fails the test unless path has these contents and no file lies beside it.
func wantOnly(t *testing.T, path string, contents []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, contents) {
		t.Error("the file changed")
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 {
		t.Errorf("files beside the database: %v", names)
	}
}

func rubbish(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "rubbish.db")
	if err := os.WriteFile(path, []byte("no database, but long enough to be taken for a header of one, if nobody looks\n"+
		"no database, but long enough to be taken for a header of one, if nobody looks\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// truncated keeps the header page, whose schema points to pages that are gone.
func truncated(t *testing.T, whole []byte) string {
	path := filepath.Join(t.TempDir(), "truncated.db")
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSQLiteMissingFileIsNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	src := sourcetest.Open(t, &sqlite.Config{Path: path})
	if err := src.Check(context.Background()); err == nil {
		t.Error("check passes")
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat: %v, want no file", err)
	}
}
