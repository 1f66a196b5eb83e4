//go:build unix

package archive

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mooring/placements"
)

// What stands where a file was seen is opened only if it is that file.
func TestOpensOnlyWhatWasSeen(t *testing.T) {
	for name, test := range map[string]struct {
		exchange func(path string) error
		class    placements.Class
	}{
		"for a FIFO":         {func(path string) error { return syscall.Mkfifo(path, 0o600) }, placements.Structure},
		"for a folder":       {func(path string) error { return os.Mkdir(path, 0o700) }, placements.Structure},
		"for a link to it":   {func(path string) error { return os.Symlink("b.xlsx", path) }, ""},
		"for another file":   {func(path string) error { return os.WriteFile(path, []byte("b"), 0o600) }, placements.Transient},
		"for a link outside": {func(path string) error { return os.Symlink("/dev/zero", path) }, placements.Structure},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.xlsx")
			if err := os.WriteFile(path, []byte("a"), 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := OpenDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			found, seen, err := d.Locate("a.xlsx")
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.Rename(path, filepath.Join(dir, "b.xlsx")), test.exchange(path)); err != nil {
				t.Skip(err)
			}
			opened := make(chan error, 1)
			go func() {
				file, _, err := d.open("a.xlsx", found, seen)
				if err == nil {
					file.Close()
				}
				opened <- err
			}()
			select {
			case err = <-opened:
			case <-time.After(10 * time.Minute):
				t.Fatal("the open waits")
			}
			fault, _ := errors.AsType[*placements.Fault](err)
			if test.class == "" && err != nil || test.class != "" && (fault == nil || fault.Class != test.class) {
				t.Errorf("got %v, want class %q", err, test.class)
			}
		})
	}
}
