package xlsx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mooring/placements"
	"mooring/refresh/host"
)

// Config is the configuration of a folder of .xlsx files.
type Config struct {
	Dir string `yaml:"dir"` // the folder
}

var _ host.Config = (*Config)(nil)

// Resolve makes the folder's path relative to dir.
func (c *Config) Resolve(dir string) {
	if c.Dir != "" && !filepath.IsAbs(c.Dir) {
		c.Dir = filepath.Join(dir, c.Dir)
	}
}

// Open opens the folder. Files have no quota.
func (c *Config) Open(context.Context, host.Limiter) (host.Host, error) {
	if c.Dir == "" {
		return nil, errors.New("dir: missing; kind xlsx needs it")
	}
	x, err := New(c.Dir)
	if err != nil {
		return nil, err
	}
	return x, nil
}

// Folder is the host of .xlsx files under one folder. A document's id is its file name there, subfolders included. A write
// unpacks and replaces only the parts that change; the rest of the file is copied as packed. It keeps no state between sessions:
// each opens the folder that is in its place then.
type Folder struct{ dir string }

var _ host.Host = (*Folder)(nil)

// New refuses a folder that cannot be opened. No path that leaves it, by whatever means, is followed.
func New(dir string) (*Folder, error) {
	folder, err := openFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	}
	return &Folder{dir: dir}, folder.close()
}

// CanShift is false: rows of a block are rewritten, which costs the same here.
func (x *Folder) CanShift() bool { return false }

// CanMove is false, as CanShift is.
func (x *Folder) CanMove() bool { return false }

// Check proves that the folder is there and readable.
func (x *Folder) Check(context.Context) error {
	if _, err := os.ReadDir(x.dir); err != nil {
		return &placements.Fault{
			Class:   placements.Auth,
			Message: "The folder of spreadsheets cannot be read: check that it exists and that the service may read it.",
			Err:     err,
		}
	}
	return nil
}
