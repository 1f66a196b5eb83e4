package host

import (
	"context"
	"fmt"
	"os"

	"mooring/placements"
)

// XLSX is the host of .xlsx files under one folder. A document's id is its file name there, subfolders included. A write
// unpacks and replaces only the parts that change; the rest of the file is copied as packed. It keeps no state between sessions:
// each opens the folder that is in its place then.
type XLSX struct{ dir string }

var _ Host = (*XLSX)(nil)

// NewXLSX refuses a folder that cannot be opened. No path that leaves it, by whatever means, is followed.
func NewXLSX(dir string) (*XLSX, error) {
	folder, err := openXLSXFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	}
	return &XLSX{dir: dir}, folder.close()
}

// CanShift is false: rows of a block are rewritten, which costs the same here.
func (x *XLSX) CanShift() bool { return false }

// CanMove is false, as CanShift is.
func (x *XLSX) CanMove() bool { return false }

// Check proves that the folder is there and readable.
func (x *XLSX) Check(context.Context) error {
	if _, err := os.ReadDir(x.dir); err != nil {
		return &placements.Fault{
			Class:   placements.Auth,
			Message: "The folder of spreadsheets cannot be read: check that it exists and that the service may read it.",
			Err:     err,
		}
	}
	return nil
}
