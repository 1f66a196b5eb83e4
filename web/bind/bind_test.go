package bind_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/web/bind"
)

// input has a variable of every kind.
type input struct {
	Text     string
	Maybe    storage.Optional[string]
	Flag     bool
	MaybeOn  storage.Optional[bool]
	Number   int
	MaybeNum storage.Optional[int64]
	List     []string
	Keys     storage.Optional[[]string]
	Cron     storage.Optional[[]string]
	Meta     storage.Optional[json.RawMessage]
	Sum      *sum
	Pivot    storage.Optional[sum]
	Margin   []int64
}

type sum struct {
	V      int
	Chunks []chunk
}

type chunk struct {
	From int
	Hash string
}

func (in *input) members(o *bind.Object) {
	o.Text("text", &in.Text, 5)
	o.OptionalText("maybe", &in.Maybe, bind.AnyLength, bind.OneOf("a", "b"))
	o.Text("pattern", nil, 10, bind.Filled, bind.Matching(regexp.MustCompile(`^x+$`), "letters x"))
	o.Flag("flag", &in.Flag)
	o.OptionalFlag("maybeOn", &in.MaybeOn)
	bind.Whole(o, "number", &in.Number, 0)
	o.OptionalWhole("maybeNum", &in.MaybeNum, 1)
	o.Texts("list", &in.List, 1, 2, 5, bind.Filled)
	o.DistinctTexts("keys", &in.Keys, 0, 3, 5)
	o.TextOrTexts("cron", &in.Cron, 2, 5)
	o.JSON("meta", &in.Meta, func(o *bind.Object) { o.Text("inner", nil, 3) })
	bind.Pointer(o, "sum", &in.Sum, sumMembers)
	bind.Optional(o, "pivot", &in.Pivot, sumMembers)
	o.Wholes("margin", &in.Margin, 2, 2)
	o.Object("only", func(o *bind.Object) { o.Required("must"); o.Flag("must", new(bool)) })
	o.Ignored("id")
}

func sumMembers(o *bind.Object, s *sum) {
	o.Required("v")
	bind.Whole(o, "v", &s.V, 1)
	bind.Objects(o, "chunks", &s.Chunks, 2, func(o *bind.Object, c *chunk) {
		o.Required("hash")
		bind.Whole(o, "from", &c.From, 0)
		o.Text("hash", &c.Hash, bind.AnyLength)
	})
}

func TestReadFillsVariables(t *testing.T) {
	for body, want := range map[string]input{
		`{}`:                                     {},
		`{"text":"äöüäö"}`:                       {Text: "äöüäö"},
		`{"text":null,"flag":null}`:              {},
		`{"maybe":null}`:                         {Maybe: storage.Null[string]()},
		`{"maybe":"a"}`:                          {Maybe: storage.Sent("a")},
		`{"flag":true,"maybeOn":false}`:          {Flag: true, MaybeOn: storage.Sent(false)},
		`{"number":7,"maybeNum":1}`:              {Number: 7, MaybeNum: storage.Sent(int64(1))},
		`{"list":["a","b"]}`:                     {List: []string{"a", "b"}},
		`{"keys":[]}`:                            {Keys: storage.Sent([]string{})},
		`{"cron":"daily"}`:                       {Cron: storage.Sent([]string{"daily"})},
		`{"cron":["a","b"]}`:                     {Cron: storage.Sent([]string{"a", "b"})},
		`{"meta" : {"b":1.50,"a":[ 2 ]} }`:       {Meta: storage.Sent(json.RawMessage(`{"a":[2],"b":1.50}`))},
		`{"meta":{"b":12345678901234567890123}}`: {Meta: storage.Sent(json.RawMessage(`{"b":12345678901234567890123}`))},
		`{"sum":{"v":2,"chunks":[{"from":1,"hash":"h"}]}}`:     {Sum: &sum{V: 2, Chunks: []chunk{{1, "h"}}}},
		`{"sum":null,"pivot":{"v":1}}`:                         {Pivot: storage.Sent(sum{V: 1})},
		`{"margin":[1,-2],"id":{"any":["thing"]},"other":[1]}`: {Margin: []int64{1, -2}},
		`{"TEXT":"no","Text":"no"}`:                            {},
	} {
		t.Run(body, func(t *testing.T) {
			var got input
			faults, err := bind.Read([]byte(body), bind.Options{}, got.members)
			if err != nil || len(faults) > 0 {
				t.Fatalf("Read: %v, %v", faults, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadTellsEveryFault(t *testing.T) {
	for _, row := range []struct {
		name, body string
		strict     bool
		want       []string // pointer: message
	}{
		{"no object", `[1]`, false, []string{": must be an object"}},
		{"every kind is wrong", `{"text":1,"maybe":[],"flag":"x","maybeOn":1,"number":"1","maybeNum":true,"list":{},"keys":1,"cron":2,
			"meta":[],"sum":[],"pivot":"","margin":{},"only":1}`, false, []string{
			"/cron: must be an array", "/flag: must be true or false", "/keys: must be an array", "/list: must be an array", "/margin: must be an array",
			"/maybe: must be a string", "/maybeNum: must be an integer", "/maybeOn: must be true or false", "/meta: must be an object", "/number: must be an integer",
			"/only: must be an object", "/pivot: must be an object", "/sum: must be an object", "/text: must be a string",
		}},
		{"bounds", `{"text":"123456","number":-1,"maybeNum":0,"list":["","a","b"],"margin":[1],"maybe":"c","pattern":"xy"}`, false, []string{
			"/list: must have at most 2 elements", "/list/0: must not be empty", "/margin: must have 2 elements", "/maybe: must be one of a, b",
			"/maybeNum: must be at least 1", "/number: must be at least 0", "/pattern: must be letters x", "/text: must have at most 5 characters",
		}},
		{"too few", `{"list":[]}`, false, []string{"/list: must have at least 1 elements"}},
		{"numbers that are not whole", `{"number":1.0,"maybeNum":1e2}`, false, []string{"/maybeNum: must be an integer", "/number: must be an integer"}},
		{"too large a number", `{"number":9223372036854775808}`, false, []string{"/number: must be an integer"}},
		{"required within", `{"sum":{"chunks":[{"hash":null},{"from":1,"hash":"h"}]},"only":{}}`, false, []string{
			"/only/must: is required", "/sum/chunks/0/hash: is required", "/sum/v: is required",
		}},
		{"twice the same", `{"keys":["a","b","a"]}`, false, []string{"/keys/2: is element 0 once more"}},
		{"unknown in strict", `{"id":1,"a/b~":1,"sum":{"v":1,"w":1},"meta":{"free":1}}`, true, []string{"/a~1b~0: is not a known key", "/sum/w: is not a known key"}},
		{"within JSON", `{"meta":{"inner":"four"}}`, false, []string{"/meta/inner: must have at most 3 characters"}},
		{"null in an array", `{"list":[null]}`, false, []string{"/list/0: must be a string"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var in input
			faults, err := bind.Read([]byte(row.body), bind.Options{Strict: row.strict}, in.members)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range faults.Sorted() {
				got = append(got, d.Pointer+": "+d.Message)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadRefusesWhatIsNotJSON(t *testing.T) {
	for body, want := range map[string]bind.MalformedError{
		"":                                  {Message: "it ends too early"},
		`{"text":"a"`:                       {Message: "it ends too early"},
		`{"sum":{"v":1,"v":1}}`:             {Pointer: "/sum/v", Message: "an object has this member twice"},
		`{"meta":{"x":{"a":1,"\u0061":2}}}`: {Pointer: "/meta/x/a", Message: "an object has this member twice"},
		`{"other":{"a":1,"a":2}}`:           {Pointer: "/other/a", Message: "an object has this member twice"},
		`{} {}`:                             {Message: "something follows the first value"},
		"{\"text\":\"\xff\"}":               {Pointer: "/text", Message: "invalid UTF-8"},
		`{"text":"\ud800"}`:                 {Pointer: "/text", Message: "surrogate"},
		`{"list":["a",]}`:                   {Pointer: "/list", Message: "byte"},
	} {
		t.Run(body, func(t *testing.T) {
			var in input
			_, err := bind.Read([]byte(body), bind.Options{}, in.members)
			got, ok := err.(*bind.MalformedError)
			if !ok || !strings.Contains(got.Message, want.Message) || !strings.HasPrefix(got.Pointer, want.Pointer) {
				t.Errorf("Read: %#v, want %#v", err, want)
			}
		})
	}
}

func TestReadBoundsDepth(t *testing.T) {
	deep := strings.Repeat(`{"other":`, 20) + `1` + strings.Repeat(`}`, 20)
	for depth, faults := range map[int]int{0: 0, 20: 0, 19: 1} {
		got, err := bind.Read([]byte(deep), bind.Options{Depth: depth}, func(*bind.Object) {})
		if err != nil || len(got) != faults {
			t.Errorf("depth %d: %v, %v", depth, got, err)
		}
	}
}

func TestJoinLeavesOutWhatCountsAsAbsent(t *testing.T) {
	faults := bind.Faults{{Pointer: "/a", Message: "must be a string"}}
	joined := faults.Join([]placements.Detail{{Pointer: "/a"}, {Pointer: "/a/0"}, {Pointer: "/ab", Message: "new"}})
	if len(joined) != 1 || len(faults) != 2 || faults[1].Pointer != "/ab" {
		t.Errorf("joined %v, all %v", joined, faults)
	}
}

func TestSeenNamesAllMembers(t *testing.T) {
	var got []string
	_, err := bind.Read([]byte(`{"b":1,"a":2}`), bind.Options{}, func(o *bind.Object) {
		o.Ignored("a")
		o.Seen(func(name string) { got = append(got, name) })
	})
	if err != nil || !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("seen %q, %v", got, err)
	}
}

// FuzzRead holds Read to the standard library: what it takes without a fault is JSON in UTF-8, and a text is as that reads it.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"text":"a","meta":{"a":[1,{"b":null}]}}`, `{"sum":{"v":1,"chunks":[{"hash":"x"}]}}`, `{"list":["a",1]}`, `[`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		var in input
		faults, err := bind.Read(raw, bind.Options{Strict: true, Depth: 30}, in.members)
		if string(raw) != before {
			t.Fatal("Read changed the body")
		}
		if err != nil || len(faults) > 0 {
			return
		}
		if !utf8.Valid(raw) || !json.Valid(raw) {
			t.Fatalf("taken, but not JSON: %q", raw)
		}
		var std struct{ Text string }
		var exact map[string]json.RawMessage
		if err := json.Unmarshal(raw, &exact); err != nil {
			t.Fatal(err)
		}
		if text, ok := exact["text"]; ok {
			if err := json.Unmarshal(text, &std.Text); err != nil || std.Text != in.Text {
				t.Fatalf("text %q, the library says %q, %v", in.Text, std.Text, err)
			}
		}
		if in.Meta.Value != nil && !json.Valid(*in.Meta.Value) {
			t.Fatalf("meta %q", *in.Meta.Value)
		}
	})
}

func ExampleRead() {
	var name string
	var folder storage.Optional[int64]
	faults, err := bind.Read([]byte(`{"name":"Sales by region","folderId":"7"}`), bind.Options{}, func(o *bind.Object) {
		o.Text("name", &name, 255)
		o.OptionalWhole("folderId", &folder, 1)
	})
	fmt.Println(name, faults, err)
	// Output: Sales by region [{/folderId must be an integer}] <nil>
}
