package mysql_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a source that was closed leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
