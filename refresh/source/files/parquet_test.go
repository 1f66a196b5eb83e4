package files_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sourcetest"
)

type kindsOfParquet struct {
	Bool    bool             `parquet:"bool"`
	Int     int32            `parquet:"int"`
	Unsign  uint32           `parquet:"unsigned"`
	Large   uint64           `parquet:"large"`
	Float   float32          `parquet:"float"`
	Double  float64          `parquet:"double"`
	Text    string           `parquet:"text"`
	Kind    string           `parquet:"kind,enum"`
	Doc     string           `parquet:"doc,json"`
	ID      uuid.UUID        `parquet:"id,uuid"`
	Raw     []byte           `parquet:"raw"`
	Day     int32            `parquet:"day,date"`
	Clock   int64            `parquet:"clock,time(microsecond)"`
	Milli   int64            `parquet:"milli,timestamp(millisecond:utc)"`
	Wall    int64            `parquet:"wall,timestamp(nanosecond:local)"`
	Old     deprecated.Int96 `parquet:"old"`
	Price   int32            `parquet:"price,decimal(2:9)"`
	Exact   int64            `parquet:"exact,decimal(1:18)"`
	Maybe   *string          `parquet:"maybe,optional"`
	Numbers []int64          `parquet:"numbers,list"`
	Pairs   map[int32]string `parquet:"pairs"`
	Group   struct {
		A *int64   `parquet:"a,optional"`
		B []string `parquet:"b"`
		C bool     `parquet:"c"`
		D float64  `parquet:"d"`
		E int64    `parquet:"e,timestamp(millisecond)"`
	} `parquet:"group"`
}

func TestParquetKinds(t *testing.T) {
	dir := t.TempDir()
	one := kindsOfParquet{
		Bool: true, Int: -7, Unsign: math.MaxUint32, Large: math.MaxUint64, Float: 0.1, Double: 2.5, Text: "=a", Kind: "k", Doc: `{"a": 1}`,
		ID: uuid.UUID{1, 2, 3, 15: 9}, Raw: []byte{0, 255}, Day: -1, Clock: 5400e6, Milli: 1714975200001, Wall: -1,
		Old: deprecated.Int96{2: 2440588 + 19849}, Price: -105, Exact: 999999999999999999,
		Numbers: []int64{1, 2}, Pairs: map[int32]string{4: `x"y`},
	}
	one.Group.B, one.Group.C, one.Group.D = []string{"p", ""}, true, math.NaN()
	writeParquet(t, filepath.Join(dir, "t.parquet"), one)
	src := open(t, dir)
	want := "bool:boolean int:number unsigned:number large:number float:number double:number text:text kind:text doc:json id:text raw:other " +
		"day:date clock:time milli:datetime wall:datetime old:datetime price:number exact:number maybe:text numbers:json pairs:json group:json"
	if got := described(t, src, "t"); got != want {
		t.Errorf("columns\n%s, want\n%s", got, want)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	columns, grid := sourcetest.Table(t, src, source.Query{SQL: "SELECT * FROM t", Location: berlin})
	num, str := checksum.Num, checksum.Str
	got := map[string]checksum.Cell{}
	for i, cell := range append(grid.Cells(1, nil), make([]checksum.Cell, len(columns))...)[:len(columns)] {
		got[columns[i].Name] = cell
	}
	const day = 45418 // 2024-05-06
	milli := got["milli"].Number
	got["milli"] = num(math.Round(milli * 24))
	if diff := cmp.Diff(map[string]checksum.Cell{
		"bool": checksum.Bool(true), "int": num(-7), "unsigned": num(math.MaxUint32), "large": str("18446744073709551615"), "float": num(0.1),
		"double": num(2.5), "text": str("=a"), "kind": str("k"), "doc": str(`{"a":1}`), "id": str("01020300-0000-0000-0000-000000000009"),
		"raw": str("00ff"), "day": num(25568), "clock": num(1.5 / 24), "milli": num(day*24 + 8), "wall": num(25569), "old": num(day + 2./24),
		"price": num(-1.05), "exact": str("99999999999999999.9"), "maybe": {}, "numbers": str("[1,2]"), "pairs": str(`{"4":"x\"y"}`),
		"group": str(`{"a":null,"b":["p",""],"c":true,"d":null,"e":"1970-01-01 00:00:00Z"}`),
	}, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if math.Abs(milli-(day+8./24+.001/86400)) > 1e-9 {
		t.Errorf("milliseconds are %v", milli)
	}
}

// The files of testdata/parquet are those of apache/parquet-testing, written by other programs.
func TestParquetOfOtherPrograms(t *testing.T) {
	src := open(t, "testdata/parquet")
	for _, row := range []struct{ sql, columns, first string }{
		{
			"SELECT * FROM alltypes_plain_snappy", "id:number bool_col:boolean tinyint_col:number smallint_col:number int_col:number bigint_col:number " +
				"float_col:number double_col:number date_string_col:other string_col:other timestamp_col:datetime",
			"6|1|0|0|0|0|0.0|0.0|04/01/09|0|2009-04-01 00:00:00Z",
		},
		{"SELECT *, (SELECT sum(value) FROM byte_array_decimal) AS s FROM byte_array_decimal", "value:number s:other", "1.0|300.0"},
		{"SELECT * FROM fixed_length_decimal_legacy", "value:number", "1.0"},
		{"SELECT * FROM int32_decimal ORDER BY value DESC", "value:number", "24.0"},
		{"SELECT * FROM int64_decimal", "value:number", "1.0"},
		{"SELECT * FROM list_columns", "int64_list:json utf8_list:json", `[1,2,3]|["abc","efg","hij"]`},
		{"SELECT count(*), c0 FROM lz4_raw_compressed", "count(*):other c0:number", "4|1593604800"},
		{"SELECT * FROM nested_lists_snappy", "a:json b:number", `[[["a","b"],["c"]],[null,["d"]]]|1`},
		{"SELECT * FROM nested_maps_snappy", "a:json b:number c:number", `{"a":{"1":true,"2":false}}|1|1.0`},
		{"SELECT * FROM null_list", "emptylist:json", "[]"},
		{
			"SELECT * FROM nullable_impala", "id:number int_array:json int_array_Array:json int_map:json int_Map_Array:json nested_struct:json",
			`1|[1,2,3]|[[1,2],[3,4]]|{"k1":1,"k2":100}|[{"k1":1}]|{"A":1,"b":[1],"C":{"d":[[{"E":10,"F":"aaa"},{"E":-10,"F":"bbb"}],[{"E":11,"F":"c"}]]},"g":{"foo":{"H":{"i":[1.1]}}}}`,
		},
		{"SELECT * FROM repeated_no_annotation WHERE id = 6", "id:number phoneNumbers:json", `6|{"phone":[{"number":1111111111,"kind":"home"},{"number":2222222222,"kind":null},{"number":3333333333,"kind":"mobile"}]}`},
		{"SELECT * FROM single_nan", "mycol:number", "–"},
		{"SELECT * FROM datapage_v2_snappy", "a:text b:number c:number d:boolean e:json", "abc|1|2.0|1|[1,2,3]"},
	} {
		fields, err := src.(source.Describer).Describe(t.Context(), source.Query{SQL: row.sql})
		if err != nil {
			t.Errorf("%s: %v", row.sql, err)
			continue
		}
		var names, texts []string
		for _, f := range fields {
			names = append(names, f.Name+":"+string(f.Type))
			texts = append(texts, "coalesce(CAST("+source.Identifier(f.Name)+" AS TEXT), '–')")
		}
		if got := strings.Join(names, " "); got != row.columns {
			t.Errorf("%s: columns\n%s, want\n%s", row.sql, got, row.columns)
		}
		got := column(t, src, "SELECT "+strings.Join(texts, "||'|'||")+" FROM ("+row.sql+") LIMIT 1")
		if diff := cmp.Diff([]string{row.first}, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", row.sql, diff)
		}
	}
	wantFault(t, queryError(t, src, "SELECT * FROM num_values_exceeds_data"), placements.Structure, "num_values_exceeds_data.parquet: no whole Parquet file")
}

// Of a Parquet file that is cut or changed anywhere, a query says so or shows what there is: nothing else ends, and other tables are read.
func TestParquetThatIsBroken(t *testing.T) {
	whole, err := os.ReadFile("testdata/parquet/nullable_impala.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += len(whole) / 24 {
		cut := whole[:i]
		changed := append([]byte{}, whole...)
		changed[i] ^= 0x5a
		dir := folderOf(t, map[string]string{"cut.parquet": string(cut), "changed.parquet": string(changed), "good.csv": "a\n1\n"})
		src := open(t, dir)
		wantFault(t, queryError(t, src, "SELECT * FROM cut"), placements.Structure, "cut.parquet: ")
		if err := queryError(t, src, "SELECT * FROM changed"); err != nil {
			wantFault(t, err, placements.Structure, "changed.parquet: ")
		}
		if err := queryError(t, src, "SELECT * FROM good"); err != nil {
			t.Error(err)
		}
	}
}

// More rows than one group has come in their order.
func TestParquetOfSeveralGroups(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type row struct {
		I int64   `parquet:"i"`
		L []int64 `parquet:"l,list"`
	}
	w := parquet.NewGenericWriter[row](f, parquet.MaxRowsPerRowGroup(70))
	for i := range int64(1000) {
		if _, err := w.Write([]row{{i, make([]int64, i%3)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := column(t, open(t, filepath.Dir(path)), "SELECT count(*) || ' ' || sum(i) || ' ' || sum(rowid - 1 = i) || ' ' || sum(json_array_length(l)) FROM t")
	if diff := cmp.Diff([]string{"1000 499500 1000 999"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
