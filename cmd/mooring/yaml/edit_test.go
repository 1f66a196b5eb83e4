package yaml_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/cmd/mooring/yaml"
)

// read parses a text that has no fault.
func read(t testing.TB, text string) map[string]any {
	t.Helper()
	n, faults := yaml.Parse("x.yaml", text)
	if len(faults) > 0 || n == nil {
		t.Fatalf("%q: %v", text, faults)
	}
	return n.Value().(map[string]any)
}

const board = `# what the board shows
slug: board   # kept

"title":  'It''s the board'
meta: {a: 1, "b": [v, w]} # in brackets
empty:
charts:
  # the first
  - report: RevByRegion1
    size: [1, 2]

  # the second
  - report: RevByRegion2 # two
    size: [3, 4]
sql: |
  select 1

  from t
tail: a text
  of two lines
# the end
`

func TestUpdateKeepsWhatDidNotChange(t *testing.T) {
	tests := []struct {
		name string
		edit func(m map[string]any)
		old  string
		new  string
	}{
		{"nothing", func(map[string]any) {}, "", ""},
		{"a text", func(m map[string]any) { m["slug"] = "plank" }, "slug: board ", "slug: plank "},
		{"a quoted text under a quoted key", func(m map[string]any) { m["title"] = "x: y" }, "'It''s the board'", `"x: y"`},
		{"a value in brackets", func(m map[string]any) { m["meta"].(map[string]any)["a"] = json.Number("2") }, "{a: 1,", "{a: 2,"},
		{"a key more in brackets", func(m map[string]any) { m["meta"].(map[string]any)["c"] = "z" }, `[v, w]}`, `[v, w], c: z}`},
		{"an item more in brackets", func(m map[string]any) { m["meta"].(map[string]any)["b"] = []any{"v", "w", "z"} }, `[v, w]`, `[v, w, z]`},
		{"a value where none was", func(m map[string]any) { m["empty"] = "full" }, "empty:\n", "empty: full\n"},
		{"a mapping where none was", func(m map[string]any) { m["empty"] = map[string]any{"a": true} }, "empty:\n", "empty:\n  a: true\n"},
		{"an item of a list", func(m map[string]any) { m["charts"].([]any)[1].(map[string]any)["report"] = "X" }, "RevByRegion2 #", "X #"},
		{"an item removed", func(m map[string]any) { m["charts"] = m["charts"].([]any)[1:] }, "  - report: RevByRegion1\n    size: [1, 2]\n", ""},
		{
			"an item added", func(m map[string]any) {
				m["charts"] = append(m["charts"].([]any), map[string]any{"report": "Z", "at": "A1"})
			}, "    size: [3, 4]\n", "    size: [3, 4]\n  - at: A1\n    report: Z\n",
		},
		{"a block", func(m map[string]any) { m["sql"] = "select 2\nfrom u\n" }, "  select 1\n\n  from t\n", "  select 2\n  from u\n"},
		{"a block made a line", func(m map[string]any) { m["sql"] = "select 2" }, "|\n  select 1\n\n  from t\n", "select 2\n"},
		{"a line with a comment made a block", func(m map[string]any) { m["slug"] = "a\nb" }, "board   # kept", "|- # kept\n  a\n  b"},
		{"a text of two lines", func(m map[string]any) { m["tail"] = "one" }, "a text\n  of two lines", "one"},
		{"a key removed", func(m map[string]any) { delete(m, "meta") }, "meta: {a: 1, \"b\": [v, w]} # in brackets\n", ""},
		{"a key added", func(m map[string]any) { m["new"] = nil }, "  of two lines\n", "  of two lines\nnew: null\n"},
		{
			"a list made empty", func(m map[string]any) { m["charts"] = []any{} },
			board[strings.Index(board, "\n  # the first"):strings.Index(board, "\nsql")], " []",
		},
	}
	for _, tt := range tests {
		for _, ending := range []string{"\n", "\r\n"} {
			t.Run(tt.name+fmt.Sprintf("%q", ending), func(t *testing.T) {
				text := strings.ReplaceAll(board, "\n", ending)
				want := read(t, text)
				tt.edit(want)
				got, inPlace := yaml.Update(text, want, yaml.Order{})
				if !inPlace {
					t.Errorf("written anew")
				}
				changed := strings.ReplaceAll(strings.Replace(board, tt.old, tt.new, 1), "\n", ending)
				if diff := cmp.Diff(changed, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestUpdateWithAByteOrderMark(t *testing.T) {
	got, inPlace := yaml.Update("\uFEFFa: 1 # one\nb: 2", map[string]any{"a": "x", "b": json.Number("2"), "c": "z"}, yaml.Order{})
	if want := "\uFEFFa: x # one\nb: 2\nc: z"; got != want || !inPlace {
		t.Errorf("got %q, in place %t, want %q", got, inPlace, want)
	}
}

// texts are what breaks writers of YAML.
var texts = rapid.OneOf(
	rapid.StringMatching(`[a-z]{1,8}`),
	rapid.SampledFrom([]string{
		"", " ", "yes", "null", "~", "1", "1.0", "0x1F", "1e3", "2024-01-01", "12:30:45",
		"-", "- a", "a: b", "a #b", "#", "'", `"`, "\\", "a\nb", "a\n", "\na", "a\n\n", " a\nb",
		"a\n  b\n", "a \nb", "a\r\nb", "\t", "tab\tin", "ü",
		"\u2028", "\u00a0", "😀", "\u0007", "{", "[x]", "&a", "*a", "!t", "%", "@", "`",
		"<<", "...", "---", "|", ">", "? x", "a:", ":", "a,b", "null x",
		"\uFEFF", "\uFFFD", "a\n---\nb", "a\n# b\nc\n", "=", "=1+1", "${x}", "$${x}", "0o17", "+1", ".5", ".inf", "1_000", "a\n\tb\n",
	}),
)

func values(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Map(texts, func(s string) any { return s }),
		rapid.Map(rapid.IntRange(-9, 1e9), func(n int) any { return json.Number(fmt.Sprint(n)) }),
		rapid.SampledFrom([]any{json.Number("1.50"), json.Number("1e+09"), json.Number("-1E-7"), json.Number("-0")}),
		rapid.SampledFrom([]any{json.Number("123456789012345678901234567890")}),
		rapid.Just[any](true), rapid.Just[any](false), rapid.Just[any](nil),
	)
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(
		scalar,
		rapid.Map(rapid.SliceOfN(values(depth-1), 0, 4), func(items []any) any { return append([]any{}, items...) }),
		rapid.Map(mappings(depth-1), func(m map[string]any) any { return m }),
	)
}

func mappings(depth int) *rapid.Generator[map[string]any] {
	odd := rapid.SampledFrom([]string{"yes", "a b", "1", "null", "a: b", "#x", "ü", "~"})
	return rapid.MapOfN(rapid.OneOf(rapid.StringMatching(`[a-d]{1,2}`), odd), values(depth), 0, 5)
}

func TestWhatIsEmittedReadsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := mappings(3).Filter(func(m map[string]any) bool { return len(m) > 0 }).Draw(t, "value")
		text := yaml.Emit(want, yaml.Order{})
		n, faults := yaml.Parse("x.yaml", text)
		if len(faults) > 0 {
			t.Fatalf("%s\n%v", text, faults)
		}
		if diff := cmp.Diff(want, n.Value()); diff != "" {
			t.Fatalf("%s\n(-want +got):\n%s", text, diff)
		}
	})
}

// manyKeys is a mapping of n keys.
func manyKeys(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[fmt.Sprintf("key%d", i)] = "value"
	}
	return m
}

// However many keys a mapping has, and however many mappings have many, what is written is read, also where it is written into a file.
func TestCrowdedMappingsAreWrittenSoThatTheyAreRead(t *testing.T) {
	var list []any
	for range 40 {
		list = append(list, manyKeys(1_000))
	}
	for name, want := range map[string]map[string]any{
		"at the bound":       {"meta": manyKeys(4_998)},
		"over it":            {"meta": manyKeys(5_001), "name": "Board"},
		"far over it":        {"meta": map[string]any{"within": manyKeys(20_000)}},
		"the file itself":    manyKeys(5_001),
		"of a list's item":   {"meta": []any{manyKeys(5_001), map[string]any{"a": "b\nc"}}},
		"many of many":       {"meta": list},
		"many of some":       {"a": manyKeys(4_000), "b": manyKeys(4_000)},
		"a text of breaks":   {"meta": "a" + strings.Repeat("\n", 300) + "b", "b": "a" + strings.Repeat("\n", 101) + "b"},
		"a text of its most": {"meta": "a" + strings.Repeat("\n", 99) + "b\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			inFile, _ := yaml.Update("name: Board\nmeta: {a: 1}\n", want, yaml.Order{})
			for _, text := range []string{yaml.Emit(want, yaml.Order{}), inFile} {
				n, faults := yaml.Parse("x.yaml", text)
				if len(faults) > 0 {
					t.Fatalf("%.200s…\n%v", text, faults)
				}
				if !reflect.DeepEqual(any(want), n.Value()) { // cmp would take most of the time
					t.Errorf("%.200s… reads as something else", text)
				}
			}
		})
	}
}

// commented puts comments and blank lines between the lines of a file that has no blocks of text.
func commented(t *rapid.T, text string) (string, []string) {
	var b strings.Builder
	var comments []string
	for i, line := range strings.SplitAfter(text, "\n") {
		if line != "" && rapid.Bool().Draw(t, "comment") {
			c := fmt.Sprintf("# comment %d", i)
			comments = append(comments, c)
			b.WriteString(c + "\n\n")
		}
		b.WriteString(line)
	}
	return b.String(), comments
}

// oneLine reports whether a value is one that is written in a line.
func oneLine(v any) bool {
	s, text := v.(string)
	switch v.(type) {
	case []any, map[string]any:
		return false
	}
	return !text || !strings.Contains(s, "\n")
}

func onlyOneLineDiffers(t *rapid.T, before, after string) {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	differ := 0
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			differ++
		}
	}
	if len(old) != len(now) || differ > 1 {
		t.Fatalf("more than a line changed:\n%s\nbecame\n%s", before, after)
	}
}

func TestAnyUpdateReadsAsWantedAndKeepsComments(t *testing.T) {
	anew, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		plain := func(m map[string]any) bool { return len(m) > 0 && !strings.Contains(yaml.Emit(m, yaml.Order{}), "|") }
		old := mappings(2).Filter(plain).Draw(t, "old")
		text, comments := commented(t, yaml.Emit(old, yaml.Order{}))
		want := maps.Clone(old)
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(old))).Draw(t, "key")
		want[key] = values(2).Draw(t, "new")
		got, inPlace := yaml.Update(text, want, yaml.Order{})
		n, faults := yaml.Parse("x.yaml", got)
		if len(faults) > 0 {
			t.Fatalf("%s\nbecame\n%s\n%v", text, got, faults)
		}
		if diff := cmp.Diff(want, n.Value()); diff != "" {
			t.Fatalf("%s\nbecame\n%s\n(-want +got):\n%s", text, got, diff)
		}
		all++
		if !inPlace {
			anew++
			return
		}
		if oneLine(old[key]) && oneLine(want[key]) {
			onlyOneLineDiffers(t, text, got)
		}
		_, scalarNow := old[key].(string)
		for _, c := range comments {
			if scalarNow && !strings.Contains(got, c+"\n") {
				t.Fatalf("%s\nbecame\n%s\nwithout %q", text, got, c)
			}
		}
	})
	if t.Logf("%d of %d written anew", anew, all); anew*20 > all {
		t.Errorf("%d of %d files were written anew", anew, all)
	}
}
