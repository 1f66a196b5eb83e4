package yaml_test

import (
	"fmt"
	"strings"
	"testing"

	"mooring/cmd/mooring/yaml"
)

func TestComposeReadsWhatNodesStandFor(t *testing.T) {
	n, faults := yaml.Compose("x.yaml", "\uFEFFa: &x\r\n  b: &y 0x10\r\nc: *x\r\nd:\r\n  <<: *x\r\n  e: !t *y\r\n? f\r\n: .inf\r\n")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, tt := range []struct {
		path                         []any
		written, place, start, merge string
	}{
		{[]any{"a", "b"}, "0x10", "x.yaml:2:9", "x.yaml:2:6", ""},
		{[]any{"c"}, "", "x.yaml:2:4", "x.yaml:3:4", ""},
		{[]any{"c", "b"}, "0x10", "x.yaml:2:9", "x.yaml:2:6", ""},
		{[]any{"d"}, "", "x.yaml:5:5", "x.yaml:5:5", "<<"},
		{[]any{"d", "e"}, "0x10", "x.yaml:2:9", "x.yaml:6:6", ""},
		{[]any{"?"}, ".inf", "x.yaml:8:3", "x.yaml:8:3", ""},
	} {
		got, merge := n.Find(tt.path...), ""
		if len(got.Pairs) > 0 && got.Pairs[0].Merge {
			merge = got.Pairs[0].Key.Text
		}
		if got.Written() != tt.written || got.Place.String() != tt.place || got.Start().String() != tt.start || merge != tt.merge {
			t.Errorf("%v: %q at %s, from %s, merge %q; want %+v", tt.path, got.Written(), got.Place, got.Start(), merge, tt)
		}
	}
}

func TestComposeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"a: &x [*x]\n":       "x.yaml:1:8: *x names no value above it",
		"a: *x\nb: *y\n":     "x.yaml:1:4: *x names no value above it",
		"a: 1\nb: 2\na: 3\n": `x.yaml:3:1: mapping key "a" already defined at [1:1]`,
		"a: 1\n---\nb: 2\n":  "x.yaml:3:2: a second YAML document: keep everything in one",
		"a: [1\nb: 2\n":      "x.yaml:2:1: ',' or ']' must be specified",
	} {
		_, faults := yaml.Compose("x.yaml", text)
		if len(faults) == 0 || !strings.HasPrefix(faults[0].String(), want) {
			t.Errorf("%q: %v, want %q", text, faults, want)
		}
	}
}

// Each text is there once, however many aliases stand for the mapping that it is in: a value that was replaced is not replaced again.
func TestTextsAreThereOnce(t *testing.T) {
	n, _ := yaml.Compose("x.yaml", "a: &x {b: 1st, c: [2nd, 3]}\nd: *x\ne:\n  <<: *x\n  f: |\n    4th\n")
	var got []string
	for text := range n.Texts() {
		got = append(got, text.Text)
	}
	if fmt.Sprint(got) != "[1st 2nd 4th\n]" {
		t.Errorf("got %q", got)
	}
}
