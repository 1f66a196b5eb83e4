package graph

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

func TestJoinSpans(t *testing.T) {
	spans := []checksum.Span{{From: 0, To: 2}, {From: 4, To: 5}, {From: 20, To: 21}}
	var got []checksum.Span
	for _, run := range joinSpans(spans, 2) {
		got = append(got, run.Span)
	}
	if diff := cmp.Diff([]checksum.Span{{From: 0, To: 5}, {From: 20, To: 21}}, got); diff != "" {
		t.Error(diff)
	}
}
