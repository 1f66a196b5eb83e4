package yaml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/cmd/mooring/yaml"
)

func TestParseRefusesWithAPlace(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"broken YAML", "a: [1\nb: 2\n", "x.yaml:2:1: is not YAML: ',' or ']' must be specified"},
		{"a key twice", "a: 1\nb: 2\na: 3\n", `x.yaml:3:1: the key "a" stands at line 1 already: keep one of them`},
		{"a key twice in brackets", "b: {a: 1, a: 2}", `x.yaml:1:11: the key "a" stands at line 1 already`},
		{"an anchor", "a: &x 1\n", "x.yaml:1:4: an anchor is not read here"},
		{"an alias", "b: 1\na: *x\n", "x.yaml:2:4: "},
		{"a merge key", "b: 1\n<<: {a: 1}\n", "x.yaml:2:1: a merge key is not read here"},
		{"a tag", "a: !!str 1\n", "x.yaml:1:4: a tag is not read here"},
		{"a second document", "a: 1\n---\nb: 2\n", "x.yaml:3:"},
		{"infinity", "a: .inf\n", "x.yaml:1:4: infinity and not-a-number"},
		{"a key with a question mark", "? a\n: b\n", "x.yaml:1:1: a key begun with ? is not read here"},
		{"a control character", "ü: \x01\n", "x.yaml:1:4: a character that YAML does not take"},
		{"another encoding", "a: 1\nb: \xff\n", "x.yaml:2:4: a character that YAML does not take: save the file as UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "x.yaml:1:1: a character that YAML does not take: save the file as UTF-8"},
		{"deep brackets", strings.Repeat("[", 5000), "x.yaml:1:101: brackets stand more than 100 deep"},
		{"deep lists", strings.Repeat("- ", 5000), "x.yaml:1:203: is indented more than 100 deep"},
		{"a long file", strings.Repeat("a", yaml.MaxBytes+1), "x.yaml: has 1048577 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := yaml.Parse("x.yaml", tt.text)
			if len(faults) == 0 {
				t.Fatal("no fault")
			}
			if got := faults[0].Place.String() + ": " + faults[0].Message; !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseFindsEveryFault(t *testing.T) {
	_, faults := yaml.Parse("x.yaml", "a: &x 1\nb: !t 2\na: 3\n")
	if len(faults) != 3 {
		t.Errorf("got %v, want three faults", faults)
	}
}

func TestParseTakesWhatIsEmpty(t *testing.T) {
	for _, text := range []string{"", "\n", "# a comment\n", "---\n", "\uFEFF"} {
		if n, faults := yaml.Parse("x.yaml", text); n != nil && n.Kind != yaml.Null || len(faults) > 0 {
			t.Errorf("%q: %v, %v", text, n, faults)
		}
	}
}

func TestParseReadsValues(t *testing.T) {
	got := read(t, "a: yes\nb: true\nc: 0x1F\nd: 1.50\ne: ~\nf:\ng: 2024-01-01\n1: x\ntrue: z\nh: \"1\"\ni: 1e9\n")
	want := `map[1:x a:yes b:true c:31 d:1.50 e:<nil> f:<nil> g:2024-01-01 h:1 i:1e9 true:z]`
	if diff := cmp.Diff(want, fmt.Sprint(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAtFindsThePlace(t *testing.T) {
	n, _ := yaml.Parse("x.yaml", "a:\n  - b/c: 1\n    d: 2\n")
	for pointer, want := range map[string]string{
		"/a/0/d": "x.yaml:3:8", "/a/0/b~1c": "x.yaml:2:10", "/a/0/none": "x.yaml:2:5", "/a/7": "x.yaml:2:3", "": "x.yaml:1:1",
	} {
		if got := n.At(pointer).Place.String(); got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
	}
}

func TestInsideATextOfTheFilesOwnLines(t *testing.T) {
	n, _ := yaml.Parse("x.yaml", "sql: |\n    select 1\n    from t\nquoted: \"a\\nb\"\nfolded: >\n  a\n  b\n")
	for key, want := range map[string]string{"sql": "x.yaml:3:10", "quoted": "x.yaml:4:9", "folded": "x.yaml:5:9"} {
		if got := n.Get(key).Inside(2, 6).String(); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
	if got := yaml.Lines("x.sql", "a\nb").Inside(2, 1).String(); got != "x.sql:2:1" {
		t.Errorf("got %s", got)
	}
}

func FuzzUpdate(f *testing.F) {
	for _, seed := range []string{
		board, "a: 1", "- a", "a: |+\n  b\n\n",
		"{a: [b]}", "a: 'b\n  c'\n", "a:\n- b\n-\n- c: d\n", "\r", "a: \"\\x\"", "? a", "%YAML", "a: >\n  b\n c",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, faults := yaml.Parse("x.yaml", text)
		if n == nil || len(faults) > 0 || n.Kind != yaml.Mapping {
			return
		}
		want := n.Value().(map[string]any)
		if again, _ := yaml.Update(text, want, yaml.Order{}); again != text && len(want) > 0 {
			t.Errorf("%q without a change became %q", text, again)
		}
		want["added"] = "text"
		changed, _ := yaml.Update(text, want, yaml.Order{})
		got, faults := yaml.Parse("x.yaml", changed)
		if len(faults) > 0 {
			t.Fatalf("%q became %q: %v", text, changed, faults)
		}
		if diff := cmp.Diff(want, got.Value()); diff != "" {
			t.Errorf("%q became %q (-want +got):\n%s", text, changed, diff)
		}
	})
}

// Keys side by side cost time that grows with their square: they are bounded, whatever they look like, and what is usual is read.
func TestKeysSideBySideAreBounded(t *testing.T) {
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	block := func(n int) string { return "sql: |\n" + numbered(n, "  a%d: b\n") }
	for name, tt := range map[string]struct {
		text string
		line int // of the fault; 0: it is read
	}{
		"5,000 keys":                      {numbered(5_000, "k%d: v\n"), 0},
		"40,000 keys":                     {numbered(40_000, "k%d: v\n"), 5_001},
		"of a mapping within":             {"a:\n" + numbered(40_000, "  k%d: v\n"), 5_001},
		"of a list's item":                {"a:\n  - x: 1\n" + numbered(40_000, "    k%d: v\n"), 5_001},
		"with values of several lines":    {numbered(20_000, "k%d:\n  a: 1\n"), 9_999},
		"with anchors of several lengths": {numbered(20_000, "&a k%d: v\n&bb l: v\n"), 5_001},
		"quoted":                          {numbered(40_000, "\"k%d\": v\n"), 5_001},
		"with question marks":             {numbered(40_000, "? k%d\n"), 5_001},
		"pairs in a list's brackets":      {"a: [\n" + numbered(20_000, "k%d: 1\n") + "]\n", 5_001},
		"of brackets never closed":        {"a: [\n" + numbered(20_000, "k%d: 1\n"), 5_001},
		"of brackets within brackets":     {"a: {b: [1, [\n" + numbered(20_000, "k%d: 1\n") + "]]}\n", 5_001},
		"below a key in brackets":         {"a: {b:\n" + numbered(20_000, "  k%d: 1\n") + "}\n", 5_001},
		"pairs with commas":               {"a: [\n" + numbered(20_000, "k%d: 1,\n") + "]\n", 0},
		"in brackets":                     {"a: {" + numbered(20_000, "k%d: 1, ") + "}\n", 0},
		"a list of mappings":              {"a:\n" + numbered(20_000, "- k%d: v\n  l: w\n"), 0},
		"mappings of ten":                 {numbered(4_000, "k%d:\n  a: 1\n  b: 2\n  c: 3\n"), 0},
		"several of 2,500":                {"a:\n" + numbered(2_500, "  k%d: v\n") + "b:\n" + numbered(2_500, "  k%d: v\n"), 0},
		"lines of a text with colons":     {block(40_000), 0},
	} {
		t.Run(name, func(t *testing.T) {
			n, faults := yaml.Parse("x.yaml", tt.text)
			switch {
			case tt.line == 0 && (n == nil || len(faults) > 0):
				t.Errorf("not read: %v", faults)
			case tt.line > 0 && (n != nil || len(faults) != 1 || faults[0].Place.Line != tt.line || !strings.Contains(faults[0].Message, "side by side")):
				t.Errorf("got %v, want one fault at line %d", faults, tt.line)
			}
		})
	}
}

// What else costs time that grows with its square is bounded too, and said as what it is.
func TestDepthsBlankLinesAndDocumentsAreBounded(t *testing.T) {
	repeat := strings.Repeat
	blank := func(n int, header string) string { return "a: " + header + "\n  x\n" + repeat("\n", n) + "b: 1\n" }
	for name, tt := range map[string]struct{ text, want string }{
		"brackets of lists":             {repeat("[", 100_000), "x.yaml:1:101: brackets stand more than 100 deep"},
		"brackets of lists, closed":     {"a: " + repeat("[", 101) + repeat("]", 101), "x.yaml:1:104: brackets stand more than 100 deep"},
		"brackets of mappings":          {repeat("{a: ", 40_000), "x.yaml:1:401: brackets stand more than 100 deep"},
		"brackets as deep as may be":    {"a: " + repeat("[", 100) + repeat("]", 100), ""},
		"brackets in quotes":            {"a: \"" + repeat("[", 1000) + "\"", ""},
		"brackets in a text":            {"a: |\n  " + repeat("[", 1000) + "\n", ""},
		"lists in a line":               {repeat("- ", 100_000), "x.yaml:1:203: is indented more than 100 deep"},
		"lists in brackets":             {"[" + repeat("- ", 100_000), "x.yaml:1:202: is indented more than 100 deep"},
		"keys far to the right":         {"a:\n" + repeat(" ", 201) + "b: 1\n", "x.yaml:2:203: is indented more than 100 deep"},
		"text far to the right":         {"a: |\n" + repeat(" ", 1000) + "- b: 1\n", ""},
		"documents":                     {repeat("---\nk: v\n", 20_000), "x.yaml:3:1: a second YAML document: keep everything in one"},
		"blank lines":                   {blank(20_000, "|"), "x.yaml:104:1: more than 100 blank lines"},
		"blank lines with spaces":       {repeat(" \t\r\n", 20_000), "x.yaml:103:1: more than 100 blank lines"},
		"blank lines as many as may be": {blank(100, "|"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := yaml.Parse("x.yaml", tt.text)
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("not read: %v", faults)
			case tt.want != "" && (len(faults) != 1 || !strings.HasPrefix(faults[0].Place.String()+": "+faults[0].Message, tt.want)):
				t.Errorf("got %v, want %s", faults, tt.want)
			}
		})
	}
}
