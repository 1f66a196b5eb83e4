//go:build unix

package xlsx_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// patience bounds a wait that nothing should come near.
const patience = 10 * time.Minute

// swapping exchanges the file at name with a FIFO and back, as fast as it can, until stop.
func swapping(t *testing.T, name string) (stop func()) {
	t.Helper()
	fifo, file, next := name+".fifo", name+".file", name+".next"
	if err := errors.Join(os.Link(name, file), syscall.Mkfifo(fifo, 0o600)); err != nil {
		t.Skipf("no FIFO can be made: %v", err)
	}
	ended, swapped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for {
			for _, stands := range []string{fifo, file} { // at no moment nothing
				if err := errors.Join(os.Link(stands, next), os.Rename(next, name)); err != nil {
					t.Errorf("swap: %v", err)
					return
				}
			}
			select {
			case <-ended:
				return
			default:
			}
		}
	}()
	return sync.OnceFunc(func() { close(ended); <-swapped })
}

// A file is exchanged for a FIFO at any moment, also between the look at it and the open: no call waits for the FIFO.
func TestAFileExchangedForAFIFOIsNotWaitedFor(t *testing.T) {
	for name, test := range map[string]struct {
		tries int
		do    func(b *bookPart) error
	}{
		"a read": {10_000, func(b *bookPart) error {
			_, err := hosttest.ReadBlock(b.host, b.block, checksum.Extent{Rows: 1, Columns: 1})
			return err
		}},
		"a write": {200, func(b *bookPart) error {
			g := table(line(checksum.Num(1)))
			_, err := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent()})
			return err
		}},
		"a load": {20_000, func(b *bookPart) error {
			_, err := b.host.Load("book.xlsx")
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t)
			stop := swapping(t, filepath.Join(b.dir, "book.xlsx"))
			defer stop()
			tried := make(chan int)
			go func() {
				defer close(tried)
				for i := range test.tries {
					var fault *placements.Fault
					if err := test.do(b); err != nil && !errors.As(err, &fault) {
						t.Errorf("try %d: %v", i, err)
					}
					tried <- i
				}
			}()
			for last := -1; ; {
				select {
				case i, more := <-tried:
					if !more {
						return
					}
					last = i
				case <-time.After(patience):
					t.Fatalf("nothing comes back after try %d", last)
				}
			}
		})
	}
}

// What stands where a file was seen is refused, whatever it is.
func TestAFileThatIsAFIFOIsRefused(t *testing.T) {
	b := newBook(t)
	name := filepath.Join(b.dir, "book.xlsx")
	if err := errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)); err != nil {
		t.Skip(err)
	}
	_, err := hosttest.ReadBlock(b.host, b.block, checksum.Extent{Rows: 1, Columns: 1})
	if fault, ok := errors.AsType[*placements.Fault](err); !ok || fault.Class != placements.Structure {
		t.Errorf("got %v", err)
	}
}
