package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/host/xlsx/xml"
)

// Bounds of what a file may unpack to, against files made to exhaust the machine. Sheets are streamed, other parts are held whole.
const (
	maxParts  = 20_000
	MaxSheet  = 8 << 30
	MaxText   = 256 << 20 // shared strings
	MaxMemory = 64 << 20  // any other part
)

// ErrTooBig says that a part unpacks to more than is allowed.
var ErrTooBig = errors.New("a part unpacks to more than is allowed")

// Archive is an open .xlsx: a zip of parts.
type Archive struct {
	Document string
	file     *os.File
	Info     fs.FileInfo
	fresh    bool // a zip, or the beginning of one, that was changed a short while ago
	zip      *zip.Reader
	parts    map[string]*zip.File // by name, and by name in lower case where no part has that name
}

// OpenArchive opens the file at name, where seen was seen.
func (d *Dir) OpenArchive(document, name string, seen fs.FileInfo) (*Archive, error) {
	file, info, err := d.open(document, name, seen)
	if err != nil {
		return nil, err
	}
	a := &Archive{Document: document, file: file, Info: info, parts: map[string]*zip.File{}}
	if err := a.index(); err != nil {
		file.Close()
		return nil, err
	}
	return a, nil
}

// Close closes the file.
func (a *Archive) Close() error { return a.file.Close() }

// index reads the zip's directory.
func (a *Archive) index() (err error) {
	if err := a.refuseOldFormats(); err != nil {
		return err
	}
	a.fresh = time.Since(a.Info.ModTime()) < copyTime && begun(a.file)
	if a.zip, err = zip.NewReader(a.file, a.Info.Size()); err != nil {
		return a.Broken(err)
	}
	if len(a.zip.File) > maxParts {
		return a.Broken(fmt.Errorf("%d parts", len(a.zip.File)))
	}
	for _, f := range a.zip.File {
		if f.Flags&1 != 0 {
			return NewFault(placements.Structure, a.Document, nil, "is encrypted: save it without a password.")
		}
		a.parts[partName(f)] = f
	}
	for _, f := range a.zip.File {
		if lower := strings.ToLower(partName(f)); a.parts[lower] == nil {
			a.parts[lower] = f
		}
	}
	return nil
}

// partName is the name of a part as relationships write it. Some programs write a file's name with backslashes.
func partName(f *zip.File) string { return strings.ReplaceAll(f.Name, `\`, "/") }

// refuseOldFormats returns the fault of an encrypted workbook or an .xls file, both compound files, nil for others.
func (a *Archive) refuseOldFormats() error {
	head := make([]byte, 512)
	n, _ := a.file.ReadAt(head, 0)
	if n < len(head) || !bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) {
		return nil
	}
	directory := make([]byte, 4096)
	n, _ = a.file.ReadAt(directory, (int64(binary.LittleEndian.Uint32(head[48:]))+1)*512)
	if bytes.Contains(directory[:n], []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00")) {
		return NewFault(placements.Structure, a.Document, nil, "is encrypted: save it without a password.")
	}
	return NewFault(placements.Structure, a.Document, nil, "is in the old .xls format: save it as .xlsx.")
}

// Part is the part of that name, nil if there is none. Case matters only where two names differ by nothing else.
func (a *Archive) Part(name string) *zip.File {
	if f := a.parts[name]; f != nil {
		return f
	}
	return a.parts[strings.ToLower(name)]
}

// Files are the parts, in their order.
func (a *Archive) Files() []*zip.File { return a.zip.File }

// Read unpacks a part that is held whole. It returns nil for a missing part.
func (a *Archive) Read(name string) ([]byte, error) {
	f := a.Part(name)
	if f == nil {
		return nil, nil
	}
	return a.Whole(context.Background(), f)
}

// Whole unpacks a part that is held whole.
func (a *Archive) Whole(ctx context.Context, f *zip.File) ([]byte, error) {
	r, err := a.Unpack(ctx, f, MaxMemory)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, a.Broken(fmt.Errorf("%s: %w", f.Name, err))
	}
	return b, nil
}

// Stream opens a part that is read as it is unpacked, at most limit bytes of it.
func (a *Archive) Stream(ctx context.Context, name string, limit int64) (io.ReadCloser, error) {
	f := a.Part(name)
	if f == nil {
		return nil, a.Broken(fmt.Errorf("part %s is missing", name))
	}
	return a.Unpack(ctx, f, limit)
}

// Unpack opens a part as UTF-8 text.
func (a *Archive) Unpack(ctx context.Context, f *zip.File, limit int64) (io.ReadCloser, error) {
	packed, err := f.Open()
	if err != nil {
		return nil, a.Broken(fmt.Errorf("%s: %w", f.Name, err))
	}
	text, err := xml.UTF8Reader(&boundedReader{ctx, packed, limit})
	if err != nil {
		packed.Close()
		return nil, a.Broken(fmt.Errorf("%s: %w", f.Name, err))
	}
	return struct {
		io.Reader
		io.Closer
	}{text, packed}, nil
}

// boundedReader reads until ctx ends and fails, unlike io.LimitedReader, beyond its limit: what a zip's directory says of a
// part's size is not to be believed.
type boundedReader struct {
	ctx  context.Context
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooBig
	}
	return n, err
}
