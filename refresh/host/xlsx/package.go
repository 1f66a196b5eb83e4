package xlsx

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
	"path"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/host/xlsx/xml"
)

// Bounds of what a file may unpack to, against files made to exhaust the machine. Sheets are streamed, other parts are held whole.
const (
	maxParts  = 20_000
	maxSheet  = 8 << 30
	maxText   = 256 << 20 // shared strings
	maxMemory = 64 << 20  // any other part
)

var errXLSXTooBig = errors.New("a part unpacks to more than is allowed")

// archive is an open .xlsx: a zip of parts.
type archive struct {
	document  string
	file      *os.File
	info      fs.FileInfo
	fresh     bool // a zip, or the beginning of one, that was changed a short while ago
	zip       *zip.Reader
	shuffled  map[*zip.File]bool        // sheets that were found out of order
	protected map[*zip.File]*protection // sheets that were found protected
	parts     map[string]*zip.File      // by name, and by name in lower case where no part has that name
}

// openXLSX opens the file at name, where seen was seen.
func (d *folder) openXLSX(document, name string, seen fs.FileInfo) (*archive, error) {
	file, info, err := d.open(document, name, seen)
	if err != nil {
		return nil, err
	}
	p := &archive{
		document: document, file: file, info: info, parts: map[string]*zip.File{}, shuffled: map[*zip.File]bool{},
		protected: map[*zip.File]*protection{},
	}
	if err := p.index(); err != nil {
		file.Close()
		return nil, err
	}
	return p, nil
}

func (p *archive) close() error { return p.file.Close() }

// index reads the zip's directory.
func (p *archive) index() (err error) {
	if err := p.refuseOldFormats(); err != nil {
		return err
	}
	p.fresh = time.Since(p.info.ModTime()) < copyTime && begun(p.file)
	if p.zip, err = zip.NewReader(p.file, p.info.Size()); err != nil {
		return p.broken(err)
	}
	if len(p.zip.File) > maxParts {
		return p.broken(fmt.Errorf("%d parts", len(p.zip.File)))
	}
	for _, f := range p.zip.File {
		if f.Flags&1 != 0 {
			return newFault(placements.Structure, p.document, nil, "is encrypted: save it without a password.")
		}
		p.parts[partName(f)] = f
	}
	for _, f := range p.zip.File {
		if lower := strings.ToLower(partName(f)); p.parts[lower] == nil {
			p.parts[lower] = f
		}
	}
	return nil
}

// partName is the name of a part as relationships write it. Some programs write a file's name with backslashes.
func partName(f *zip.File) string { return strings.ReplaceAll(f.Name, `\`, "/") }

// refuseOldFormats returns the fault of an encrypted workbook or an .xls file, both compound files, nil for others.
func (p *archive) refuseOldFormats() error {
	head := make([]byte, 512)
	n, _ := p.file.ReadAt(head, 0)
	if n < len(head) || !bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) {
		return nil
	}
	directory := make([]byte, 4096)
	n, _ = p.file.ReadAt(directory, (int64(binary.LittleEndian.Uint32(head[48:]))+1)*512)
	if bytes.Contains(directory[:n], []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00")) {
		return newFault(placements.Structure, p.document, nil, "is encrypted: save it without a password.")
	}
	return newFault(placements.Structure, p.document, nil, "is in the old .xls format: save it as .xlsx.")
}

// part is the part of that name, nil if there is none. Case matters only where two names differ by nothing else.
func (p *archive) part(name string) *zip.File {
	if f := p.parts[name]; f != nil {
		return f
	}
	return p.parts[strings.ToLower(name)]
}

// read unpacks a part that is held whole. It returns nil for a missing part.
func (p *archive) read(name string) ([]byte, error) {
	f := p.part(name)
	if f == nil {
		return nil, nil
	}
	return p.whole(context.Background(), f)
}

func (p *archive) whole(ctx context.Context, f *zip.File) ([]byte, error) {
	r, err := p.unpack(ctx, f, maxMemory)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, p.broken(fmt.Errorf("%s: %w", f.Name, err))
	}
	return b, nil
}

// stream opens a part that is read as it is unpacked, at most limit bytes of it.
func (p *archive) stream(ctx context.Context, name string, limit int64) (io.ReadCloser, error) {
	f := p.part(name)
	if f == nil {
		return nil, p.broken(fmt.Errorf("part %s is missing", name))
	}
	return p.unpack(ctx, f, limit)
}

// unpack opens a part as UTF-8 text.
func (p *archive) unpack(ctx context.Context, f *zip.File, limit int64) (io.ReadCloser, error) {
	packed, err := f.Open()
	if err != nil {
		return nil, p.broken(fmt.Errorf("%s: %w", f.Name, err))
	}
	text, err := xml.UTF8Reader(&boundedReader{ctx, packed, limit})
	if err != nil {
		packed.Close()
		return nil, p.broken(fmt.Errorf("%s: %w", f.Name, err))
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
		return 0, errXLSXTooBig
	}
	return n, err
}

// relation is one entry of a part's relationships.
type relation struct {
	id, kind string // kind is the last word of the type's URI, the same in both dialects of the format
	target   string // part name
}

// contentTypes is the part that lists the types of all others.
const contentTypes = "[Content_Types].xml"

// relationsOf is the name of the part that holds another's relationships.
func relationsOf(part string) string {
	dir, base := path.Split(part)
	return dir + "_rels/" + base + ".rels"
}

// relations lists what a part refers to inside the package.
func (p *archive) relations(part string) ([]relation, error) {
	doc, err := p.read(relationsOf(part))
	if err != nil || doc == nil {
		return nil, err
	}
	var list []relation
	s := xml.NewScanner(bytes.NewReader(doc))
	for err = s.Root("Relationships", nil); err == nil; err = s.Next() {
		if !s.Opens("Relationship") || strings.EqualFold(s.Attr("TargetMode"), "External") {
			continue
		}
		kind := s.Attr("Type")
		list = append(list, relation{
			id:     s.Attr("Id"),
			kind:   kind[strings.LastIndexByte(kind, '/')+1:],
			target: resolvePart(part, s.Attr("Target")),
		})
	}
	if err != io.EOF {
		return nil, p.broken(fmt.Errorf("relationships of %s: %w", part, err))
	}
	return list, nil
}

// resolvePart returns the part that target, seen from part, names.
func resolvePart(part, target string) string {
	if rooted, ok := strings.CutPrefix(target, "/"); ok {
		return path.Clean(rooted)
	}
	return path.Join(path.Dir(part), target)
}
