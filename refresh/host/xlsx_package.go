package host

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

	"mooring/placements"
)

// Bounds of what a file may unpack to, against files made to exhaust the machine. Sheets are streamed, other parts are held whole.
const (
	xlsxMaxParts  = 20_000
	xlsxMaxSheet  = 8 << 30
	xlsxMaxText   = 256 << 20 // shared strings
	xlsxMaxMemory = 64 << 20  // any other part
)

var errXLSXTooBig = errors.New("a part unpacks to more than is allowed")

// xlsxPackage is an open .xlsx: a zip of parts, found by name without regard to case.
type xlsxPackage struct {
	document string
	file     *os.File
	info     fs.FileInfo
	zip      *zip.Reader
	parts    map[string]*zip.File
}

// openXLSX opens the file at name, a path that locate gave.
func (x *XLSX) openXLSX(document, name string) (*xlsxPackage, error) {
	file, err := x.root.Open(name)
	if err != nil {
		return nil, xlsxFileFault(document, err)
	}
	p := &xlsxPackage{document: document, file: file, parts: map[string]*zip.File{}}
	if err := p.index(); err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

func (p *xlsxPackage) close() error { return p.file.Close() }

// index reads the zip's directory.
func (p *xlsxPackage) index() (err error) {
	if p.info, err = p.file.Stat(); err != nil {
		return xlsxFileFault(p.document, err)
	}
	if err := p.refuseOldFormats(); err != nil {
		return err
	}
	if p.zip, err = zip.NewReader(p.file, p.info.Size()); err != nil {
		return xlsxBroken(p.document, err)
	}
	if len(p.zip.File) > xlsxMaxParts {
		return xlsxBroken(p.document, fmt.Errorf("%d parts", len(p.zip.File)))
	}
	for _, f := range p.zip.File {
		if f.Flags&1 != 0 {
			return xlsxFault(placements.Structure, p.document, nil, "is encrypted: save it without a password.")
		}
		p.parts[strings.ToLower(f.Name)] = f
	}
	return nil
}

// refuseOldFormats tells encrypted workbooks and .xls files, both compound files, from damaged ones.
func (p *xlsxPackage) refuseOldFormats() error {
	head := make([]byte, 512)
	n, _ := p.file.ReadAt(head, 0)
	if n < len(head) || !bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) {
		return nil
	}
	directory := make([]byte, 4096)
	n, _ = p.file.ReadAt(directory, (int64(binary.LittleEndian.Uint32(head[48:]))+1)*512)
	if bytes.Contains(directory[:n], []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00")) {
		return xlsxFault(placements.Structure, p.document, nil, "is encrypted: save it without a password.")
	}
	return xlsxFault(placements.Structure, p.document, nil, "is in the old .xls format: save it as .xlsx.")
}

// part is the part of that name, nil if there is none.
func (p *xlsxPackage) part(name string) *zip.File { return p.parts[strings.ToLower(name)] }

// read unpacks a part that is held whole. A missing part gives nil.
func (p *xlsxPackage) read(name string) ([]byte, error) {
	f := p.part(name)
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, xlsxBroken(p.document, err)
	}
	defer r.Close()
	b, err := io.ReadAll(&boundedReader{context.Background(), r, xlsxMaxMemory})
	if err != nil {
		return nil, xlsxBroken(p.document, fmt.Errorf("%s: %w", name, err))
	}
	return b, nil
}

// stream opens a part that is read as it is unpacked, at most limit bytes of it.
func (p *xlsxPackage) stream(ctx context.Context, name string, limit int64) (io.ReadCloser, error) {
	f := p.part(name)
	if f == nil {
		return nil, xlsxBroken(p.document, fmt.Errorf("part %s is missing", name))
	}
	r, err := f.Open()
	if err != nil {
		return nil, xlsxBroken(p.document, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{&boundedReader{ctx, r, limit}, r}, nil
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
		return 0, errXLSXTooBig
	}
	return n, err
}
