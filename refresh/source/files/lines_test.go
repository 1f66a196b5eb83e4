package files_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestColumnsOfLinesAreTheirKeysInOrder(t *testing.T) {
	src := open(t, folderOf(t, map[string]string{"t.jsonl": `{"b": 1, "a": "x", "\u0063": {"z": 1, "y": [true, null]}}
{"d": null, "c": [1], "a": "y"}
{"e": "2024-05-06", "f": "2024-05-06T07:08:09+02:00", "g": true, "h": 1.5, "d": 3}
{"e": "1999-12-31", "f": null, "g": false, "h": 2, "i": 1, "j": "1", "k": 9223372036854775808, "l": 1E5}
{"i": "1", "j": "2"}`}))
	want := "b:number a:text c:json d:number e:date f:datetime g:boolean h:number i:text j:text k:text l:number"
	if got := described(t, src, "t"); got != want {
		t.Errorf("columns\n%s, want\n%s", got, want)
	}
	for sql, want := range map[string][]string{
		"SELECT c FROM t": {`{"z":1,"y":[true,null]}`, "[1]", "–", "–", "–"},
		"SELECT json_extract(c, '$.y[0]') || '' FROM t LIMIT 1": {"1"},
		"SELECT i FROM t WHERE i IS NOT NULL":                   {"1", "1"},
		"SELECT k FROM t WHERE k IS NOT NULL":                   {"9223372036854775808"},
		"SELECT typeof(j) FROM t WHERE j IS NOT NULL":           {"text", "text"},
	} {
		if diff := cmp.Diff(want, column(t, src, sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
}

func TestValuesOfSeveralKindsAreText(t *testing.T) {
	src := open(t, folderOf(t, map[string]string{"t.ndjson": "\xef\xbb\xbf{\"v\":1}\r\n{\"v\":\"a\\tb\"}\r\n{\"v\":true}\r\n{\"v\":{\"a\": 1}}\r\n{\"v\":\"\"}\r\n{}\r\n"}))
	if diff := cmp.Diff([]string{"1", "a\tb", "true", `{"a": 1}`, "empty", "–"}, column(t, src, "SELECT CASE v WHEN '' THEN 'empty' ELSE v END FROM t")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
