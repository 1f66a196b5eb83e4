package placements_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

// parametersOf reads parameters as the interface has them.
func parametersOf(t testing.TB, text string) (list []placements.Parameter) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestParametersAreJudged(t *testing.T) {
	long := strings.Repeat("ä", placements.MaxParameterText+1)
	thousand := strings.Repeat(`"x",`, placements.MaxParameterValues) + `"y"`
	for _, tc := range []struct {
		fact, text string
		want       []string // pointers
	}{
		{"a text", `[{"name":"region","type":"text"}]`, nil},
		{"everything", `[{"name":"_R2","title":"Region","type":"text","list":true,"default":["a"],"allowed":["a","b"],"fromCells":true}]`, nil},
		{"names differ by case", `[{"name":"a","type":"text"},{"name":"A","type":"number"}]`, nil},
		{"a name twice", `[{"name":"a","type":"text"},{"name":"a","type":"text"}]`, []string{"/parameters/1/name"}},
		{"a name that begins with a digit", `[{"name":"1a","type":"text"}]`, []string{"/parameters/0/name"}},
		{"a name of another alphabet", `[{"name":"straße","type":"text"}]`, []string{"/parameters/0/name"}},
		{"63 characters", `[{"name":"` + strings.Repeat("a", 63) + `","type":"text"}]`, nil},
		{"64 characters", `[{"name":"` + strings.Repeat("a", 64) + `","type":"text"}]`, []string{"/parameters/0/name"}},
		{"no name", `[{"type":"text"}]`, []string{"/parameters/0/name"}},
		{"no type", `[{"name":"a"}]`, []string{"/parameters/0/type"}},
		{"a type that is none", `[{"name":"a","type":"uuid"}]`, []string{"/parameters/0/type"}},
		{"a long title", `[{"name":"a","type":"text","title":"` + strings.Repeat("t", 256) + `"}]`, []string{"/parameters/0/title"}},
		{"a default of another type", `[{"name":"a","type":"number","default":"1"}]`, []string{"/parameters/0/default"}},
		{"a default that is no date", `[{"name":"a","type":"date","default":"2026-02-30"}]`, []string{"/parameters/0/default"}},
		{"the year 0", `[{"name":"a","type":"date","default":"0000-01-01"}]`, []string{"/parameters/0/default"}},
		{"a default that is not allowed", `[{"name":"a","type":"text","default":"c","allowed":["a","b"]}]`, []string{"/parameters/0/default"}},
		{"an allowed text of other case", `[{"name":"a","type":"text","default":"A","allowed":["a"]}]`, []string{"/parameters/0/default"}},
		{"a list whose default is one value", `[{"name":"a","type":"text","list":true,"default":"a"}]`, []string{"/parameters/0/default"}},
		{"one whose default is a list", `[{"name":"a","type":"text","default":["a"]}]`, []string{"/parameters/0/default"}},
		{"an empty list", `[{"name":"a","type":"text","list":true,"default":[]}]`, nil},
		{"a list with a wrong value", `[{"name":"a","type":"boolean","list":true,"default":[true,1]}]`, []string{"/parameters/0/default/1"}},
		{"allowed values of another type", `[{"name":"a","type":"boolean","allowed":[true,"false"]}]`, []string{"/parameters/0/allowed/1"}},
		{"an allowed value twice", `[{"name":"a","type":"number","allowed":[1,1.0]}]`, []string{"/parameters/0/allowed/1"}},
		{"nothing allowed", `[{"name":"a","type":"number","allowed":[]}]`, []string{"/parameters/0/allowed"}},
		{"1,001 allowed", `[{"name":"a","type":"text","allowed":[` + thousand + `]}]`, []string{"/parameters/0/allowed"}},
		{"a list of 1,001", `[{"name":"a","type":"text","list":true,"default":[` + thousand + `]}]`, []string{"/parameters/0/default"}},
		{"a long text", `[{"name":"a","type":"text","default":"` + long + `"}]`, []string{"/parameters/0/default"}},
		{"a NUL", `[{"name":"a","type":"text","default":"\u0000"}]`, []string{"/parameters/0/default"}},
		{"17 of them", `[` + strings.Repeat(`{"name":"a","type":"text"},`, 16) + `{"name":"b","type":"text"}]`, []string{"/parameters"}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var got []string
			for _, d := range placements.ParameterFaults(parametersOf(t, tc.text)) {
				if d.Code != placements.CodeParameterInvalid || d.Message == "" {
					t.Errorf("fault %+v", d)
				}
				got = append(got, d.Pointer)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("pointers (-want +got):\n%s", diff)
			}
		})
	}
}

const asked = `[{"name":"region","title":"Region","type":"text","allowed":["North","South"],"default":"North","fromCells":true},
	{"name":"from","type":"date","fromCells":true},{"name":"ids","type":"number","list":true,"default":[]}]`

func TestSettingsAreJudged(t *testing.T) {
	of := parametersOf(t, asked)
	for _, tc := range []struct {
		fact, settings, pointer string
		code                    placements.Code
	}{
		{"values", `{"region":{"value":"South"},"from":{"value":"2026-01-01"},"ids":{"value":[1,2]}}`, "", ""},
		{"a cell", `{"region":{"cell":"Setup!B2"}}`, "", ""},
		{"nothing", `{}`, "", ""},
		{"a name that is not declared", `{"Region":{"value":"South"}}`, "/parameters/Region", placements.CodeParameterUndeclared},
		{"a name with a slash", `{"a/b":{"value":"South"}}`, "/parameters/a~1b", placements.CodeParameterUndeclared},
		{"a value that is not allowed", `{"region":{"value":"West"}}`, "/parameters/region/value", placements.CodeParameterValue},
		{"a text for numbers", `{"ids":{"value":[1,"2"]}}`, "/parameters/ids/value/1", placements.CodeParameterValue},
		{"neither", `{"region":{}}`, "/parameters/region", placements.CodeParameterInvalid},
		{"both", `{"region":{"value":"North","cell":"Setup!B2"}}`, "/parameters/region", placements.CodeParameterInvalid},
		{"a cell where none may be", `{"ids":{"cell":"Setup!B2"}}`, "/parameters/ids/cell", placements.CodeParameterCell},
		{"a range for one value", `{"region":{"cell":"Setup!B2:B3"}}`, "/parameters/region/cell", placements.CodeParameterCell},
		{"a cell of no sheet", `{"region":{"cell":"B2"}}`, "/parameters/region/cell", placements.CodeParameterCell},
		{"no cell", `{"region":{"cell":"Setup!"}}`, "/parameters/region/cell", placements.CodeParameterCell},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var s placements.ParameterSettings
			if err := json.Unmarshal([]byte(tc.settings), &s); err != nil {
				t.Fatal(err)
			}
			faults := s.Faults(of)
			if tc.pointer == "" {
				if len(faults) > 0 {
					t.Errorf("faults %v", faults)
				}
				return
			}
			if len(faults) != 1 || faults[0].Pointer != tc.pointer || faults[0].Code != tc.code || strings.Contains(faults[0].Message, "West") {
				t.Errorf("faults %+v", faults)
			}
		})
	}
}

func TestARunUsesWhatThePlacementSaysElseTheDefaults(t *testing.T) {
	north, day := placements.OneValue(placements.TextScalar("North")), placements.OneValue(placements.TextScalar("2026-02-01"))
	for _, tc := range []struct {
		fact, settings string
		read           map[string]*placements.ParameterValue
		want, fault    string
	}{
		{"values", `{"region":{"value":"South"},"from":{"value":"2026-01-01"},"ids":{"value":[3]}}`, nil, "region=\"South\"\nfrom=\"2026-01-01\"\nids=[3]\n", ""},
		{"defaults", `{"from":{"value":"2026-01-01"}}`, nil, "region=\"North\"\nfrom=\"2026-01-01\"\nids=[]\n", ""},
		{"no value", `{}`, nil, "", "from has no value"},
		{"cells", `{"region":{"cell":"S!A1"},"from":{"cell":"S!A2"}}`, map[string]*placements.ParameterValue{"region": &north, "from": &day}, "region=\"North\"\nfrom=\"2026-02-01\"\nids=[]\n", ""},
		{"an empty cell with a default", `{"region":{"cell":"S!A1"},"from":{"value":"2026-01-01"}}`, map[string]*placements.ParameterValue{"region": nil}, "region=\"North\"\nfrom=\"2026-01-01\"\nids=[]\n", ""},
		{"an empty cell without one", `{"from":{"cell":"S!A1"}}`, nil, "", "from has no value"},
		{"a value that is no longer allowed", `{"region":{"value":"Secret"},"from":{"value":"2026-01-01"}}`, nil, "", "the value of Region is not allowed: choose one of North, South"},
		{"a name that is gone", `{"old":{"value":"Secret"}}`, nil, "", `the report no longer has the parameter "old", of which the placement says a value: take it out of the placement`},
		{"a cell that no longer may", `{"ids":{"cell":"S!A1"},"from":{"value":"2026-01-01"}}`, nil, "", "the report no longer lets ids come from a cell: say its value"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var s placements.ParameterSettings
			if err := json.Unmarshal([]byte(tc.settings), &s); err != nil {
				t.Fatal(err)
			}
			got, err := s.Arguments(parametersOf(t, asked), tc.read)
			if tc.fault != "" {
				f, ok := errors.AsType[*placements.Fault](err)
				if !ok || f.Class != placements.Conflict || f.Clash == nil || !f.Clash.Values || f.Message != tc.fault {
					t.Errorf("error %v, want %q", err, tc.fault)
				}
				return
			}
			if err != nil || got.Key() != tc.want {
				t.Errorf("%q, %v; want %q", got.Key(), err, tc.want)
			}
		})
	}
}

func TestAValueThatIsNoNumberIsToldToWhoSentIt(t *testing.T) {
	of := parametersOf(t, `[{"name":"n","type":"number"}]`)
	for sent, want := range map[string]string{
		`"1,5"`:  "is no number: write it as 1.5",
		`"much"`: "is no number: write it as 1.5",
		`"true"`: "is no number: write it as 1.5",
		`true`:   "is no number: write it as 1.5",
		`"0x10"`: "is no number: write it as 1.5",
		`"1.5"`:  "is a text that reads as a number: send it without quotes",
		`"-2e3"`: "is a text that reads as a number: send it without quotes",
		`1.5`:    "",
	} {
		var v placements.ParameterValue
		if err := json.Unmarshal([]byte(sent), &v); err != nil {
			t.Fatal(err)
		}
		got := ""
		if fault := of[0].Admits(v); fault != nil {
			got = fault.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sent, got, want)
		}
	}
}

func TestGivenValuesNeedNamesAndTypes(t *testing.T) {
	of := parametersOf(t, asked)
	for _, tc := range []struct{ given, want string }{
		{`{"from":"2026-01-01"}`, ""},
		{`{}`, "/parameters/from parameter_value"},
		{`{"from":"yesterday"}`, "/parameters/from parameter_value"},
		{`{"from":"2026-01-01","x":1}`, "/parameters/x parameter_undeclared"},
		{`{"from":"2026-01-01","ids":[1,true]}`, "/parameters/ids/1 parameter_value"},
	} {
		var given map[string]placements.ParameterValue
		if err := json.Unmarshal([]byte(tc.given), &given); err != nil {
			t.Fatal(err)
		}
		args, faults := placements.GivenArguments(of, given)
		got := ""
		for _, f := range faults {
			got += f.Pointer + " " + string(f.Code)
		}
		if got != tc.want || (len(args) == len(of)) != (tc.want == "") {
			t.Errorf("%s: %q, %d arguments; want %q", tc.given, got, len(args), tc.want)
		}
	}
}

func TestAPlacementIsOutdatedWhenItsNextValuesAreOthers(t *testing.T) {
	for _, tc := range []struct {
		fact, settings, used string
		want                 bool
	}{
		{"the same", `{"from":{"value":"2026-01-01"}}`, `{"region":"\"North\"","from":"\"2026-01-01\"","ids":"[]"}`, false},
		{"a value was set", `{"from":{"value":"2026-01-02"}}`, `{"region":"\"North\"","from":"\"2026-01-01\"","ids":"[]"}`, true},
		{"the default was changed", `{"from":{"value":"2026-01-01"}}`, `{"region":"\"South\"","from":"\"2026-01-01\"","ids":"[]"}`, true},
		{"a cell is not known", `{"from":{"cell":"S!A1"}}`, `{"region":"\"North\"","from":"\"1999-01-01\"","ids":"[]"}`, false},
		{"one without a value", `{}`, `{"region":"\"North\"","from":"\"1999-01-01\"","ids":"[]"}`, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var p placements.Placement
			if err := errors.Join(json.Unmarshal([]byte(tc.settings), &p.Parameters), json.Unmarshal([]byte(tc.used), &p.Used)); err != nil {
				t.Fatal(err)
			}
			if got := p.ValueKeys().Outdated(parametersOf(t, asked)); got != tc.want {
				t.Errorf("outdated %t", got)
			}
		})
	}
}

func TestKeysTellValuesApart(t *testing.T) {
	long := strings.Repeat("x", 500)
	values := []placements.ParameterValue{
		placements.OneValue(placements.TextScalar("1")), placements.OneValue(placements.NumberScalar(1)),
		placements.OneValue(placements.BooleanScalar(true)), placements.OneValue(placements.TextScalar("true")),
		placements.ListValue(), placements.ListValue(placements.TextScalar("1")), placements.OneValue(placements.TextScalar("")),
		placements.OneValue(placements.TextScalar(long)), placements.OneValue(placements.TextScalar(long + "y")),
	}
	for i, a := range values {
		for j, b := range values {
			if (a.Key() == b.Key()) != (i == j) || a.Equal(b) != (i == j) {
				t.Errorf("%d and %d: keys %q, %q, equal %t", i, j, a.Key(), b.Key(), a.Equal(b))
			}
		}
	}
}

func TestCellsBecomeValues(t *testing.T) {
	one := func(kind placements.ParameterType) placements.Parameter {
		return placements.Parameter{Name: "p", Type: kind}
	}
	limited := placements.Parameter{Name: "p", Type: placements.ParameterText, Allowed: []placements.Scalar{placements.TextScalar("Q1"), placements.TextScalar("Q2")}}
	list := placements.Parameter{Name: "p", Type: placements.ParameterNumber, List: true}
	cell := func(c checksum.Cell) placements.ParameterCell { return placements.ParameterCell{Value: c} }
	date := func(n float64) placements.ParameterCell {
		return placements.ParameterCell{Value: checksum.Num(n), Date: true}
	}
	in := func(s placements.CellState) placements.ParameterCell { return placements.ParameterCell{State: s} }
	for _, tc := range []struct {
		fact        string
		p           placements.Parameter
		cells       []placements.ParameterCell
		from1904    bool
		want, fault string
	}{
		{fact: "a text", p: one("text"), cells: []placements.ParameterCell{cell(checksum.Str(" 01 "))}, want: `" 01 "`},
		{fact: "a number as text", p: one("text"), cells: []placements.ParameterCell{cell(checksum.Num(0.1))}, want: `"0.1"`},
		{fact: "a large number as text", p: one("text"), cells: []placements.ParameterCell{cell(checksum.Num(1e21))}, want: `"1000000000000000000000"`},
		{fact: "a truth value as text", p: one("text"), cells: []placements.ParameterCell{cell(checksum.Bool(false))}, want: `"FALSE"`},
		{fact: "a date as text", p: one("text"), cells: []placements.ParameterCell{date(46023)}, fault: "formatted as a date"},
		{fact: "a text formatted as a date", p: one("text"), cells: []placements.ParameterCell{{Value: checksum.Str("Q1"), Date: true}}, want: `"Q1"`},
		{fact: "a number", p: one("number"), cells: []placements.ParameterCell{cell(checksum.Num(-2.5))}, want: `-2.5`},
		{fact: "a number in a text", p: one("number"), cells: []placements.ParameterCell{cell(checksum.Str("1,5"))}, fault: "holds no number"},
		{fact: "a truth value for a number", p: one("number"), cells: []placements.ParameterCell{cell(checksum.Bool(true))}, fault: "holds no number"},
		{fact: "a serial", p: one("date"), cells: []placements.ParameterCell{cell(checksum.Num(46023))}, want: `"2026-01-01"`},
		{fact: "the first serial", p: one("date"), cells: []placements.ParameterCell{date(61)}, want: `"1900-03-01"`},
		{fact: "a serial before", p: one("date"), cells: []placements.ParameterCell{date(60)}, fault: "holds no date"},
		{fact: "the last serial", p: one("date"), cells: []placements.ParameterCell{date(2958465)}, want: `"9999-12-31"`},
		{fact: "a serial behind", p: one("date"), cells: []placements.ParameterCell{date(2958466)}, fault: "holds no date"},
		{fact: "a serial from 1904", p: one("date"), cells: []placements.ParameterCell{date(44561)}, from1904: true, want: `"2026-01-01"`},
		{fact: "the first from 1904", p: one("date"), cells: []placements.ParameterCell{date(0)}, from1904: true, want: `"1904-01-01"`},
		{fact: "a time of day", p: one("date"), cells: []placements.ParameterCell{date(46023.5)}, fault: "time of day"},
		{fact: "an ISO text", p: one("date"), cells: []placements.ParameterCell{cell(checksum.Str("2026-01-31"))}, want: `"2026-01-31"`},
		{fact: "another text", p: one("date"), cells: []placements.ParameterCell{cell(checksum.Str("31.01.2026"))}, fault: "holds no date"},
		{fact: "TRUE", p: one("boolean"), cells: []placements.ParameterCell{cell(checksum.Bool(true))}, want: `true`},
		{fact: "1 for TRUE", p: one("boolean"), cells: []placements.ParameterCell{cell(checksum.Num(1))}, fault: "neither TRUE nor FALSE"},
		{fact: "an empty cell", p: one("text"), cells: []placements.ParameterCell{{}}, want: "none"},
		{fact: "an error", p: one("text"), cells: []placements.ParameterCell{cell(checksum.Err("#N/A"))}, fault: "holds an error"},
		{fact: "a deleted cell", p: one("text"), cells: []placements.ParameterCell{in(placements.CellGone)}, fault: "was deleted"},
		{fact: "a covered cell", p: one("text"), cells: []placements.ParameterCell{in(placements.CellCovered)}, fault: "covered by a merged cell"},
		{fact: "a formula without a value", p: one("text"), cells: []placements.ParameterCell{in(placements.CellUncomputed)}, fault: "not computed"},
		{fact: "an allowed text", p: limited, cells: []placements.ParameterCell{cell(checksum.Str("Q2"))}, want: `"Q2"`},
		{fact: "one that is not", p: limited, cells: []placements.ParameterCell{cell(checksum.Str("secret"))}, fault: "Setup!B2 holds a value that is not allowed: Q1, Q2"},
		{fact: "of other case", p: limited, cells: []placements.ParameterCell{cell(checksum.Str("q1"))}, fault: "not allowed"},
		{fact: "a long text", p: one("text"), cells: []placements.ParameterCell{cell(checksum.Str(strings.Repeat("x", 1001)))}, fault: "more than 1000 characters"},
		{fact: "a list", p: list, cells: []placements.ParameterCell{cell(checksum.Num(3)), {}, cell(checksum.Num(1))}, want: `[3,1]`},
		{fact: "an empty list", p: list, cells: []placements.ParameterCell{{}, {}}, want: "none"},
		{fact: "a wrong one in a list", p: list, cells: []placements.ParameterCell{cell(checksum.Num(3)), cell(checksum.Str("4"))}, fault: "holds no number"},
		{fact: "several cells for one", p: one("text"), cells: make([]placements.ParameterCell, 2), fault: "is 2 cells"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			got, err := tc.p.Read("Setup!B2", tc.cells, tc.from1904)
			if tc.fault != "" {
				f, ok := errors.AsType[*placements.CellFault](err)
				if !ok || !strings.HasPrefix(f.Message, "Setup!B2 ") || !strings.Contains(f.Message, tc.fault) || strings.Contains(f.Message, "secret") {
					t.Errorf("error %v, want %q", err, tc.fault)
				}
				return
			}
			text := "none"
			if got != nil {
				text = got.Key()
			}
			if err != nil || text != tc.want {
				t.Errorf("%s, %v; want %s", text, err, tc.want)
			}
		})
	}
}

// FuzzParameters: whatever is judged sound can be asked with its default, and reads back as it was.
func FuzzParameters(f *testing.F) {
	f.Add(asked)
	f.Add(`[{"name":"a","type":"boolean","list":true,"default":[true],"allowed":[true]}]`)
	f.Add(`[{"name":"a","type":"number","default":-0}]`)
	f.Fuzz(func(t *testing.T, text string) {
		var list []placements.Parameter
		if json.Unmarshal([]byte(text), &list) != nil || len(placements.ParameterFaults(list)) > 0 {
			return
		}
		given := map[string]placements.ParameterValue{}
		for _, p := range list {
			if p.Default != nil {
				given[p.Name] = *p.Default
			}
		}
		if _, faults := placements.GivenArguments(list, given); len(given) == len(list) && len(faults) > 0 {
			t.Errorf("the defaults are refused: %v", faults)
		}
		again, err := json.Marshal(list)
		if err != nil || !placements.EqualParameters(list, parametersOf(t, string(again))) {
			t.Errorf("%s reads back otherwise: %v", again, err)
		}
	})
}
