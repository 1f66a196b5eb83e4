package sourcetest

import (
	"strings"
	"testing"
	"time"

	"mooring/refresh/source"
)

// WantWarnings checks what a source says is not safe about it: a part of each sentence.
func WantWarnings(t *testing.T, src source.Source, parts ...string) {
	t.Helper()
	got, err := src.(source.Warner).Warnings(t.Context(), time.UTC)
	if err != nil || len(got) != len(parts) {
		t.Fatalf("warnings %q, %v, want %d", got, err, len(parts))
	}
	for i, part := range parts {
		if !strings.Contains(got[i], part) {
			t.Errorf("warning %q, want %q in it", got[i], part)
		}
	}
}
