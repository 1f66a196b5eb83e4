package xlsx

import (
	"archive/zip"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
)

// Config is the configuration of a folder of .xlsx files.
type Config struct {
	Dir string `yaml:"dir"` // the folder
}

var _ host.Config = (*Config)(nil)

// Paths returns the folder's path.
func (c *Config) Paths() []*string { return []*string{&c.Dir} }

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
type Folder struct {
	dir   string
	index index
}

var _ host.Host = (*Folder)(nil)

// New refuses a folder that cannot be opened. No path that leaves it, by whatever means, is followed.
func New(dir string) (*Folder, error) {
	folder, err := openFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("dir: %w", err)
	}
	return &Folder{dir: dir, index: newIndex()}, folder.close()
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
	case full(err):
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
	folder, err := openFolder(x.dir)
	if err != nil {
		return newFault(placements.Transient, document, err, "cannot be looked for: the folder of spreadsheets cannot be read.")
	}
	defer folder.close()
	_, _, err = folder.locate(document)
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

// newFault makes a fault that names the document. The cause goes to the log only, for it may hold a path of the machine.
func newFault(class placements.Class, document string, cause error, format string, args ...any) *placements.Fault {
	return &placements.Fault{
		Class:   class,
		Message: fmt.Sprintf("The spreadsheet %q %s", document, fmt.Sprintf(format, args...)),
		Err:     cause,
	}
}

// inUse is newFault, of a document that is there and that others write or have open.
func inUse(document string, cause error, format string, args ...any) *placements.Fault {
	fault := newFault(placements.Transient, document, cause, format, args...)
	fault.Reason = placements.ReasonLocked
	return fault
}

// broken is the fault of a file that is no sound .xlsx. Faults and cancellations pass as they are.
func broken(document string, err error) error {
	var fault *placements.Fault
	if errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return newFault(placements.Structure, document, err,
		"cannot be read: the file is damaged. Open it in a spreadsheet program, repair it and save it.")
}

// fileFault classifies what the file system said about the document.
func fileFault(document string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newFault(placements.Structure, document, err, "does not exist: put the file back, or place the report in another one.")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return newFault(placements.Auth, document, err, "may not be read or written: give the service access to the file and its folder.")
	}
	return newFault(placements.Transient, document, err, "could not be read or written now: the file system reported an error.")
}

// copyTime is how long a file that is not whole counts as one that is still being copied, from its last change on.
const copyTime = 15 * time.Minute

// broken is the fault of a file that is no sound .xlsx. One that was changed a short while ago may still be on its way.
func (p *archive) broken(err error) error {
	var corrupt flate.CorruptInputError
	torn := errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &corrupt)
	if torn && p.fresh {
		return inUse(p.document, err,
			"is not whole: it is being copied, or the copy broke off. It is read again at the next attempt.")
	}
	return broken(p.document, err)
}

// begun reports whether a file is empty or begins as a zip does.
func begun(file io.ReaderAt) bool {
	const zipHeader = "PK\x03\x04"
	head := make([]byte, len(zipHeader))
	n, _ := file.ReadAt(head, 0)
	return strings.HasPrefix(zipHeader, string(head[:n]))
}
