package refresh_test

import (
	"os"
	"testing"

	"mooring/refresh/source/sqlite"
)

// TestMain makes the test binary an agent when a test of this package starts it as one.
func TestMain(m *testing.M) {
	sqlite.RunAsChild()
	if address := os.Getenv(agentAddress); address != "" {
		os.Exit(runAgent(address))
	}
	os.Exit(m.Run())
}
