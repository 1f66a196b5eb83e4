package checksum

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want FieldFaults
	}{
		{"no chunks are fine", `{"v":2}`, nil},
		{"a client's own version is fine", `{"v":7,"chunks":[{"from":0,"to":10,"hash":"mine"},{"from":10,"to":11,"hash":"x"}]}`, nil},
		{"rows left out between chunks are fine", `{"v":1,"chunks":[{"from":5,"to":6,"hash":"a"},{"from":9,"to":9,"hash":"b"}]}`, nil},
		{
			"64 characters of hash are fine, whatever their bytes",
			`{"v":1,"chunks":[{"from":0,"to":1,"hash":"` + strings.Repeat("é", 64) + `"}]}`, nil,
		},
		{"a version below 1", `{"v":0}`, FieldFaults{{"/v", "must be at least 1"}}},
		{"65 characters of hash", `{"v":1,"chunks":[{"from":0,"to":1,"hash":"` + strings.Repeat("a", 65) + `"}]}`, FieldFaults{
			{"/chunks/0/hash", "must have 1 to 64 characters"},
		}},
		{"all faults are told at once", `{"v":-1,"chunks":[{"from":-1,"to":2,"hash":""},{"from":1,"to":0,"hash":"b"}]}`, FieldFaults{
			{"/v", "must be at least 1"},
			{"/chunks/0/from", "must be at least 0"},
			{"/chunks/0/hash", "must have 1 to 64 characters"},
			{"/chunks/1/from", "must be at least 2, where the chunks before it end"},
			{"/chunks/1/to", "must be at least from"},
		}},
		{"chunks that descend", `{"v":1,"chunks":[{"from":10,"to":20,"hash":"a"},{"from":0,"to":10,"hash":"b"}]}`, FieldFaults{
			{"/chunks/1/from", "must be at least 20, where the chunks before it end"},
		}},
		{"2001 chunks", `{"v":1,"chunks":[` + strings.Repeat(`{"from":0,"to":0,"hash":"a"},`, 2000) + `{}]}`, FieldFaults{
			{"/chunks", "must have at most 2000 chunks"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sum ResultChecksum
			if err := json.Unmarshal([]byte(tt.in), &sum); err != nil {
				t.Fatal(err)
			}
			var got FieldFaults
			if err := sum.Validate(); err != nil && !errors.As(err, &got) {
				t.Fatalf("error %T is no list of faults", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaultsReadAsOneSentence(t *testing.T) {
	err := ResultChecksum{Chunks: []Chunk{{}}}.Validate()
	if got, want := err.Error(), "/v: must be at least 1; /chunks/0/hash: must have 1 to 64 characters"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOurOwnChecksumsAreValid(t *testing.T) {
	if err := manyRows(9000).Checksum().Validate(); err != nil {
		t.Error(err)
	}
}
