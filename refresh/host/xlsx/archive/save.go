package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"

	"mooring/placements"
)

// Load returns the whole file of a document in a folder.
func Load(dir, document string) ([]byte, error) {
	folder, err := OpenDir(dir)
	if err != nil {
		return nil, FileFault(document, err)
	}
	defer folder.Close()
	content, _, _, err := folder.load(document)
	return content, err
}

// load also returns where the file is, and what it was before it was read.
func (d *Dir) load(document string) (content []byte, name string, info fs.FileInfo, err error) {
	name, seen, err := d.Locate(document)
	if err != nil {
		return nil, "", nil, err
	}
	file, info, err := d.open(document, name, seen)
	if err != nil {
		return nil, "", nil, err
	}
	defer file.Close()
	if content, err = io.ReadAll(file); err != nil {
		return nil, "", nil, FileFault(document, err)
	}
	return content, name, info, nil
}

// Save replaces a whole document in a folder as a spreadsheet program saves, but only while the file's SHA-256 is base. A file that is another now, or
// is open in a program, is a Transient fault, and content that is no .xlsx a Structure one: nothing was written.
func Save(ctx context.Context, dir, document string, base [sha256.Size]byte, content []byte) error {
	if err := sound(document, content); err != nil {
		return err
	}
	folder, err := OpenDir(dir)
	if err != nil {
		return FileFault(document, err)
	}
	defer folder.Close()
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
	_, err = folder.Replace(ctx, document, name, info, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	return err
}

// sound checks that content is a zip with a workbook's list of parts, all of which unpack.
func sound(document string, content []byte) error {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return Broken(document, err)
	}
	if _, err := fs.Stat(z, "[Content_Types].xml"); err != nil || len(z.File) > maxParts {
		return Broken(document, errors.New("no list of parts, or too many parts"))
	}
	left := int64(MaxText)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return Broken(document, err)
		}
		n, err := io.Copy(io.Discard, io.LimitReader(r, left+1))
		if left -= n; left < 0 {
			err = ErrTooBig
		}
		if err := errors.Join(err, r.Close()); err != nil {
			return Broken(document, err)
		}
	}
	return nil
}

// Stale reports whether an error says that a file is another than the one that was to be replaced.
func Stale(err error) bool {
	var fault *placements.Fault
	return errors.As(err, &fault) && errors.Is(fault.Err, errStale)
}
