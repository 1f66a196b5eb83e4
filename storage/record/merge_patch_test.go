package record_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mooring/storage/record"
)

func TestMergedMeta(t *testing.T) {
	tests := map[string]struct{ stored, sent, want string }{
		"a member that is not sent stays":       {`{"a":1}`, `{"b":2}`, `{"a":1,"b":2}`},
		"null removes a member":                 {`{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		"null removes what is not there":        {`{}`, `{"a":null}`, `{}`},
		"null inside a new object is not kept":  {`{}`, `{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`},
		"an object replaces what is not one":    {`{"a":[1]}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		"a list replaces a list":                {`{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
		"the draft is replaced whole":           {`{"dashboardDraft":{"a":{"b":1},"c":2}}`, `{"dashboardDraft":{"a":{"d":1}}}`, `{"dashboardDraft":{"a":{"d":1}}}`},
		"a draft of null is removed":            {`{"dashboardDraft":{}}`, `{"dashboardDraft":null}`, `{}`},
		"null within a draft is the draft's":    {`{}`, `{"dashboardDraft":{"a":null}}`, `{"dashboardDraft":{"a":null}}`},
		"numbers stay as they are written":      {`{"a":1.10}`, `{"b":12345678901234567890}`, `{"a":1.10,"b":12345678901234567890}`},
		"what is no object changes nothing":     {`{"a":1}`, `null`, `{"a":1}`},
		"markup stays as it is written":         {`{}`, `{"a":"<b>&"}`, `{"a":"<b>&"}`},
		"nested objects are merged all the way": {`{"a":{"b":{"c":1,"d":2}}}`, `{"a":{"b":{"c":3}}}`, `{"a":{"b":{"c":3,"d":2}}}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := record.MergedMeta(json.RawMessage(tt.stored), json.RawMessage(tt.sent))
			if string(got) != tt.want || err != nil {
				t.Errorf("%s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestNormalSlug(t *testing.T) {
	for sent, want := range map[string]string{
		" Sales.2026_a-b ": "sales.2026_a-b", "0": "0", "": "", "-a": "", ".a": "", "a b": "", "ä": "", "a/b": "", "a\nb": "",
	} {
		if got, fault := record.NormalSlug(sent); got != want || (fault == "") != (want != "") {
			t.Errorf("%q: %q, %q; want %q", sent, got, fault, want)
		}
	}
}

func TestMergingTwiceIsMergingOnce(t *testing.T) {
	object := rapid.Deferred(anyObject)
	rapid.Check(t, func(t *rapid.T) {
		stored, sent := object.Draw(t, "stored"), object.Draw(t, "sent")
		once, err := record.MergedMeta(stored, sent)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := record.MergedMeta(once, sent)
		if err != nil || string(once) != string(twice) {
			t.Fatalf("merged %s into %s: %s, again %s, %v", sent, stored, once, twice, err)
		}
	})
}

// anyObject draws JSON objects whose keys often meet.
func anyObject() *rapid.Generator[json.RawMessage] {
	key := rapid.SampledFrom([]string{`"a"`, `"b"`, `"dashboardDraft"`})
	plain := rapid.SampledFrom([]json.RawMessage{[]byte("null"), []byte("1"), []byte(`"x"`), []byte("[1,{}]"), []byte("{}")})
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		members := rapid.MapOfN(key, rapid.OneOf(plain, rapid.Deferred(anyObject)), 0, 3).Draw(t, "members")
		text := "{"
		for name, value := range members {
			text += name + ":" + string(value) + ","
		}
		return json.RawMessage(strings.TrimSuffix(text, ",") + "}")
	})
}
