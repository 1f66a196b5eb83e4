package placements_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
)

// TestOptionsOfARunComeBeforeThoseOfThePlacement: run > placement > default; a schedule's are those of its runs.
func TestOptionsOfARunComeBeforeThoseOfThePlacement(t *testing.T) {
	const all = `{"onEdit":"stop","shiftRows":true,"breakSignature":true}`
	for _, tc := range []struct {
		fact           string
		run, placement string
		onEdit         placements.OnEdit
		shifts, breaks bool
	}{
		{"neither says: the defaults", `{}`, `{}`, placements.Keep, false, false},
		{"the placement says", `{}`, all, placements.Stop, true, true},
		{"the run says otherwise", `{"onEdit":"overwrite","shiftRows":false,"breakSignature":false}`, all, placements.Overwrite, false, false},
		{"the run says the default", `{"onEdit":"keep"}`, `{"onEdit":"stop"}`, placements.Keep, false, false},
		{"each option for itself", `{"onEdit":"overwrite"}`, `{"breakSignature":true}`, placements.Overwrite, false, true},
		{"a run that shifts", `{"shiftRows":true}`, `{"shiftRows":false}`, placements.Keep, true, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var run, placement placements.Options
			if err := json.Unmarshal([]byte(tc.run), &run); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tc.placement), &placement); err != nil {
				t.Fatal(err)
			}
			got := run.Over(placement)
			if onEdit, breaks := got.OnEdit.Or(placements.Keep), got.BreakSignature.Or(false); onEdit != tc.onEdit || breaks != tc.breaks {
				t.Errorf("onEdit %s, breakSignature %t; want %s, %t", onEdit, breaks, tc.onEdit, tc.breaks)
			}
			if shifts := got.ShiftRows.Or(false); shifts != tc.shifts {
				t.Errorf("shiftRows %t, want %t", shifts, tc.shifts)
			}
			text, err := json.Marshal(run)
			if diff := cmp.Diff(tc.run, string(text)); err != nil || diff != "" {
				t.Errorf("%v, stored (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Each option is seen by what compares options, by what puts one over another, and has a default.
func TestEveryOptionCounts(t *testing.T) {
	fields := reflect.TypeFor[placements.Options]().NumField()
	complete := reflect.ValueOf(placements.Options{}.Complete())
	for i := range fields {
		var said placements.Options
		option := reflect.ValueOf(&said).Elem().Field(i)
		option.FieldByName("Sent").SetBool(true)
		option.FieldByName("Value").Set(reflect.New(option.FieldByName("Value").Type().Elem()))
		name := reflect.TypeFor[placements.Options]().Field(i).Name
		if said.Equal(placements.Options{}) || !said.Equal(said) {
			t.Errorf("%s is not compared", name)
		}
		if complete.Field(i).FieldByName("Value").IsNil() {
			t.Errorf("%s has no default", name)
		}
		if over := said.Over(placements.Options{}); !reflect.DeepEqual(over, said) {
			t.Errorf("%s is lost over nothing: %+v", name, over)
		}
		if under := (placements.Options{}).Over(said); !reflect.DeepEqual(under, said) {
			t.Errorf("%s is lost under nothing: %+v", name, under)
		}
	}
}
