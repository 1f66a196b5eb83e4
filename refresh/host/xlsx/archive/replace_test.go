package archive

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
)

// TestReplaceStopsWhenSomebodyElseSaves lets things happen after the file was read and before the new one takes its place.
func TestReplaceStopsWhenSomebodyElseSaves(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		meanwhile func(path string) error
		class     placements.Class
		err       error
		replaced  bool
		says      string
		lost      bool // the document, when the new file is written
	}{
		"nothing happens": {meanwhile: func(string) error { return nil }, replaced: true},
		"it is saved anew": {
			meanwhile: func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o644) },
			class:     placements.Transient,
		},
		"another takes its place": {meanwhile: func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte("theirs"), 0o644), os.Rename(path+"~", path))
		}, class: placements.Transient},
		"somebody opens it": {meanwhile: func(path string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(path), "~$a.xlsx"), nil, 0o644)
		}, class: placements.Transient},
		"it is deleted":              {meanwhile: os.Remove, class: placements.Structure},
		"its writer has lost it":     {lost: true, meanwhile: func(string) error { return nil }, err: context.Canceled},
		"the new one cannot be made": {meanwhile: func(string) error { return broken }, err: broken},
		"the disk is full": {meanwhile: func(path string) error {
			return &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
		}, class: placements.Transient, says: `the disk of the folder "sheets" is full`},
		"the quota of the disk is used up": {meanwhile: func(path string) error {
			return &fs.PathError{Op: "write", Path: path, Err: syscall.EDQUOT}
		}, class: placements.Transient, says: "Make room there"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sheets")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "a.xlsx")
			f := excelize.NewFile()
			if err := errors.Join(f.SaveAs(path), f.Close()); err != nil {
				t.Fatal(err)
			}
			x, err := OpenDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			_, seen, err := x.Locate("a.xlsx")
			if err != nil {
				t.Fatal(err)
			}
			p, err := x.OpenArchive("a.xlsx", "a.xlsx", seen)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			ctx, lose := context.WithCancel(t.Context())
			defer lose()
			_, err = x.Replace(ctx, "a.xlsx", "a.xlsx", p.Info, func(w io.Writer) error {
				if test.lost {
					lose()
				}
				if _, err := io.WriteString(w, "ours"); err != nil {
					return err
				}
				return test.meanwhile(path)
			})
			var fault *placements.Fault
			if test.class != "" && (!errors.As(err, &fault) || fault.Class != test.class) || test.class == "" && !errors.Is(err, test.err) {
				t.Errorf("replace: %v, want class %q, %v", err, test.class, test.err)
			}
			if test.says != "" && !strings.Contains(err.Error(), test.says) {
				t.Errorf("it says %q, want %q in it", err, test.says)
			}
			if got, _ := os.ReadFile(path); (string(got) == "ours") != test.replaced {
				t.Errorf("the file holds %q", got)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
