package source_test

import (
	"testing"

	"go.uber.org/goleak"

	"mooring/refresh/source"
)

// TestMain fails when a source that was closed leaves a goroutine behind.
func TestMain(m *testing.M) {
	source.RunAsChild()
	goleak.VerifyTestMain(m)
}
