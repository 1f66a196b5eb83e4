package files_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
)

func queryError(t *testing.T, src source.Source, sql string) error {
	t.Helper()
	_, err := src.Query(t.Context(), source.Query{SQL: sql}, new(checksum.Builder))
	return err
}

func TestTwoFilesOfOneNameAreNoTable(t *testing.T) {
	src := open(t, folderOf(t, map[string]string{"orders.csv": "a\n1\n", "Orders.jsonl": `{"a":1}`, "good.csv": "a\n1\n"}))
	err := queryError(t, src, "SELECT * FROM orders")
	wantFault(t, err, placements.Structure, "Orders.jsonl, orders.csv")
	if err := queryError(t, src, "SELECT * FROM good"); err != nil {
		t.Error(err)
	}
}

func TestLinksOutOfTheFolderAreRefused(t *testing.T) {
	outside := folderOf(t, map[string]string{"secret.csv": "a\nhidden\n"})
	dir := folderOf(t, map[string]string{"good.csv": "a\n1\n"})
	link := func(name, to string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	up, err := filepath.Rel(dir, filepath.Join(outside, "secret.csv"))
	if err != nil {
		t.Fatal(err)
	}
	link("absolute.csv", filepath.Join(outside, "secret.csv"))
	link("relative.csv", up)
	link("folder", outside)
	link("through.csv", "folder/secret.csv")
	link("dangling.csv", "none.csv")
	link("device.csv", "/dev/zero")
	link("inside.csv", "good.csv")
	src := open(t, dir)
	for _, table := range []string{"absolute", "relative", "through", "dangling", "device"} {
		wantFault(t, queryError(t, src, "SELECT * FROM "+table), placements.Structure, table+".csv is a link that leads out of the folder")
	}
	for _, table := range []string{"../" + filepath.Base(outside) + "/secret", "folder/secret", "./good", outside + "/secret", "secret"} {
		wantFault(t, queryError(t, src, `SELECT * FROM "`+table+`"`), placements.Structure, "no such table")
	}
	if err := queryError(t, src, "SELECT * FROM inside"); err != nil {
		t.Errorf("a link within the folder: %v", err)
	}
	if _, err := src.(source.Prober).Probe(t.Context(), ""); err != nil {
		t.Errorf("probe: %v", err)
	}
}

func TestWhatIsNoFileIsNoTable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "parts.parquet"), 0o700); err != nil {
		t.Fatal(err)
	}
	wantFault(t, queryError(t, open(t, dir), "SELECT * FROM parts"), placements.Structure, "parts.parquet is a folder")
}

func TestFilesSeeWhatChangedBetweenQueries(t *testing.T) {
	dir := folderOf(t, map[string]string{"t.csv": "a\n1\n"})
	src := open(t, dir)
	for _, change := range []struct{ fact, text, want string }{
		{"as it was", "", "a:number"},
		{"another value", "a\nx\n", "a:text"},
		{"another column", "a,b\n1,true\n", "a:number b:boolean"},
	} {
		if change.text != "" {
			writeFiles(t, dir, map[string]string{"t.csv": change.text})
		}
		if got := described(t, src, "t"); got != change.want {
			t.Errorf("%s: %s, want %s", change.fact, got, change.want)
		}
	}
	if err := os.Remove(filepath.Join(dir, "t.csv")); err != nil {
		t.Fatal(err)
	}
	wantFault(t, queryError(t, src, "SELECT * FROM t"), placements.Structure, "no such table: t")
	writeFiles(t, dir, map[string]string{"new.jsonl": `{"a":1}`})
	if got := described(t, src, "new"); got != "a:number" {
		t.Errorf("a new file: %s", got)
	}
}

func TestAProbeTellsOnlyFilesThatAreTables(t *testing.T) {
	dir := folderOf(t, map[string]string{"t.csv": "a\n1\n"})
	probe := func() string {
		t.Helper()
		value, err := open(t, dir).(source.Prober).Probe(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	seen := map[string]string{probe(): "the beginning"}
	told := func(what string) {
		t.Helper()
		value := probe()
		if before, ok := seen[value]; ok {
			t.Errorf("%s is the same as %s", what, before)
		}
		seen[value] = what
	}
	writeFiles(t, dir, map[string]string{"t.csv": "a\n2\n"})
	told("another value")
	writeFiles(t, dir, map[string]string{"u.jsonl": "{}"})
	told("another file")
	if err := os.Rename(filepath.Join(dir, "u.jsonl"), filepath.Join(dir, "v.jsonl")); err != nil {
		t.Fatal(err)
	}
	told("another name")
	if err := os.Remove(filepath.Join(dir, "v.jsonl")); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{"notes.txt": "x", ".t.csv.swp": "x", ".new.csv": "x"})
	if what := seen[probe()]; what != "another value" {
		t.Errorf("with files that are no tables it is %q", what)
	}
}

// A file is read in time, too: what takes long may be the reading of it.
func TestReadingAFileEnds(t *testing.T) {
	dir := folderOf(t, map[string]string{"t.csv": "a,b\n" + strings.Repeat("1,2024-05-06\n", 400_000)})
	src := open(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := src.Query(ctx, source.Query{SQL: "SELECT count(*) FROM t"}, new(checksum.Builder)); ctx.Err() == nil || err != ctx.Err() { //nolint:errorlint // itself
		t.Errorf("got %v, want the context's error", err)
	}
	limited := openWith(t, dir, source.Limits{StatementTimeout: 20 * time.Millisecond})
	wantFault(t, queryError(t, limited, "SELECT count(*) FROM t"), placements.Permanent, "took longer than 20ms")
}

func TestATableThatNeedsMoreMemoryThanAQueryMayHave(t *testing.T) {
	type row struct {
		A string `parquet:"a,dict"`
	}
	rows, value := make([]row, 1200), strings.Repeat("x", 1<<20)
	for i := range rows {
		rows[i].A = value // which stands in the file once
	}
	dir := folderOf(t, map[string]string{"good.csv": "a\n1\n"})
	writeParquet(t, filepath.Join(dir, "large.parquet"), rows...)
	src := open(t, dir)
	wantFault(t, queryError(t, src, "SELECT count(a) FROM large"), placements.Permanent, "more memory than a query may have")
	if err := queryError(t, src, "SELECT * FROM good"); err != nil {
		t.Error(err)
	}
}

func TestARowWithoutItsEnd(t *testing.T) {
	src := open(t, folderOf(t, map[string]string{
		"t.csv": "a\n1\n\"" + strings.Repeat("line\n", 14<<20), "u.jsonl": "{\"a\":1}\n{\"a\":\"" + strings.Repeat("x", 65<<20),
	}))
	wantFault(t, queryError(t, src, "SELECT * FROM t"), placements.Structure, "t.csv, line 3: a row of more than 64 MiB")
	wantFault(t, queryError(t, src, "SELECT * FROM u"), placements.Structure, "u.jsonl, line 2: a row of more than 64 MiB")
}

// What shows or reaches more than the data is refused as it is of an SQLite file.
func TestFilesRefuseWhatReachesMoreThanTheData(t *testing.T) {
	dir := folderOf(t, map[string]string{"docs.csv": "a\n1\n"})
	before := contents(t, dir)
	src := open(t, dir)
	for _, sql := range []string{
		"SELECT count(*) FROM sqlite_dbpage", "SELECT name FROM dbstat", "SELECT * FROM sqlite_stmt", "SELECT * FROM bytecode('SELECT 1')",
		"SELECT * FROM pragma_compile_options", "SELECT * FROM pragma_database_list", "SELECT * FROM pragma_table_info('docs')",
		"SELECT * FROM generate_series(1, 9)", "SELECT * FROM fsdir('/')", "SELECT * FROM csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'",
		"SELECT readfile('/etc/passwd')", "SELECT writefile('/tmp/x', 'x')", "SELECT edit('x')", "SELECT LOAD_EXTENSION('x.so')",
		"SELECT fts5(NULL)", "SELECT fts3_tokenizer('simple')", "SELECT sqlite_log(1, 'x')",
		"ATTACH '/tmp/x.db' AS x", "PRAGMA writable_schema = 1", "PRAGMA database_list", "PRAGMA temp_store_directory = '/tmp'",
		"INSERT INTO docs SELECT * FROM docs", "CREATE TABLE x AS SELECT * FROM docs", "CREATE TRIGGER x AFTER INSERT ON docs BEGIN SELECT 1; END",
		"CREATE VIRTUAL TABLE x USING csv(filename='/etc/passwd')", "DELETE FROM sqlite_schema", "UPDATE docs SET a = 1 RETURNING a",
		"SELECT 1 FROM docs; DELETE FROM docs", "EXPLAIN DELETE FROM docs",
	} {
		err := queryError(t, src, sql)
		if err == nil {
			t.Errorf("%s passes", sql)
			continue
		}
		wantFault(t, err, placements.Structure, "")
	}
	wantContents(t, dir, before)
}
