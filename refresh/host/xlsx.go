package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mooring/placements"
)

// XLSXConfig is the configuration of a folder of .xlsx files.
type XLSXConfig struct {
	Dir string `yaml:"dir"` // the folder
}

var _ Config = (*XLSXConfig)(nil)

// Resolve makes the folder's path relative to dir.
func (c *XLSXConfig) Resolve(dir string) {
	if c.Dir != "" && !filepath.IsAbs(c.Dir) {
		c.Dir = filepath.Join(dir, c.Dir)
	}
}

// Open opens the folder. Files have no quota.
func (c *XLSXConfig) Open(context.Context, Limiter) (Host, error) {
	if c.Dir == "" {
		return nil, errors.New("dir: missing; kind xlsx needs it")
	}
	x, err := NewXLSX(c.Dir)
	if err != nil {
		return nil, err
	}
	return x, nil
}

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
