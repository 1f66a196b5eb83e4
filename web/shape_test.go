package web

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// house is a shape that uses every building block.
var house = object(
	member{name: "name", shape: text(5), required: true},
	member{name: "code", shape: matching(regexp.MustCompile(`^[a-z]+$`), "lower-case letters")},
	member{name: "kind", shape: oneOf("A", "B")},
	member{name: "open", shape: boolean},
	member{name: "floor", shape: integer(0)},
	member{name: "rooms", shape: list(object(member{name: "a/b~c", shape: boolean}), 2)},
	member{name: "size", shape: sized(integer(0), 2, 2)},
	member{name: "meta", shape: openObject()},
	member{name: "id"},
)

func TestShapesFindEveryFault(t *testing.T) {
	const unknown = "is not a known key: correct its name, or leave it out"
	for name, tt := range map[string]struct {
		body   string
		strict bool
		want   []detail
	}{
		"a right body has no fault":            {body: `{"name":"x","code":"ab","kind":"B","open":false,"floor":0,"rooms":[{"a/b~c":true}],"size":[1,2],"meta":{"any":1}}`},
		"null passes for what is not required": {body: `{"name":"x","code":null,"kind":null,"open":null,"floor":null,"rooms":null,"size":null,"meta":null}`},
		"characters count, not bytes":          {body: `{"name":"äöüßé"}`},
		"null does not satisfy required":       {body: `{"name":null}`, want: []detail{{"/name", codeInvalid, "is required: send it", ""}}},
		"all faults at once, in key order": {
			body: `{"name":"toolong","code":"X","kind":"C","open":1,"floor":-1,"rooms":[{"a/b~c":3},5],"size":[1],"meta":[]}`,
			want: []detail{
				{"/code", codeInvalid, "must be lower-case letters", ""},
				{"/floor", codeInvalid, "must be at least 0", ""},
				{"/kind", codeInvalid, "must be one of A, B", ""},
				{"/meta", codeInvalid, "must be an object", ""},
				{"/name", codeInvalid, "must have at most 5 characters", ""},
				{"/open", codeInvalid, "must be true or false", ""},
				{"/rooms/0/a~1b~0c", codeInvalid, "must be true or false", ""},
				{"/rooms/1", codeInvalid, "must be an object", ""},
				{"/size", codeInvalid, "must have 2 elements", ""},
			},
		},
		"wrong types": {
			body: `{"name":1,"floor":"1","rooms":{}}`,
			want: []detail{{"/floor", codeInvalid, "must be an integer", ""}, {"/name", codeInvalid, "must be a string", ""}, {"/rooms", codeInvalid, "must be an array", ""}},
		},
		"a fraction is no integer":                      {body: `{"name":"x","floor":1.5}`, want: []detail{{"/floor", codeInvalid, "must be an integer", ""}}},
		"a list has a bound":                            {body: `{"name":"x","rooms":[{},{},{}]}`, want: []detail{{"/rooms", codeInvalid, "must have at most 2 elements", ""}}},
		"unknown keys are ignored":                      {body: `{"name":"x","nmae":1}`},
		"a key that only responses have is not checked": {body: `{"name":"x","id":"whatever"}`, strict: true},
		"strict names unknown keys at any depth": {
			body: `{"name":"x","nmae":1,"rooms":[{"z":1}],"meta":{"free":1}}`, strict: true,
			want: []detail{{"/nmae", codeUnknownKey, unknown, ""}, {"/rooms/0/z", codeUnknownKey, unknown, ""}},
		},
		"the body itself": {body: `[]`, want: []detail{{"", codeInvalid, "must be an object", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := unmarshal([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			k := &check{strict: tt.strict}
			house(k, v)
			if diff := cmp.Diff(tt.want, k.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsOfOneAnswerAreBounded(t *testing.T) {
	v, _ := unmarshal([]byte(`[` + strings.Repeat(`1,`, 500) + `1]`))
	k := &check{}
	list(text(1), 1000)(k, v)
	if len(k.faults()) != maxDetails {
		t.Errorf("%d faults, want %d", len(k.faults()), maxDetails)
	}
}
