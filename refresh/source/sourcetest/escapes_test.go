package sourcetest_test

import (
	"slices"
	"testing"

	"mooring/refresh/source/sourcetest"
)

func TestEscapesAreSixtySeven(t *testing.T) {
	if n := len(slices.Compact(slices.Sorted(slices.Values(sourcetest.Escapes())))); n != 67 {
		t.Errorf("%d different texts, want 67", n)
	}
}
