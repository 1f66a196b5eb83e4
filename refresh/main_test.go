package refresh_test

import (
	"os"
	"testing"

	"mooring/refresh/source"
)

// TestMain makes the test binary an agent when a test of this package starts it as one.
func TestMain(m *testing.M) {
	source.RunAsChild()
	if address := os.Getenv(agentAddress); address != "" {
		os.Exit(runAgent(address))
	}
	os.Exit(m.Run())
}
