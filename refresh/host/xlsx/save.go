package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

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
	if name, err = d.locate(document); err != nil {
		return nil, "", nil, err
	}
	file, err := d.root.Open(name)
	if err != nil {
		return nil, "", nil, fileFault(document, err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, "", nil, fileFault(document, err)
	}
	if content, err = io.ReadAll(file); err != nil {
		return nil, "", nil, fileFault(document, err)
	}
	return content, name, info, nil
}

// Save replaces a whole document as a spreadsheet program saves, but only while the file's SHA-256 is base. A file that is another now, or is
// open in a program, is a Transient fault, and content that is no .xlsx a Structure one: nothing was written.
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
	_, err = folder.replace(document, name, info, func(w io.Writer) error {
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
// A file system without locks leaves the moment between the two open.
func (d *folder) lock(document, dir string) (unlock func(), err error) {
	opened, err := d.root.Open(dir)
	if err != nil {
		return nil, fileFault(document, err)
	}
	if err := flock(opened); err != nil {
		opened.Close()
		return nil, fileFault(document, err)
	}
	return func() { opened.Close() }, nil
}

func flock(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EBADF), errors.Is(err, syscall.EINVAL):
			return nil
		default:
			return err
		}
	}
}

// Stale reports whether an error says that a file is another than the one that was to be replaced.
func Stale(err error) bool {
	var fault *placements.Fault
	return errors.As(err, &fault) && errors.Is(fault.Err, errStale)
}
