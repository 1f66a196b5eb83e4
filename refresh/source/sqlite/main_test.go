package sqlite_test

import (
	"testing"

	"go.uber.org/goleak"

	"mooring/refresh/source/sqlite"
)

// TestMain fails when a source that was closed leaves a goroutine behind.
func TestMain(m *testing.M) {
	sqlite.RunAsChild()
	goleak.VerifyTestMain(m)
}
