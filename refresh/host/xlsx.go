package host

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"mooring/placements"
)

// XLSX is the host of .xlsx files under one folder. A document's id is its file name there, subfolders included. A write
// unpacks and replaces only the parts that change; the rest of the file is copied as packed. It keeps no state between sessions.
type XLSX struct{ root *os.Root }

var _ Host = (*XLSX)(nil)

// NewXLSX opens the folder. No path that leaves it, by whatever means, is followed.
func NewXLSX(dir string) (*XLSX, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	}
	return &XLSX{root: root}, nil
}

// Close lets the folder go.
func (x *XLSX) Close() error { return x.root.Close() }

// CanShift is false: rows of a block are rewritten, which costs the same here.
func (x *XLSX) CanShift() bool { return false }

// CanMove is false, as CanShift is.
func (x *XLSX) CanMove() bool { return false }

// Check proves that the folder is there and readable.
func (x *XLSX) Check(context.Context) error {
	if _, err := fs.ReadDir(x.root.FS(), "."); err != nil {
		return &placements.Fault{
			Class:   placements.Auth,
			Message: "The folder of spreadsheets cannot be read: check that it exists and that the service may read it.",
			Err:     err,
		}
	}
	return nil
}
