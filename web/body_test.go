package web

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"mooring/storage"
)

func TestDepthCountsNestingOutsideStrings(t *testing.T) {
	for body, want := range map[string]int{
		``:                            0,
		`1`:                           0,
		`{}`:                          1,
		`{"a":[{"b":[]}]}`:            4,
		`[[],[],[]]`:                  2,
		`{"a":"[[[[\"[[["}`:           1,
		strings.Repeat("[", 100_000):  100_000,
		`{"a":"\\","b":[{"c":"]]"}]}`: 3,
	} {
		if got := depth([]byte(body)); got != want {
			t.Errorf("depth(%.40q) = %d, want %d", body, got, want)
		}
	}
}

func TestNullIsNotAbsent(t *testing.T) {
	v, err := unmarshal([]byte(`{"a":null,"b":"x","n":7,"o":{"z":1.0,"a":"<&>"}}`))
	if err != nil {
		t.Fatal(err)
	}
	o := values(v.(map[string]any))
	for name, tt := range map[string]struct{ got, want any }{
		"absent text":     {o.text("nothing"), storage.Optional[string]{}},
		"null text":       {o.text("a"), storage.Null[string]()},
		"text":            {o.text("b"), storage.Sent("x")},
		"absent integer":  {o.integer("nothing"), storage.Optional[int64]{}},
		"null integer":    {o.integer("a"), storage.Null[int64]()},
		"integer":         {o.integer("n"), storage.Sent(int64(7))},
		"null json":       {o.json("a"), storage.Null[json.RawMessage]()},
		"canonical json":  {o.json("o"), storage.Sent(json.RawMessage(`{"a":"<&>","z":1.0}`))},
		"absent flag":     {o.flag("nothing"), false},
		"null flag":       {o.flag("a"), false},
		"absent raw json": {o.json("nothing"), storage.Optional[json.RawMessage]{}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestStrictPreference(t *testing.T) {
	for header, want := range map[string]bool{
		"":                                   false,
		"handling=strict":                    true,
		"Handling = \"Strict\"; foo=1":       true,
		"respond-async, handling=strict":     true,
		"handling=lenient":                   false,
		"strict":                             false,
		"wait=10;handling=strict, return=no": false,
	} {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequest("PUT", "/", nil)
		c.Request.Header.Set("Prefer", header)
		if got := strict(c); got != want {
			t.Errorf("strict(%q) = %t, want %t", header, got, want)
		}
	}
}

func TestMediaType(t *testing.T) {
	for contentType, want := range map[string]bool{
		"":                                  true,
		"application/json":                  true,
		"application/json; charset=utf-8":   true,
		"application/merge-patch+json":      true,
		"text/plain":                        false,
		"application/x-www-form-urlencoded": false,
		"application/jsonx":                 false,
		";":                                 false,
	} {
		if got := isJSON(contentType); got != want {
			t.Errorf("isJSON(%q) = %t, want %t", contentType, got, want)
		}
	}
}

// FuzzBody: whatever is sent, decoding neither panics nor accepts what has no reading or two, and canonical JSON is a fixed point.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"name":"x","rooms":[{"a/b~c":true}]}`, `{"a":1e400}`, `[]`, `{`, `{"name":"x"} 1`,
		`"\ud800"`, `"\udc00\ud800"`, `"\ud83d\ude00"`, "\"\xff\"", "{\"a\xc0\":1,\"a\xc1\":2}", `{"a":1,"\u0061":2}`, `{"o":{"a":[{"b":1,"b":1}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := unmarshal(raw)
		if want := jsontext.Value(raw).IsValid(); (err == nil) != want { // strict: UTF-8, no name twice
			t.Fatalf("unmarshal error %v, want valid %t", err, want)
		}
		if err != nil {
			if f, ok := errors.AsType[*fault](err); !ok || f.code != codeMalformed || len(f.details) == 0 {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		house(&check{strict: true}, v)
		once := canonical(v)
		again, err := unmarshal(once)
		if err != nil {
			t.Fatal(err)
		}
		if twice := canonical(again); string(once) != string(twice) {
			t.Fatalf("canonical %s, then %s", once, twice)
		}
	})
}
