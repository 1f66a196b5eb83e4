package files_test

import (
	"testing"

	"go.uber.org/goleak"

	"mooring/refresh/source/files"
)

// TestMain fails when a source that was closed leaves a goroutine behind.
func TestMain(m *testing.M) {
	files.RunAsChild()
	goleak.VerifyTestMain(m)
}
