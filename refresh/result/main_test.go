package result

import (
	"os"
	"testing"

	"mooring/refresh/source/sqlite"
)

// TestMain makes the test binary a child of the SQLite source when that starts it as one.
func TestMain(m *testing.M) {
	sqlite.RunAsChild()
	os.Exit(m.Run())
}
