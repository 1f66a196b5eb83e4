package xlsx

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
)

// Config is the configuration of a folder of .xlsx files.
type Config struct {
	Dir string `yaml:"dir"` // the folder
}

var _ host.Config = (*Config)(nil)

// Paths returns the folder's path.
func (c *Config) Paths() []*string { return []*string{&c.Dir} }

// Open opens the folder. Files have no quota.
func (c *Config) Open(context.Context, host.Limiter) (host.Driver, error) {
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
// unpacks and replaces only the parts that change, and of a sheet that it wrote before only the rows around those that change; the rest of the file
// is copied as packed. It keeps no state between sessions: each opens the folder that is in its place then.
type Folder struct {
	dir   string
	index index
}

var _ host.Driver = (*Folder)(nil)

// New refuses a folder that cannot be opened. No path that leaves it, by whatever means, is followed.
func New(dir string) (*Folder, error) {
	folder, err := archive.OpenDir(dir)
	if err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	}
	return &Folder{dir: dir, index: newIndex()}, folder.Close()
}

// maxShifts bounds what a patch shifts. The cells pass once however many shifts there are, and what refers to them takes the route of all at
// once: BenchmarkManyShifts finds no difference between one and so many, in 100,000 rows with 10,000 formulas around. Ranges that grow with
// rows at an end of the block follow shift by shift.
const maxShifts = 4096

// MaxShifts returns how many shifts a large workbook follows in the seconds that it takes to write it.
func (x *Folder) MaxShifts() int { return maxShifts }

// CanMove is false: rows of a block are rewritten, which costs the same here.
func (x *Folder) CanMove() bool { return false }

// Check proves that the folder is there, and that files in it can be read, made and replaced, as a write does. No document is touched.
func (x *Folder) Check(context.Context) error {
	if _, err := os.ReadDir(x.dir); err != nil {
		return &placements.Fault{
			Class:   placements.Auth,
			Message: "The folder of spreadsheets cannot be read: check that it exists and that the service may read it.",
			Err:     err,
		}
	}
	switch err := x.probe(); {
	case archive.Full(err):
		return &placements.Fault{
			Class:   placements.Transient,
			Message: "The disk of the folder of spreadsheets is full: make room there.",
			Err:     err,
		}
	case err != nil:
		return &placements.Fault{
			Class:   placements.Auth,
			Message: "Files in the folder of spreadsheets cannot be made and replaced: let the service write to the folder.",
			Err:     err,
		}
	}
	return nil
}

// Has reports why a file cannot be opened as far as its name tells.
func (x *Folder) Has(_ context.Context, document string) error {
	folder, err := archive.OpenDir(x.dir)
	if err != nil {
		return archive.NewFault(placements.Transient, document, err, "cannot be looked for: the folder of spreadsheets cannot be read.")
	}
	defer folder.Close()
	_, _, err = folder.Locate(document)
	return err
}

// probe makes a file, renames it and removes it.
func (x *Folder) probe() error {
	file, err := os.CreateTemp(x.dir, probePattern)
	if err != nil {
		return err
	}
	name := file.Name()
	_, err = file.WriteString("mooring check")
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	if err := os.Rename(name, name+"~"); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return os.Remove(name + "~")
}

// probePattern names what Check writes: a file that nothing takes for a spreadsheet.
const probePattern = ".mooring-check-*"

// Load returns a document as a spreadsheet program opens it: the whole file.
func (x *Folder) Load(document string) ([]byte, error) { return archive.Load(x.dir, document) }

// Save replaces a whole document as a spreadsheet program saves, but only while the file's SHA-256 is base. A file that is another now, or
// is open in a program, is a Transient fault, and content that is no .xlsx a Structure one: nothing was written.
func (x *Folder) Save(ctx context.Context, document string, base [sha256.Size]byte, content []byte) error {
	return archive.Save(ctx, x.dir, document, base, content)
}

// Stale reports whether an error says that a file is another than the one that was to be replaced.
func Stale(err error) bool { return archive.Stale(err) }
