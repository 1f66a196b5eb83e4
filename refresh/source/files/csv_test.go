package files_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

// described are the columns of a table with their types, as name:type.
func described(t *testing.T, src source.Source, table string) string {
	t.Helper()
	fields, err := src.(source.Describer).Describe(t.Context(), source.Query{SQL: "SELECT * FROM " + table})
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, f := range fields {
		all = append(all, f.Name+":"+string(f.Type))
	}
	return strings.Join(all, " ")
}

// column are the texts that a query of one column shows below its head.
func column(t *testing.T, src source.Source, sql string) (texts []string) {
	t.Helper()
	_, grid := sourcetest.Table(t, src, source.Query{SQL: sql})
	for i := 1; i < grid.Rows(); i++ {
		text := "–"
		if cells := grid.Cells(i, nil); len(cells) > 0 {
			text = cells[0].Text
		}
		texts = append(texts, text)
	}
	return texts
}

func TestCSVColumnsAreTypedByAllTheirValues(t *testing.T) {
	for _, row := range []struct {
		fact, values, want string
	}{
		{"whole numbers", "1|-2|0|007x", "text"},
		{"whole numbers alone", "1|-2|0|9007199254740993", "number"},
		{"numbers", "1|-0.5|12.50|1e-05|2E+3|1.5e3", "number"},
		{"nothing", "||", "text"},
		{"nothing beside numbers", "|7|", "number"},
		{"zeros before", "1|007", "text"},
		{"a zero and a point", "0.5|0", "number"},
		{"a name like a number", "12E4|1", "text"},
		{"more digits than 64 bits", "1|92233720368547758080", "text"},
		{"more digits than a number among numbers", "0.5|9007199254740993", "text"},
		{"beyond all numbers", "1.0e999", "text"},
		{"a sign before", "+49|1", "text"},
		{"a comma", "1,5|2", "text"},
		{"a blank", " 1|2", "text"},
		{"a point without digits", "1.|2", "text"},
		{"hexadecimal", "0x10", "text"},
		{"words that strconv takes", "NaN|Inf", "text"},
		{"truth", "true|FALSE|False", "boolean"},
		{"truth in other words", "yes|no", "text"},
		{"truth and numbers", "true|1", "text"},
		{"dates", "2024-05-06|1999-12-31", "date"},
		{"a date that is none", "2024-02-30", "text"},
		{"dates of other forms", "06.05.2024", "text"},
		{"wall times", "2024-05-06 07:08|2024-05-06T07:08:09.5", "datetime"},
		{"instants", "2024-05-06T07:08:09Z|2024-05-06 07:08:09+02:00", "datetime"},
		{"wall times and instants", "2024-05-06 07:08|2024-05-06T07:08:09Z", "text"},
		{"dates and times", "2024-05-06|2024-05-06 07:08", "text"},
		{"a time alone", "07:08", "text"},
		{"text", "a|1", "text"},
	} {
		text := "x;v\n"
		for _, value := range strings.Split(row.values, "|") {
			text += "1;" + value + "\n"
		}
		src := open(t, folderOf(t, map[string]string{"t.csv": text}))
		if got := described(t, src, "t"); got != "x:number v:"+row.want {
			t.Errorf("%s: %s, want %s", row.fact, got, row.want)
		}
	}
}

func TestCSVKeepsTheTextOfTexts(t *testing.T) {
	src := open(t, folderOf(t, map[string]string{"t.csv": "v\n007\n\"a, \"\"b\"\"\r\nc\"\n=1+1\n 1 \n\"\"\n"}))
	if diff := cmp.Diff([]string{"007", "a, \"b\"\nc", "=1+1", " 1 ", "–"}, column(t, src, "SELECT v FROM t")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCSVFindsWhatStandsBetweenValues(t *testing.T) {
	for name, text := range map[string]string{
		"comma":                       "a,b\n1,2\n",
		"semicolon":                   "a;b\n1;2\n",
		"tab":                         "a\tb\n1\t2\n",
		"more semicolons":             "a;b\n1;2,5\n",
		"in quotes it does not count": "\"a\";b\n1;2\n",
		"a byte order mark":           "\xef\xbb\xbfa,b\n1,2\n",
		"CRLF":                        "a,b\r\n1,2\r\n",
		"no end of the last line":     "a,b\n1,2",
	} {
		src := open(t, folderOf(t, map[string]string{"t.csv": text}))
		if got := described(t, src, "t"); !strings.HasPrefix(got, "a:number b:") {
			t.Errorf("%s: %s", name, got)
		}
	}
	src := open(t, folderOf(t, map[string]string{"t.tsv": "\"a;b;c\"\td\n1\t2\n"}))
	if got := described(t, src, "t"); got != "a;b;c:number d:number" {
		t.Errorf("quotes: %s", got)
	}
	src = open(t, folderOf(t, map[string]string{"t.csv": "only\n1\n"}))
	if got := described(t, src, "t"); got != "only:number" {
		t.Errorf("one column: %s", got)
	}
}

// broken are files that are no tables, with what their faults hold.
var broken = map[string]struct{ text, want string }{
	"empty.csv":       {"", "line 1: no head"},
	"blank.csv":       {"\n\n", "line 1: no head"},
	"nameless.csv":    {"a,,c\n1,2,3\n", "line 1: column 2 has no name"},
	"twice.csv":       {"a,b,A\n1,2,3\n", `line 1: the columns 1 and 3 have one name, "A"`},
	"short.csv":       {"a,b\n1,2\n\"x\ny\",2\n1\n", "line 5: 1 values, where the head has 2 names"},
	"long.csv":        {"a,b\n1,2,3\n", "line 2: 3 values, where the head has 2 names"},
	"quote.csv":       {"a\n1\nsay \"hi\"\n", "line 3: a quote in a value"},
	"open.csv":        {"a\n1\n\"2\n3\n", "line 3: a value in quotes that does not end"},
	"latin.csv":       {"a,b\n1,x\n2,caf\xe9\n", "line 3: no UTF-8"},
	"latinhead.csv":   {"a,caf\xe9\n1,2\n", "line 1: no UTF-8"},
	"wide.csv":        {"\xff\xfea\x00\n\x00", "line 1: UTF-16"},
	"mac.csv":         {"a,b\r1,2\r", "line 1: its lines end with CR"},
	"many.csv":        {strings.TrimSuffix(strings.Repeat("x,", 2001), ",") + "\n", "line 1: 2001 columns; a table has at most 2000"},
	"empty.jsonl":     {"\n", "line 1: no JSON object with a key"},
	"array.jsonl":     {"{\"a\":1}\n[1]\n", "line 2: no JSON object"},
	"cut.jsonl":       {"{\"a\":1}\n\n{\"a\":\n", "line 3: no JSON from byte"},
	"two.jsonl":       {"{\"a\":1} {\"a\":2}\n", "line 1: more than one JSON object"},
	"key.jsonl":       {"{\"a\":1,\"a\":2}\n", "line 1: a key stands twice"},
	"case.ndjson":     {"{\"a\":1}\n{\"A\":1}\n", `the columns 1 and 2 have one name`},
	"utf.jsonl":       {"{\"a\":\"caf\xe9\"}\n", "line 1: no JSON from byte"},
	"rubbish.parquet": {"no Parquet, but long enough to be taken for some", "no whole Parquet file"},
	"nothing.parquet": {"", "no whole Parquet file"},
	"sqlite_x.csv":    {"a\n1\n", "a name that SQLite keeps for itself"},
	"json_each.csv":   {"a\n1\n", "a name that SQLite keeps for itself"},
}

func TestABrokenFileFailsOnlyItsOwnTable(t *testing.T) {
	all := map[string]string{"good.csv": "a\n1\n", "orders.csv": "a\n1\n", "Orders.jsonl": "{}\n"}
	for name, b := range broken {
		all[name] = b.text
	}
	delete(all, "empty.jsonl") // as empty.csv is
	src := open(t, folderOf(t, all))
	if got := described(t, src, "good"); got != "a:number" {
		t.Errorf("beside the broken ones: %s", got)
	}
	list, err := src.(source.Catalog).Catalog(t.Context(), source.User{})
	if err != nil || len(list) != 1 || list[0].Name != "good" {
		t.Errorf("listed are %v, %v", list, err)
	}
	for name, b := range broken {
		src := open(t, folderOf(t, map[string]string{name: b.text, "good.csv": "a\n1\n"}))
		table := `"` + name[:strings.LastIndex(name, ".")] + `"`
		var built checksum.Builder
		_, err := src.Query(t.Context(), source.Query{SQL: "SELECT * FROM good JOIN " + table}, &built)
		if table != `"json_each"` { // which SQLite has, too
			wantFault(t, err, placements.Structure, name)
			wantFault(t, err, placements.Structure, b.want)
		}
		warnings, err := src.(source.Warner).Warnings(t.Context(), nil)
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], name) || !strings.Contains(warnings[0], b.want) {
			t.Errorf("%s: warnings %q, %v", name, warnings, err)
		}
	}
}

// wantFault fails the test unless err is a fault of a class whose message holds a text.
func wantFault(t *testing.T, err error, class placements.Class, text string) {
	t.Helper()
	fault, ok := err.(*placements.Fault) //nolint:errorlint // as users get it
	if !ok || fault.Class != class || !strings.Contains(fault.Message, text) {
		t.Errorf("got %v, want a %s fault with %q", err, class, text)
	}
}
