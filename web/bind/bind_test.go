package bind_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/web/bind"
)

// input has a variable of every kind.
type input struct {
	Text     string
	Kind     string
	Maybe    placements.Optional[string]
	Flag     bool
	MaybeOn  placements.Optional[bool]
	Number   int
	MaybeNum placements.Optional[int64]
	List     []string
	Keys     placements.Optional[[]string]
	Cron     placements.Optional[[]string]
	Meta     placements.Optional[json.RawMessage]
	Sum      *sum
	Pivot    placements.Optional[sum]
	Draft    placements.Optional[json.RawMessage]
	Options  placements.Options
	One      bool
	SeenID   bool
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
	bind.Text(o, "text", &in.Text, 5)
	bind.OptionalChoice(o, "maybe", &in.Maybe, []string{"a", "b"})
	bind.Choice(o, "kind", &in.Kind, []string{"a", "b"})
	bind.Text[string](o, "coded", nil, 10, bind.Filled, onlyX)
	o.Flag("flag", &in.Flag)
	o.OptionalFlag("maybeOn", &in.MaybeOn)
	bind.Whole(o, "number", &in.Number, 0)
	o.OptionalWhole("maybeNum", &in.MaybeNum, 1)
	o.List("list", &in.List, 1, 2, 5, bind.Filled)
	o.DistinctList("keys", &in.Keys, 0, 3, 5)
	o.TextOrList("cron", &in.Cron, &in.One, 2, 5)
	o.JSON("meta", &in.Meta, func(o *bind.Object) { o.Open(); o.Texts(3, "inner") })
	o.JSON("draft", &in.Draft, func(o *bind.Object) { o.Texts(3, "inner") })
	o.OpenObject("anything")
	bind.OptionalChoice(o, "onEdit", &in.Options.OnEdit, []placements.OnEdit{placements.Keep, placements.Stop})
	o.OptionalFlag("breakSignature", &in.Options.BreakSignature)
	o.Seen("id", &in.SeenID)
	bind.Pointer(o, "sum", &in.Sum, sumMembers)
	bind.Optional(o, "pivot", &in.Pivot, sumMembers)
	o.Wholes("margin", 2, 2)
	o.Object("only", func(o *bind.Object) { o.Required("must"); o.Flag("must", new(bool)) })
	o.Ignored("id")
}

func onlyX(text string) (code placements.Code, message string) {
	if strings.Trim(text, "x") != "" {
		return "no_x", "must be letters x"
	}
	return "", ""
}

func sumMembers(o *bind.Object, s *sum) {
	o.Required("v")
	bind.Whole(o, "v", &s.V, 1)
	bind.Objects(o, "chunks", &s.Chunks, 2, func(o *bind.Object, c *chunk) {
		o.Required("hash")
		bind.Whole(o, "from", &c.From, 0)
		bind.Text(o, "hash", &c.Hash, bind.AnyLength)
	})
}

func TestReadFillsVariables(t *testing.T) {
	for body, want := range map[string]input{
		`{}`:                                                   {},
		`{"text":"äöüäö"}`:                                     {Text: "äöüäö"},
		`{"text":null,"flag":null}`:                            {},
		`{"maybe":null}`:                                       {Maybe: placements.Null[string]()},
		`{"maybe":"a","kind":"b"}`:                             {Maybe: placements.Sent("a"), Kind: "b"},
		`{"flag":true,"maybeOn":false}`:                        {Flag: true, MaybeOn: placements.Sent(false)},
		`{"number":7,"maybeNum":1}`:                            {Number: 7, MaybeNum: placements.Sent(int64(1))},
		`{"list":["a","b"]}`:                                   {List: []string{"a", "b"}},
		`{"keys":[]}`:                                          {Keys: placements.Sent([]string{})},
		`{"cron":"daily"}`:                                     {Cron: placements.Sent([]string{"daily"}), One: true},
		`{"cron":["a","b"]}`:                                   {Cron: placements.Sent([]string{"a", "b"})},
		`{"meta" : {"b":1.50,"a":[ 2 ]} }`:                     {Meta: placements.Sent(json.RawMessage(`{"a":[2],"b":1.50}`))},
		`{"meta":{"b":12345678901234567890123}}`:               {Meta: placements.Sent(json.RawMessage(`{"b":12345678901234567890123}`))},
		`{"sum":{"v":2,"chunks":[{"from":1,"hash":"h"}]}}`:     {Sum: &sum{V: 2, Chunks: []chunk{{1, "h"}}}},
		`{"sum":null,"pivot":{"v":1}}`:                         {Pivot: placements.Sent(sum{V: 1})},
		`{"margin":[1,-2],"id":{"any":["thing"]},"other":[1]}`: {SeenID: true},
		`{"id":null}`:                                          {SeenID: true},
		`{"onEdit":"stop","breakSignature":null}`:              {Options: placements.Options{OnEdit: placements.Sent(placements.Stop), BreakSignature: placements.Null[bool]()}},
		`{"anything":{"x":1},"draft":{"other":1}}`:             {Draft: placements.Sent(json.RawMessage(`{"other":1}`))},
		`{"TEXT":"no","Text":"no"}`:                            {},
	} {
		t.Run(body, func(t *testing.T) {
			var got input
			faults, err := bind.Read([]byte(body), bind.BodyOptions{}, got.members)
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
			"/maybe: must be one of a, b", "/maybeNum: must be an integer", "/maybeOn: must be true or false", "/meta: must be an object", "/number: must be an integer",
			"/only: must be an object", "/pivot: must be an object", "/sum: must be an object", "/text: must be a string",
		}},
		{"bounds", `{"text":"123456","number":-1,"maybeNum":0,"list":["","a","b"],"margin":[1],"maybe":"c","coded":"xy"}`, false, []string{
			"/coded: must be letters x", "/list: must have at most 2 elements", "/list/0: must not be empty", "/margin: must have 2 elements", "/maybe: must be one of a, b",
			"/maybeNum: must be at least 1", "/number: must be at least 0", "/text: must have at most 5 characters",
		}},
		{"too few", `{"list":[]}`, false, []string{"/list: must have at least 1 elements"}},
		{"numbers that are not whole", `{"number":1.0,"maybeNum":1e2}`, false, []string{"/maybeNum: must be an integer", "/number: must be an integer"}},
		{"too large a number", `{"number":9223372036854775808}`, false, []string{"/number: must be an integer"}},
		{"required within", `{"sum":{"chunks":[{"hash":null},{"from":1,"hash":"h"}]},"only":{}}`, false, []string{
			"/only/must: is required: send it", "/sum/chunks/0/hash: is required: send it", "/sum/v: is required: send it",
		}},
		{"twice the same", `{"keys":["a","b","a"]}`, false, []string{"/keys/2: is element 0 once more: send it once"}},
		{"unknown in strict", `{"id":1,"a/b~":1,"sum":{"v":1,"w":1},"meta":{"free":1},"draft":{"free":1},"anything":{"free":1}}`, true, []string{"/a~1b~0: is not a known key: correct its name, or leave it out", "/draft/free: is not a known key: correct its name, or leave it out", "/sum/w: is not a known key: correct its name, or leave it out"}},
		{"within JSON", `{"meta":{"inner":"four"}}`, false, []string{"/meta/inner: must have at most 3 characters"}},
		{"null in an array", `{"list":[null]}`, false, []string{"/list/0: must be a string"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var in input
			faults, err := bind.Read([]byte(row.body), bind.BodyOptions{Strict: row.strict}, in.members)
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

// What no double holds would keep clients from reading every list that shows it.
func TestNumbersThatNoDoubleHoldsAreNotKept(t *testing.T) {
	digits := strings.Repeat("9", 309)
	for value, want := range map[string]string{
		"1e308": "", "-1.7e308": "", digits[:308]: "", "1e-400": "", `"1e400"`: "", `["` + digits + `"]`: "",
		"1e309": "/meta/n", "-1E400": "/meta/n", digits: "/meta/n", `[0,{"a":1e999}]`: "/meta/n/1/a",
	} {
		var in input
		faults, err := bind.Read([]byte(`{"meta":{"n":`+value+`}}`), bind.BodyOptions{}, in.members)
		got := ""
		if len(faults) > 0 {
			got = faults[0].Pointer
		}
		if err != nil || got != want {
			t.Errorf("%.40s: %v, %v, want a fault at %q", value, faults, err, want)
		}
	}
}

func TestReadRefusesWhatIsNotJSON(t *testing.T) {
	for body, want := range map[string][]string{ // pointer: part of the message
		"":                                  {":ends too early"},
		`{"text":"a"`:                       {":ends too early"},
		`{"sum":{"v":1,"v":1}}`:             {"/sum/v:occurs twice"},
		`{"meta":{"x":{"a":1,"\u0061":2}}}`: {"/meta/x/a:occurs twice"},
		`{"other":{"a":1,"a":2},"text":1,"text":2,"flag":1,"flag":2}`: {"/flag:occurs twice", "/other/a:occurs twice", "/text:occurs twice"},
		`{"a":{"x":1},"a":{"x":1}}`:                                   {"/a:occurs twice"},
		`{"a":1,"a":1,]`:                                              {":not JSON at byte 12"},
		`{"a":1,"a":1} 2`:                                             {":follows the first"},
		`{} {}`:                                                       {":follows the first"},
		"{\"text\":\"\xff\"}":                                         {"/text:not UTF-8"},
		`{"text":"\ud800"}`:                                           {"/text:surrogate"},
		`{"list":["a",]}`:                                             {"/list:at byte"},
	} {
		t.Run(body, func(t *testing.T) {
			var in input
			_, err := bind.Read([]byte(body), bind.BodyOptions{}, in.members)
			got := placements.DetailsOf(err)
			if placements.CodeOf(err) != placements.CodeMalformed || len(got) != len(want) {
				t.Fatalf("Read: %v, want %q", err, want)
			}
			for i, d := range got {
				if pointer, message, _ := strings.Cut(want[i], ":"); !strings.HasPrefix(d.Pointer, pointer) || !strings.Contains(d.Message, message) {
					t.Errorf("fault %d: %v, want %s", i, d, want[i])
				}
			}
		})
	}
}

func TestNamesThatOccurTwiceCostNoMoreThanTheBody(t *testing.T) {
	body := `{"` + strings.Repeat("n", 1<<20) + `":{` + strings.Repeat(`"a":1,`, 100_000) + `"b":1}}`
	_, err := bind.Read([]byte(body), bind.BodyOptions{}, (*bind.Object).Open)
	if placements.CodeOf(err) != placements.CodeMalformed || len(placements.DetailsOf(err)) != placements.MaxDetails {
		t.Errorf("Read: %.100v", err)
	}
}

func TestReadBoundsDepth(t *testing.T) {
	for body, levels := range map[string]int{
		`{}`:                          1,
		`{"a":[{"b":[]}]}`:            4,
		`{"a":"[[[[\"[[["}`:           1,
		`{"a":"\\","b":[{"c":"]]"}]}`: 3,
		strings.Repeat(`{"other":`, 20) + `1` + strings.Repeat(`}`, 20): 20,
	} {
		for depth, want := range map[int]error{0: nil, levels: nil, levels - 1: bind.ErrTooDeep} {
			if depth == 0 {
				want = nil
			}
			if _, err := bind.Read([]byte(body), bind.BodyOptions{Depth: depth}, func(*bind.Object) {}); err != want {
				t.Errorf("%.40s, depth %d: %v", body, depth, err)
			}
		}
	}
	if _, err := bind.Read([]byte(strings.Repeat("[", 100_000)), bind.BodyOptions{Depth: 64}, func(*bind.Object) {}); err != bind.ErrTooDeep {
		t.Errorf("brackets that nothing closes: %v", err)
	}
}

func TestJoinLeavesOutWhatCountsAsAbsent(t *testing.T) {
	faults := bind.Faults{{Pointer: "/a", Message: "must be a string"}}
	faults.Join(placements.Detail{Pointer: "/a"}, placements.Detail{Pointer: "/a/0"}, placements.Detail{Pointer: "/ab", Message: "new"})
	if len(faults) != 2 || faults[1].Pointer != "/ab" {
		t.Errorf("all %v", faults)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	faults, err := bind.Read([]byte(`{"list":[`+strings.Repeat("1,", 500)+`1]}`), bind.BodyOptions{}, func(o *bind.Object) {
		o.List("list", new([]string), 0, 1000, 5)
	})
	if err != nil || len(faults) != placements.MaxDetails {
		t.Errorf("%d faults, %v", len(faults), err)
	}
}

func TestNamesAreThoseOfTheObjectItself(t *testing.T) {
	want := []string{"v", "chunks", "id"}
	if diff := cmp.Diff(want, bind.Names(func(o *bind.Object) { sumMembers(o, new(sum)); o.Ignored("id", "v") })); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPathsAreOfAllLevels(t *testing.T) {
	want := []string{
		"text", "maybe", "kind", "coded", "flag", "maybeOn", "number", "maybeNum", "list", "keys", "cron", "meta", "meta/inner", "draft", "draft/inner", "anything", "onEdit", "breakSignature",
		"sum", "sum/v", "sum/chunks", "sum/chunks/from", "sum/chunks/hash", "pivot", "pivot/v", "pivot/chunks", "pivot/chunks/from", "pivot/chunks/hash", "margin", "only", "only/must",
	}
	if diff := cmp.Diff(want, bind.Paths(new(input).members)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// FuzzRead holds Read to the standard library: what it takes without a fault is JSON in UTF-8, and a text is as that reads it.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"text":"a","meta":{"a":[1,{"b":null}]}}`, `{"sum":{"v":1,"chunks":[{"hash":"x"}]}}`, `{"list":["a",1]}`, `[`, `{"a":1,"a":2}`,
		`"\ud83d\ude00"`, "{\"a\xc0\":1,\"a\xc1\":2}", `{"a":1,"\u0061":2}`, `{"o":{"a":[{"b":1,"b":1}]}}`, `{"a":1e400}`, `{"name":"x"} 1`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		var in input
		faults, err := bind.Read(raw, bind.BodyOptions{Strict: true, Depth: 30}, in.members)
		if string(raw) != before {
			t.Fatal("Read changed the body")
		}
		if valid := jsontext.Value(raw).IsValid(); (err == nil) != valid && !errors.Is(err, bind.ErrTooDeep) { // strict: UTF-8, no name twice
			t.Fatalf("error %v of a text that is valid %t: %q", err, valid, raw)
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
	var folder placements.Optional[int64]
	faults, err := bind.Read([]byte(`{"name":"Sales by region","folderId":"7"}`), bind.BodyOptions{}, func(o *bind.Object) {
		bind.Text(o, "name", &name, 255)
		o.OptionalWhole("folderId", &folder, 1)
	})
	fmt.Println(name, faults[0].Pointer, faults[0].Message, err)
	// Output: Sales by region /folderId must be an integer <nil>
}

func TestWholeOrText(t *testing.T) {
	for body, want := range map[string]string{
		`{}`: "", `{"limit":null}`: "", `{"limit":5}`: "5", `{"limit":"10%"}`: "10%",
		`{"limit":-1}`: "/limit: must be at least 0", `{"limit":1.5}`: "/limit: must be an integer",
		`{"limit":""}`: "/limit: must not be empty", `{"limit":[]}`: "/limit: must be an integer or a string",
	} {
		var number *int64
		var text *string
		faults, err := bind.Read([]byte(body), bind.BodyOptions{}, func(o *bind.Object) { o.WholeOrText("limit", &number, &text, 0, 5, bind.Filled) })
		got := ""
		switch {
		case len(faults) > 0:
			got = faults[0].Pointer + ": " + faults[0].Message
		case number != nil:
			got = fmt.Sprint(*number)
		case text != nil:
			got = *text
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", body, got, err, want)
		}
	}
}

func TestCollectHasEachNameOnce(t *testing.T) {
	var names []string
	of := func(o *bind.Object) { o.Collect(&names); o.Flag("a", new(bool)) }
	if _, err := bind.Read([]byte(`{"b":{"c":1},"a":true,"d":null}`), bind.BodyOptions{}, of); err != nil || !slices.Equal(names, []string{"b", "a", "d"}) {
		t.Errorf("%q, %v", names, err)
	}
	if paths := bind.Paths(of); !slices.Equal(paths, []string{"a"}) {
		t.Errorf("paths %q", paths)
	}
}

func TestARefusedMemberIsAFaultInEveryRequest(t *testing.T) {
	var flag bool
	of := func(o *bind.Object) { o.Flag("a", &flag); o.Refused("values", "are said elsewhere") }
	for body, want := range map[string]string{`{"a":true}`: "", `{"values":{"x":[1]},"a":true}`: "/values", `{"values":null}`: "/values"} {
		faults, err := bind.Read([]byte(body), bind.BodyOptions{}, of)
		got := ""
		for _, f := range faults {
			got += f.Pointer
		}
		if got != want || err != nil {
			t.Errorf("%s: %v, %v", body, faults, err)
		}
	}
	if names := bind.Names(of); !slices.Equal(names, []string{"a"}) {
		t.Errorf("members %q", names)
	}
}
