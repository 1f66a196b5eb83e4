package google

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPackFillsBatches(t *testing.T) {
	request := func(n int) []byte { return make([]byte, n) }
	for _, row := range []struct {
		fact     string
		requests [][]byte
		want     []int // requests a batch
	}{
		{"nothing", nil, nil},
		{"all fit", [][]byte{request(10), request(10)}, []int{2}},
		{"by size", [][]byte{request(60), request(60), request(30)}, []int{1, 2}},
		{"by number", [][]byte{request(1), request(1), request(1), request(1)}, []int{3, 1}},
		{"one too large goes alone", [][]byte{request(1), request(500), request(1)}, []int{1, 1, 1}},
	} {
		var got []int
		for _, part := range pack(row.requests, 100, 3) {
			got = append(got, len(part))
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: %s", row.fact, diff)
		}
	}
}

func TestMarkerNames(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"abc", "ABC", "a-b", "a_b", "a__b", "a_2db", "ä", "1", "", strings.Repeat("é", 200), strings.Repeat("é", 201)} {
		name := markerName(id)
		if other, taken := seen[strings.ToLower(name)]; taken {
			t.Errorf("%q and %q share the name %s", id, other, name)
		}
		seen[strings.ToLower(name)] = id
		if len(name) > maxName || strings.Trim(name, "_0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			t.Errorf("%q gives %s", id, name)
		}
	}
	if got := markerName("p1"); got != "_mooring_p1" {
		t.Errorf("a plain id gives %s", got)
	}
}

func TestFormatTypes(t *testing.T) {
	for pattern, want := range map[string]string{
		"yyyy-mm-dd": "DATE", "yyyy-mm-dd hh:mm:ss": "DATE_TIME", "hh:mm": "TIME", "0.0%": "PERCENT", "#,##0.00": "NUMBER", "@": "TEXT",
	} {
		if got := formatType(pattern); got != want {
			t.Errorf("%s is %s, want %s", pattern, got, want)
		}
	}
}
