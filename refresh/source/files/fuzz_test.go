package files

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// recorded are rows as texts: their values with the datatype before each.
type recorded struct {
	rows [][]string
	row  []string
}

func (r *recorded) Null()       { r.row = append(r.row, "null") }
func (r *recorded) Int(v int64) { r.row = append(r.row, "int "+strconv.FormatInt(v, 10)) }
func (r *recorded) Real(v float64) {
	r.row = append(r.row, "real "+strconv.FormatFloat(v, 'g', -1, 64))
}
func (r *recorded) Text(text []byte) { r.row = append(r.row, "text "+string(text)) }
func (r *recorded) Blob(blob []byte) { r.row = append(r.row, "blob "+string(blob)) }

func (r *recorded) End() error {
	r.rows, r.row = append(r.rows, r.row), nil
	return nil
}

// readAll reads a file of these contents; without a table its error is a fault of the file.
func readAll(t *testing.T, name string, contents []byte) (*sqlite.Table, *recorded) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), contents, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	table, err := f.Table(t.Context(), "t")
	if err != nil {
		if !bytes.Contains([]byte(err.Error()), []byte(name)) {
			t.Fatalf("%v does not name the file", err)
		}
		return nil, nil
	}
	rows := &recorded{}
	if err := table.Fill(t.Context(), rows); err != nil {
		t.Fatalf("what was typed cannot be read: %v", err)
	}
	for _, row := range rows.rows {
		if len(row) != len(table.Columns) {
			t.Fatalf("a row of %d values, of %d columns", len(row), len(table.Columns))
		}
	}
	return table, rows
}

// fits says whether a text may come as a value of a column: what is text as it stands, numbers as the same numbers.
func fits(declared, text, value string) bool {
	switch declared {
	case "INTEGER":
		v, err := strconv.ParseInt(text, 10, 64)
		return err == nil && value == fmt.Sprint("int ", v)
	case "REAL":
		v, err := strconv.ParseFloat(text, 64)
		return err == nil && value == "real "+strconv.FormatFloat(v, 'g', -1, 64)
	case "BOOLEAN":
		v, err := strconv.ParseBool(text)
		return err == nil && (value == "int 1") == v
	case "DATE":
		is, _ := source.MomentType(text)
		return is == source.TypeDate && value == "text "+text
	case "DATETIME", "TIMESTAMP":
		is, zoned := source.MomentType(text)
		return is == source.TypeDateTime && zoned == (declared == "TIMESTAMP") && value == "text "+text
	}
	return value == "text "+text
}

// FuzzCSV reads CSV and compares each value with what the library reads: none is lost, and none is changed.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"a,b\n1,x\n007,\n", "a;b\r\n1.5;\"q\"\"q\"\r\n", "\xef\xbb\xbfa\tb\n2024-05-06\ttrue\n", "a\n1E5\n-0\n9223372036854775808\n",
		"a\n2024-05-06T07:08Z\n", "\"a\nb\"\n\"c\r\nd\"\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, contents []byte) {
		table, got := readAll(t, "t.csv", contents)
		if table == nil {
			return
		}
		contents = bytes.TrimPrefix(contents, []byte(byteOrder))
		r := csv.NewReader(bytes.NewReader(contents))
		r.Comma = delimiter(contents)
		rows, err := r.ReadAll()
		if err != nil || len(rows) != len(got.rows)+1 {
			t.Fatalf("%d rows, want %d less the head, %v", len(got.rows), len(rows), err)
		}
		for i, row := range rows[1:] {
			for j, text := range row {
				value, declared := got.rows[i][j], table.Columns[j].Type
				if text == "" && value != "null" || text != "" && !fits(declared, text, value) {
					t.Errorf("%q of a column of %s is %q", text, declared, value)
				}
				if len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' && declared != "TEXT" && declared != "DATE" && declared != "DATETIME" && declared != "TIMESTAMP" {
					t.Errorf("%q loses its zeros in a column of %s", text, declared)
				}
			}
		}
	})
}

// FuzzJSONLines reads JSON lines and compares each value with what encoding/json reads.
func FuzzJSONLines(f *testing.F) {
	for _, text := range []string{
		`{"a":1}` + "\n" + `{"b":"x","a":null}`, `{"a":1.5,"b":[1, 2]}` + "\n\n" + `{"a":{"c":true}}`, `{"a":"2024-05-06"}`, `{"\u0061":1}` + "\n" + `{"a":2}`,
		`{"a":9223372036854775808}`, `{"a":true}{"b":1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, contents []byte) {
		table, got := readAll(t, "t.jsonl", contents)
		if table == nil {
			return
		}
		n := 0
		for _, line := range bytes.Split(bytes.TrimPrefix(contents, []byte(byteOrder)), []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var members map[string]json.RawMessage
			if err := json.Unmarshal(line, &members); err != nil {
				t.Fatalf("%q passes: %v", line, err)
			}
			for i, c := range table.Columns {
				raw, there := members[c.Name]
				value := got.rows[n][i]
				var text string
				if json.Unmarshal(raw, &text) != nil {
					text = string(raw)
				}
				if null := !there || string(raw) == "null"; null && value != "null" || !null && !fits(c.Type, text, value) {
					t.Errorf("%q of a column of %s is %q", raw, c.Type, value)
				}
			}
			n++
		}
		if n != len(got.rows) {
			t.Errorf("%d rows of %d objects", len(got.rows), n)
		}
	})
}
