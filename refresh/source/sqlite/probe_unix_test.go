//go:build unix

package sqlite_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// A look at a file that is a FIFO waits for nobody who writes to it.
func TestAProbeOfAFIFOIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.db")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	src, err := (&sqlite.Config{Path: path}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	_, err = src.(source.Prober).Probe(t.Context(), "")
	if fault, ok := errors.AsType[*placements.Fault](err); !ok || fault.Class != placements.Structure {
		t.Errorf("got %v", err)
	}
}
