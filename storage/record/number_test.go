package record_test

import (
	"encoding/json"
	"math/big"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"mooring/storage/record"
)

func TestCanonicalNumber(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"0", "0"},
		{"-0.0", "0"},
		{"0e9", "0"},
		{"1", "1"},
		{"-1.50", "-1.5"},
		{"1e-7", "0.0000001"},
		{"1E-07", "0.0000001"},
		{"1.2e3", "1200"},
		{"0.012E+2", "1.2"},
		{"123456789012345680.0", "123456789012345680"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{"1e400", "1e400"},
		{"10e-401", "1e-400"},
		{"1e99999999999999999999", "1e99999999999999999999"},
		{"one", "one"},
	} {
		if got := record.CanonicalNumber(row.text); got != row.want {
			t.Errorf("%s: %s, want %s", row.text, got, row.want)
		}
	}
}

// Two writings have one canonical form exactly if they have one value.
func TestCanonicalNumbersAreEqualExactlyIfTheirValuesAre(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := number.Draw(rt, "a"), number.Draw(rt, "b")
		if f, err := strconv.ParseFloat(a, 64); err == nil && rapid.Bool().Draw(rt, "alike") {
			b = strconv.FormatFloat(f, 'e', -1, 64)
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := record.SameValue(json.Number(a), json.Number(b)), x.Cmp(y) == 0; got != want {
			rt.Errorf("%s and %s: %t, want %t", a, b, got, want)
		}
		if again := record.CanonicalNumber(record.CanonicalNumber(a)); again != record.CanonicalNumber(a) {
			rt.Errorf("%s: %s is not canonical", a, again)
		}
	})
}

func TestSameValue(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{`{"a":[1,{"b":1e-7}]}`, `{"a":[1.0,{"b":0.0000001}]}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`"1"`, `1`, false},
		{`null`, `null`, true},
		{`true`, `false`, false},
		{`[]`, `{}`, false},
	} {
		a, errA := record.Generic(json.RawMessage(row.a))
		b, errB := record.Generic(json.RawMessage(row.b))
		if got := record.SameValue(a, b); got != row.want || errA != nil || errB != nil {
			t.Errorf("%s and %s: %t", row.a, row.b, got)
		}
	}
}
