package archive

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mooring/placements"
)

// Names of unfinished files begin with a dot and end so that no program takes them for spreadsheets.
const (
	tempPrefix = ".~mooring-"
	tempSuffix = ".tmp"
	tempAge    = time.Hour // a file older than this was left by a process that died
)

// Replace writes a new file beside the one at name, which was last seen as old, and puts it in its place in one step: whatever happens,
// there is the old file or the new one, and the old one if ctx has ended before that step. It keeps mode and, where the system lets it, owner,
// and returns what the new file is.
func (d *Dir) Replace(
	ctx context.Context, document, name string, old fs.FileInfo, write func(io.Writer) error,
) (made fs.FileInfo, err error) {
	dir := path.Dir(name)
	defer func() { err = d.fullDisk(document, dir, err) }()
	d.sweep(document, dir)
	temp := path.Join(dir, tempPrefix+rand.Text()+tempSuffix)
	file, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, FileFault(document, err)
	}
	defer d.root.Remove(temp) // no longer there once it was renamed
	err = writeFile(file, old, write)
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	if made, err = d.root.Lstat(temp); err != nil {
		return nil, FileFault(document, err)
	}
	if err := d.swap(ctx, document, temp, name, old); err != nil {
		return nil, err
	}
	if err := d.syncDir(document, dir); err != nil {
		return nil, err
	}
	return made, d.inPlace(document) // else the new file went along with the folder
}

// Full reports whether err says that a disk has no room, or that a quota is used up.
func Full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// fullDisk is err, as a Transient fault that names dir, a folder below d, when there was no room for a file in it.
func (d *Dir) fullDisk(document, dir string, err error) error {
	if !Full(err) {
		return err
	}
	return NewFault(placements.Transient, document, err, "was not written, and stands as before: the disk of the folder %q is full. "+
		"Make room there; the refresh is tried again by itself.", path.Join(filepath.Base(d.dir), dir))
}

// swap puts temp in the place of the file at name, unless that is no longer the one last seen, or ctx has ended: a writer that hung until then
// has lost the document. One that hangs in the rename itself keeps the folder locked, so that no other writer looks at the file before.
func (d *Dir) swap(ctx context.Context, document, temp, name string, old fs.FileInfo) error {
	unlock, err := d.lock(ctx, document, path.Dir(name))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := d.Unchanged(document, name, old); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.root.Rename(temp, name); err != nil {
		return FileFault(document, err)
	}
	return nil
}

// writeFile fills file and takes it to the disk, with old's owner and mode.
func writeFile(file *os.File, old fs.FileInfo, write func(io.Writer) error) error {
	out := bufio.NewWriterSize(file, 256<<10)
	if err := write(out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	keepOwner(file, old)
	if err := file.Chmod(old.Mode().Perm()); err != nil {
		return err
	}
	return file.Sync()
}

// Unchanged looks at the file at name again. It is a Transient fault when that is no longer the one last seen, went away with its folder,
// or is open in a spreadsheet program.
func (d *Dir) Unchanged(document, name string, seen fs.FileInfo) (fs.FileInfo, error) {
	now, err := d.root.Lstat(name)
	if err != nil {
		return nil, FileFault(document, err)
	}
	if !sameState(now, seen) {
		return nil, stale(document)
	}
	if err := d.inPlace(document); err != nil {
		return nil, err
	}
	return now, d.HeldOpen(document, name)
}

// sameState reports whether two looks at a file saw the same file in the same state.
func sameState(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

var errStale = errors.New("the file is another now")

func stale(document string) error {
	return inUse(document, errStale,
		"was changed while the report was being written: it is read again at the next attempt.")
}

func (d *Dir) syncDir(document, dir string) error {
	opened, err := d.OpenBelow(document, dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	if err := opened.Sync(); err != nil {
		return FileFault(document, err)
	}
	return nil
}

// sweep removes unfinished files that a process which died left in dir. What cannot be removed does no harm.
func (d *Dir) sweep(document, dir string) {
	opened, err := d.OpenBelow(document, dir)
	if err != nil {
		return
	}
	defer opened.Close()
	names, _ := opened.Readdirnames(-1) // those that could be read; ReadDir would look at each, in other file systems too
	for _, name := range names {
		if !strings.HasPrefix(name, tempPrefix) || !strings.HasSuffix(name, tempSuffix) {
			continue
		}
		name = path.Join(dir, name)
		if info, err := d.root.Lstat(name); err == nil && time.Since(info.ModTime()) > tempAge {
			_ = d.root.Remove(name)
		}
	}
}
