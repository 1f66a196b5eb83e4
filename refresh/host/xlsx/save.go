package xlsx

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
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

// Load returns a document as a spreadsheet program opens it: the whole file.
func (x *Folder) Load(document string) ([]byte, error) {
	folder, err := openFolder(x.dir)
	if err != nil {
		return nil, fileFault(document, err)
	}
	defer folder.close()
	content, _, _, err := folder.load(document)
	return content, err
}

// load also returns where the file is, and what it was before it was read.
func (d *folder) load(document string) (content []byte, name string, info fs.FileInfo, err error) {
	name, seen, err := d.locate(document)
	if err != nil {
		return nil, "", nil, err
	}
	file, info, err := d.open(document, name, seen)
	if err != nil {
		return nil, "", nil, err
	}
	defer file.Close()
	if content, err = io.ReadAll(file); err != nil {
		return nil, "", nil, fileFault(document, err)
	}
	return content, name, info, nil
}

// Save replaces a whole document as a spreadsheet program saves, but only while the file's SHA-256 is base. A file that is another now, or
// is open in a program, is a Transient fault, and content that is no .xlsx a Structure one: nothing was written.
func (x *Folder) Save(ctx context.Context, document string, base [sha256.Size]byte, content []byte) error {
	if err := sound(document, content); err != nil {
		return err
	}
	folder, err := openFolder(x.dir)
	if err != nil {
		return fileFault(document, err)
	}
	defer folder.close()
	old, name, info, err := folder.load(document)
	if err != nil {
		return err
	}
	if sha256.Sum256(old) != base {
		return stale(document)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = folder.replace(ctx, document, name, info, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	return err
}

// sound checks that content is a zip with a workbook's list of parts, all of which unpack.
func sound(document string, content []byte) error {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return broken(document, err)
	}
	if _, err := fs.Stat(z, "[Content_Types].xml"); err != nil || len(z.File) > maxParts {
		return broken(document, errors.New("no list of parts, or too many parts"))
	}
	left := int64(maxText)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return broken(document, err)
		}
		n, err := io.Copy(io.Discard, io.LimitReader(r, left+1))
		if left -= n; left < 0 {
			err = errXLSXTooBig
		}
		if err := errors.Join(err, r.Close()); err != nil {
			return broken(document, err)
		}
	}
	return nil
}

// lock keeps other writers of Mooring's out of dir from the last look at a file until it is replaced, in this process and in others.
// A file system without locks leaves the moment between the two open. A folder that stays locked is tried ever more rarely, and then is a
// Transient fault.
func (d *folder) lock(ctx context.Context, document, dir string) (unlock func(), err error) {
	opened, err := d.openDir(document, dir)
	if err != nil {
		return nil, err
	}
	late := time.After(lockWait)
	for pause := lockPoll; ; pause = min(2*pause, lockPollMost) {
		locked, err := flock(opened)
		if locked {
			return func() { opened.Close() }, nil
		}
		if err != nil {
			opened.Close()
			return nil, fileFault(document, err)
		}
		select {
		case <-time.After(pause):
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-late:
			err = d.locked(document, dir)
		}
		opened.Close()
		return nil, err
	}
}

// Others have a folder locked for the moment of a rename.
const (
	lockPoll     = 2 * time.Millisecond // the first pause between two tries to lock it
	lockPollMost = 200 * time.Millisecond
	lockWait     = 10 * time.Second // a rename that takes longer hangs
)

// locked is the fault of dir, a folder below d, that stays locked.
func (d *folder) locked(document, dir string) *placements.Fault {
	return inUse(document, errLocked, "was not written, and stands as before: the folder %q has been locked for %s, by a "+
		"write to one of its files that hangs or by another program. Check the disk or the network drive; the refresh is tried again by itself.",
		path.Join(filepath.Base(d.dir), dir), lockWait)
}

var errLocked = errors.New("the folder stays locked")

// Stale reports whether an error says that a file is another than the one that was to be replaced.
func Stale(err error) bool {
	var fault *placements.Fault
	return errors.As(err, &fault) && errors.Is(fault.Err, errStale)
}

// Names of unfinished files begin with a dot and end so that no program takes them for spreadsheets.
const (
	tempPrefix = ".~mooring-"
	tempSuffix = ".tmp"
	tempAge    = time.Hour // a file older than this was left by a process that died
)

// replace writes a new file beside the one at name, which was last seen as old, and puts it in its place in one step: whatever happens,
// there is the old file or the new one, and the old one if ctx has ended before that step. It keeps mode and, where the system lets it, owner,
// and returns what the new file is.
func (d *folder) replace(
	ctx context.Context, document, name string, old fs.FileInfo, write func(io.Writer) error,
) (made fs.FileInfo, err error) {
	dir := path.Dir(name)
	defer func() { err = d.fullDisk(document, dir, err) }()
	d.sweep(document, dir)
	temp := path.Join(dir, tempPrefix+rand.Text()+tempSuffix)
	file, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fileFault(document, err)
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
		return nil, fileFault(document, err)
	}
	if err := d.swap(ctx, document, temp, name, old); err != nil {
		return nil, err
	}
	if err := d.syncDir(document, dir); err != nil {
		return nil, err
	}
	return made, d.inPlace(document) // else the new file went along with the folder
}

// full reports whether err says that a disk has no room, or that a quota is used up.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// fullDisk is err, as a Transient fault that names dir, a folder below d, when there was no room for a file in it.
func (d *folder) fullDisk(document, dir string, err error) error {
	if !full(err) {
		return err
	}
	return newFault(placements.Transient, document, err, "was not written, and stands as before: the disk of the folder %q is full. "+
		"Make room there; the refresh is tried again by itself.", path.Join(filepath.Base(d.dir), dir))
}

// swap puts temp in the place of the file at name, unless that is no longer the one last seen, or ctx has ended: a writer that hung until then
// has lost the document. One that hangs in the rename itself keeps the folder locked, so that no other writer looks at the file before.
func (d *folder) swap(ctx context.Context, document, temp, name string, old fs.FileInfo) error {
	unlock, err := d.lock(ctx, document, path.Dir(name))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := d.unchanged(document, name, old); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.root.Rename(temp, name); err != nil {
		return fileFault(document, err)
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

// unchanged looks at the file at name again. It is a Transient fault when that is no longer the one last seen, went away with its folder,
// or is open in a spreadsheet program.
func (d *folder) unchanged(document, name string, seen fs.FileInfo) (fs.FileInfo, error) {
	now, err := d.root.Lstat(name)
	if err != nil {
		return nil, fileFault(document, err)
	}
	if !sameState(now, seen) {
		return nil, stale(document)
	}
	if err := d.inPlace(document); err != nil {
		return nil, err
	}
	return now, d.heldOpen(document, name)
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

func (d *folder) syncDir(document, dir string) error {
	opened, err := d.openDir(document, dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	if err := opened.Sync(); err != nil {
		return fileFault(document, err)
	}
	return nil
}

// sweep removes unfinished files that a process which died left in dir. What cannot be removed does no harm.
func (d *folder) sweep(document, dir string) {
	opened, err := d.openDir(document, dir)
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
