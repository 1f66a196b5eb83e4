package archive

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"mooring/placements"
)

// maxLinks is how many symbolic links may lead to a document.
const maxLinks = 16

// Dir is a host's folder, open.
type Dir struct {
	dir  string // where it was opened
	root *os.Root
}

// OpenDir opens the folder at a path.
func OpenDir(dir string) (*Dir, error) {
	// OpenRoot would wait for the writer of a FIFO.
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, cmp.Or(err, error(&fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Dir{dir: dir, root: root}, nil
}

// Close closes the folder.
func (d *Dir) Close() error { return d.root.Close() }

// inPlace is a Transient fault when another folder, or none, now stands where the folder was opened.
func (d *Dir) inPlace(document string) error {
	mine, err := d.root.Stat(".")
	if err != nil {
		return FileFault(document, err)
	}
	if now, err := os.Stat(d.dir); err != nil || !os.SameFile(mine, now) {
		return NewFault(placements.Transient, document, err,
			"was moved away together with its folder: what stands there now is read at the next attempt.")
	}
	return nil
}

// open opens the file at name for reading, and never waits for it: what is no regular file is refused, and so is any other than was seen there.
// Between the look and the open it may have been exchanged.
func (d *Dir) open(document, name string, seen fs.FileInfo) (file *os.File, info fs.FileInfo, err error) {
	if file, err = d.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0); err != nil {
		return nil, nil, d.pathFault(document, err)
	}
	switch info, err = file.Stat(); {
	case err != nil:
		err = FileFault(document, err)
	case !info.Mode().IsRegular():
		err = noFile(document)
	case !sameState(info, seen):
		err = stale(document)
	default:
		return file, info, nil
	}
	file.Close()
	return nil, nil, err
}

// OpenBelow opens a folder below d, and never waits for what stands there instead.
func (d *Dir) OpenBelow(document, dir string) (*os.File, error) {
	opened, err := d.root.OpenFile(dir, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, FileFault(document, err)
	}
	return opened, nil
}

func noFile(document string) error {
	return NewFault(placements.Structure, document, nil, "is a folder or a device, not a file.")
}

// Locate returns the path, under the folder, of the regular file that a document's id names, and what was seen there. Links are followed
// here, so that a write replaces what the link leads to and not the link; os.Root refuses each that leaves the folder.
func (d *Dir) Locate(document string) (name string, seen fs.FileInfo, err error) {
	if !fs.ValidPath(document) || document == "." || strings.ContainsAny(document, "\\\x00") {
		return "", nil, NewFault(placements.Structure, document, nil,
			"is not a file name under the configured folder: name it without .., backslashes or a leading slash.")
	}
	name = document
	for range maxLinks {
		info, err := d.root.Lstat(name)
		if err != nil {
			return "", nil, d.pathFault(document, err)
		}
		if info.Mode().IsRegular() {
			return name, info, nil
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			return "", nil, noFile(document)
		}
		target, err := d.root.Readlink(name)
		if err != nil {
			return "", nil, d.pathFault(document, err)
		}
		if name = path.Join(path.Dir(name), target); path.IsAbs(target) || !fs.ValidPath(name) {
			return "", nil, NewFault(placements.Structure, document, nil,
				"is a link that leaves the configured folder: put the file itself there.")
		}
	}
	return "", nil, NewFault(placements.Structure, document, nil, "is a link to a link to a link: put the file itself there.")
}

// pathFault classifies a failed look-up. An error that is none of the system's own is os.Root's refusal to leave the folder.
func (d *Dir) pathFault(document string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		err = fs.ErrNotExist
	}
	if !errors.Is(err, fs.ErrNotExist) && leavesRoot(err) {
		return NewFault(placements.Structure, document, err, "leads out of the configured folder: put the file itself there.")
	}
	return FileFault(document, err)
}

// HeldOpen is a Transient fault when a spreadsheet program has the file open, which it shows by a lock file beside it.
func (d *Dir) HeldOpen(document, name string) error {
	parent, base := path.Split(name)
	for _, lock := range []string{"~$" + base, ".~lock." + base + "#"} {
		if _, err := d.root.Lstat(parent + lock); err == nil {
			return inUse(document, nil,
				"is open in a spreadsheet program: close it there. If nobody has it open, delete the file %q beside it.", lock)
		}
	}
	return nil
}

// leavesRoot reports whether an error is os.Root's own refusal, not the system's: only the latter has an error number.
func leavesRoot(err error) bool {
	var errno syscall.Errno
	return !errors.As(err, &errno) && !errors.Is(err, fs.ErrClosed)
}
