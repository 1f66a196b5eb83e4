package host

import (
	"bufio"
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"mooring/placements"
)

// Names of unfinished files begin with a dot and end so that no program takes them for spreadsheets.
const (
	xlsxTempPrefix = ".~mooring-"
	xlsxTempSuffix = ".tmp"
	xlsxTempAge    = time.Hour // a file older than this was left by a process that died
)

// replace writes a new file beside the one that p was read from and puts it in its place in one step: whatever happens, there is
// the old file or the new one. It keeps mode and, where the system lets it, owner.
func (x *XLSX) replace(p *xlsxPackage, name string, write func(io.Writer) error) error {
	dir := path.Dir(name)
	x.sweep(dir)
	temp := path.Join(dir, xlsxTempPrefix+rand.Text()+xlsxTempSuffix)
	file, err := x.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return xlsxFileFault(p.document, err)
	}
	defer x.root.Remove(temp) // no longer there once it was renamed
	err = writeFile(file, p.info, write)
	if closeErr := file.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err := x.unchanged(p, name); err != nil {
		return err
	}
	if err := x.root.Rename(temp, name); err != nil {
		return xlsxFileFault(p.document, err)
	}
	return x.syncDir(p.document, dir)
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
	if sys, ok := old.Sys().(*syscall.Stat_t); ok {
		// Only a privileged process may give files away; a member of the group may pass the group on.
		if file.Chown(int(sys.Uid), int(sys.Gid)) != nil {
			_ = file.Chown(-1, int(sys.Gid))
		}
	}
	if err := file.Chmod(old.Mode().Perm()); err != nil {
		return err
	}
	return file.Sync()
}

// unchanged is a Transient fault when the file is no longer the one that p was read from.
func (x *XLSX) unchanged(p *xlsxPackage, name string) error {
	now, err := x.root.Lstat(name)
	if err != nil {
		return xlsxFileFault(p.document, err)
	}
	if now.Size() != p.info.Size() || !now.ModTime().Equal(p.info.ModTime()) || !os.SameFile(now, p.info) {
		return xlsxStale(p.document)
	}
	return x.heldOpen(p.document, name)
}

func xlsxStale(document string) error {
	return xlsxFault(placements.Transient, document, nil, "was changed while the report was being written: it is read again at the next attempt.")
}

func (x *XLSX) syncDir(document, dir string) error {
	d, err := x.root.Open(dir)
	if err != nil {
		return xlsxFileFault(document, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return xlsxFileFault(document, err)
	}
	return nil
}

// sweep removes unfinished files that a process which died left in dir. What cannot be removed does no harm.
func (x *XLSX) sweep(dir string) {
	entries, err := fs.ReadDir(x.root.FS(), dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), xlsxTempPrefix) || !strings.HasSuffix(e.Name(), xlsxTempSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > xlsxTempAge {
			_ = x.root.Remove(path.Join(dir, e.Name()))
		}
	}
}
