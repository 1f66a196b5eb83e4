//go:build unix

package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mooring/placements"
)

// hold locks a folder as a write does whose rename hangs, until it is let go.
func hold(t *testing.T, dir string) (letGo func()) {
	t.Helper()
	opened, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	if err := syscall.Flock(int(opened.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	return func() { opened.Close() }
}

// A write to another file of a folder that one has locked which hangs gives up long before its run does, and says why.
func TestAFolderThatStaysLockedIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stands, then := counted(t, 1), counted(t, 2)
		dir := folderWith(t, stands)
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "sub", "book.xlsx"), stands, 0o600); err != nil {
			t.Fatal(err)
		}
		letGo := hold(t, dir)
		save := func(document string) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			return Save(ctx, dir, document, sha256.Sum256(stands), then)
		}
		began := time.Now()
		err := save("book.xlsx")
		fault, is := errors.AsType[*placements.Fault](err)
		if !is || fault.Class != placements.Transient || !strings.Contains(fault.Message, "folder \""+filepath.Base(dir)+"\" has been locked for 10s") {
			t.Errorf("a write in the locked folder: %v", err)
		}
		if waited := time.Since(began); waited != lockWait { // by the clock of the test
			t.Errorf("it waited %v", waited)
		}
		if err := save("sub/book.xlsx"); err != nil {
			t.Errorf("a write in another folder: %v", err)
		}
		letGo()
		if err := save("book.xlsx"); err != nil {
			t.Errorf("a write once the folder is free: %v", err)
		}
	})
}

// A run that ends meanwhile ends for its own reason.
func TestAWaitForALockedFolderEndsWithItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stands := counted(t, 1)
		dir := folderWith(t, stands)
		defer hold(t, dir)()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := Save(ctx, dir, "book.xlsx", sha256.Sum256(stands), counted(t, 2))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ends with %v", err)
		}
	})
}
