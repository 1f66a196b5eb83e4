package archive

import (
	"archive/zip"
	"compress/flate"
	"hash/crc32"
	"io"
	"strings"
	"unicode/utf8"
)

// streamEnd ends a deflate stream: a last block with nothing in it.
const streamEnd = "\x03\x00"

// Zip writes the parts of a new file.
type Zip struct {
	zip    *zip.Writer
	packer *flate.Writer
	text   []byte // scratch, of the part being written
	copied []byte // scratch
}

// NewZip returns the writer of a new file.
func NewZip(out io.Writer) (*Zip, error) {
	packer, err := flate.NewWriter(nil, flate.BestSpeed)
	return &Zip{zip: zip.NewWriter(out), packer: packer, text: make([]byte, 0, gathered)}, err
}

// gathered is how many bytes of a part are packed at once.
const gathered = 32 << 10

// Part is a part as it is written, packed in segments. It remembers the first error of its writes, which Close returns.
type Part struct {
	zip     *Zip
	header  *zip.FileHeader
	out     io.Writer
	text    []byte // of the open segment, not yet packed
	open    Segment
	begun   bool // the packer has the open segment's
	crc     uint32
	size    int64
	packed  int64
	index   Segments
	indexed bool
	err     error
}

// Create begins a part in the place of an old one.
func (z *Zip) Create(old *zip.FileHeader) (*Part, error) {
	const streamed, utf8Name, version = 0x8, 0x800, 20
	h := *old // has the time
	h.Comment, h.Extra, h.CRC32, h.CompressedSize64, h.UncompressedSize64 = "", nil, 0, 0, 0
	h.Method, h.Flags = zip.Deflate, streamed
	h.CreatorVersion, h.ReaderVersion = old.CreatorVersion&0xff00|version, version
	if strings.ContainsFunc(h.Name, func(r rune) bool { return r >= utf8.RuneSelf }) && utf8.ValidString(h.Name) && !old.NonUTF8 {
		h.Flags |= utf8Name
	}
	out, err := z.zip.CreateRaw(&h)
	return &Part{zip: z, header: &h, out: out, text: z.text[:0]}, err
}

// Copy copies a part of an old file as it is packed, the index of its segments included.
func (z *Zip) Copy(f *zip.File) error {
	packed, err := f.OpenRaw()
	if err != nil {
		return err
	}
	h := f.FileHeader
	h.Extra = withoutField(h.Extra)
	out, err := z.zip.CreateRaw(&h)
	if err != nil {
		return err
	}
	h.Extra = f.Extra // in the directory alone
	_, err = io.Copy(out, packed)
	return err
}

// Write is io.Writer's. It never fails.
func (p *Part) Write(b []byte) (int, error) {
	p.text = append(p.text, b...)
	p.gather()
	return len(b), nil
}

// WriteString writes a string.
func (p *Part) WriteString(s string) {
	p.text = append(p.text, s...)
	p.gather()
}

// WriteByte writes a byte. It never fails.
func (p *Part) WriteByte(c byte) error {
	p.text = append(p.text, c)
	return nil
}

// gather packs what was written, once it is enough.
func (p *Part) gather() {
	if len(p.text) >= gathered {
		p.pack()
	}
}

// pack packs what was written.
func (p *Part) pack() {
	if p.err != nil {
		p.text = p.text[:0]
	}
	if len(p.text) == 0 {
		return
	}
	if !p.begun {
		p.begun = true
		p.zip.packer.Reset((*packedWriter)(p))
	}
	p.open.crc = crc32.Update(p.open.crc, crc32.IEEETable, p.text)
	p.open.size += int64(len(p.text))
	_, p.err = p.zip.packer.Write(p.text)
	p.text = p.text[:0]
}

// packedWriter writes packed bytes of a part's open segment.
type packedWriter Part

func (p *packedWriter) Write(b []byte) (int, error) {
	p.open.sum = crc32.Update(p.open.sum, crc32.IEEETable, b)
	p.open.packed += int64(len(b))
	return p.out.Write(b)
}

// Open is how many bytes of the open segment were written.
func (p *Part) Open() int64 { return p.open.size + int64(len(p.text)) }

// Full reports whether the open segment should end where it can. The further a part goes the longer its segments become, so that the index of
// all those of a gigabyte has room where it stands.
func (p *Part) Full() bool {
	const shortest, long = 20 << 10, 64 << 20
	return p.Open() >= shortest+p.size>>10+max(p.size-long, 0)>>8
}

// Cut ends the open segment, which holds those rows, or To 0; see Segment.
func (p *Part) Cut(from, to int, cells []uint64) {
	if p.Open() == 0 {
		return
	}
	p.pack()
	if p.err == nil {
		p.err = p.zip.packer.Flush()
	}
	p.begun = false
	p.open.From, p.open.To, p.open.Cells = from, to, cells
	p.add(p.open)
	p.open = Segment{}
}

// add counts a segment whose packed bytes are written.
func (p *Part) add(s Segment) {
	s.offset = p.packed
	p.crc, p.size, p.packed = combine(p.crc, s.crc, s.size), p.size+s.size, p.packed+s.packed
	p.index.List = append(p.index.List, s)
}

// Index has the part keep an index of its segments, whose Cells are of those areas.
func (p *Part) Index(areas []Band) { p.index.Areas, p.indexed = areas, true }

// Close ends the part.
func (p *Part) Close() error {
	p.Cut(0, 0, nil)
	if p.err == nil {
		_, p.err = io.WriteString(p.out, streamEnd)
	}
	if p.err != nil {
		return p.err
	}
	p.zip.text = p.text
	h := p.header
	h.CRC32, h.CompressedSize64, h.UncompressedSize64 = p.crc, uint64(p.packed)+uint64(len(streamEnd)), uint64(p.size)
	setShortSizes(h)
	if p.indexed {
		h.Extra = p.index.field()
	}
	return nil
}

// setShortSizes sets the sizes that stand in a zip where both of them are short.
func setShortSizes(h *zip.FileHeader) {
	const most, version64 = 1<<32 - 1, 45
	size, packed := h.UncompressedSize64, h.CompressedSize64
	if size >= most || packed >= most {
		size, packed, h.ReaderVersion = most, most, version64
	}
	//lint:ignore SA1019 a part that is packed already is written by these
	h.CompressedSize, h.UncompressedSize = uint32(packed), uint32(size)
}
