package archive

import (
	"archive/zip"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Segment is a piece of a packed part that refers to nothing before it: it is unpacked, or copied as it is packed, without the others. It begins
// and ends at a byte, and its packed bytes are those of a deflate stream which goes on.
type Segment struct {
	// From and To are the rows of the sheet, from zero, that the segment consists of, whole and with their numbers; what it says concerns no
	// other cells. To is 0 of any other segment: that must be read to know the rest.
	From, To int
	// Cells are what a reader of the segment would find in the columns of each of the part's areas; 0 is not known.
	Cells  []uint64
	offset int64 // in the packed part
	packed int64 // bytes
	size   int64 // bytes unpacked
	sum    uint32
	crc    uint32 // of the unpacked bytes; sum is that of the packed ones
}

// Band is columns of a sheet, from zero, both ends included.
type Band struct{ Left, Right int }

// Segments are all of a part, in their order.
type Segments struct {
	Areas []Band
	List  []Segment
}

// The index of a part's segments stands in a field of the part's entry in the zip's directory, where other programs look for nothing and which they
// drop when they save. One that has been taken along to other bytes does not match these.
const (
	segmentsField   = 0x726d
	segmentsVersion = 1
	maxField        = 60_000 // bytes, of the 65,535 that all fields of an entry share
)

// field is the index as a field of a zip entry; nil if there is nothing to gain from it, or it would be too long.
func (s *Segments) field() []byte {
	if len(s.List) < 2 {
		return nil
	}
	s.prune()
	b := s.encode()
	if len(b) > maxField {
		bare := Segments{List: slices.Clone(s.List)}
		if b = bare.encode(); len(b) > maxField {
			return nil
		}
	}
	head := binary.LittleEndian.AppendUint16(nil, segmentsField)
	return append(binary.LittleEndian.AppendUint16(head, uint16(len(b))), b...)
}

// prune drops areas of whose cells nothing is known.
func (s *Segments) prune() {
	for area := len(s.Areas) - 1; area >= 0; area-- {
		if slices.ContainsFunc(s.List, func(x Segment) bool { return x.To > 0 && x.Cells[area] != 0 }) {
			continue
		}
		s.Areas = slices.Delete(s.Areas, area, area+1)
		for i := range s.List {
			if x := &s.List[i]; x.To > 0 {
				x.Cells = slices.Delete(x.Cells, area, area+1)
			}
		}
	}
}

func (s *Segments) encode() []byte {
	b := []byte{segmentsVersion, 0, 0, 0, 0, byte(len(s.Areas))}
	for _, a := range s.Areas {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(a.Left)), uint64(a.Right))
	}
	row := 0
	for i := range s.List {
		x := &s.List[i]
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.packed)), uint64(x.size))
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, x.sum), x.crc)
		if x.To == 0 {
			b = append(b, 0)
			continue
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.To-x.From)), uint64(x.From-row))
		row = x.To
		for area := range s.Areas {
			b = binary.LittleEndian.AppendUint64(b, x.Cells[area])
		}
	}
	binary.LittleEndian.PutUint32(b[1:], crc32.ChecksumIEEE(b[5:]))
	return b
}

// indexReader reads an index. Once it is broken it returns zeros. A segment of more than MaxMemory breaks it.
type indexReader struct {
	left   []byte
	broken bool
}

func (r *indexReader) take(n int) []byte {
	if len(r.left) < n {
		r.left, r.broken = nil, true
		return make([]byte, n)
	}
	b := r.left[:n]
	r.left = r.left[n:]
	return b
}

func (r *indexReader) number() int64 {
	v, n := binary.Uvarint(r.left)
	if n <= 0 || v > MaxMemory {
		r.left, r.broken = nil, true
		return 0
	}
	r.left = r.left[n:]
	return int64(v)
}

// segmentsOf reads the index in the entry of a part; nil if it has none that fits the entry's sizes and checksum.
func segmentsOf(h *zip.FileHeader) *Segments {
	r := indexReader{left: fieldOf(h.Extra)}
	if len(r.left) == 0 || h.Method != zip.Deflate || r.take(1)[0] != segmentsVersion {
		return nil
	}
	if sum := binary.LittleEndian.Uint32(r.take(4)); sum != crc32.ChecksumIEEE(r.left) {
		return nil
	}
	s := &Segments{Areas: make([]Band, r.take(1)[0])}
	for i := range s.Areas {
		s.Areas[i] = Band{Left: int(r.number()), Right: int(r.number())}
	}
	offset, size, crc, row := int64(0), int64(0), uint32(0), 0
	for len(r.left) > 0 {
		x := Segment{offset: offset, packed: r.number(), size: r.number()}
		x.sum, x.crc = binary.LittleEndian.Uint32(r.take(4)), binary.LittleEndian.Uint32(r.take(4))
		if rows := int(r.number()); rows > 0 {
			x.From = row + int(r.number())
			x.To = x.From + rows
			row = x.To
			for range s.Areas {
				x.Cells = append(x.Cells, binary.LittleEndian.Uint64(r.take(8)))
			}
		}
		offset, size, crc = offset+x.packed, size+x.size, combine(crc, x.crc, x.size)
		s.List = append(s.List, x)
	}
	whole := uint64(offset+int64(len(streamEnd))) == h.CompressedSize64 && uint64(size) == h.UncompressedSize64 && crc == h.CRC32
	if r.broken || !whole || row > maxRow+1 {
		return nil
	}
	return s
}

// maxRow is the last row of a sheet.
const maxRow = 1<<20 - 1

// fieldOf returns the field of an index among those of an entry; empty for none.
func fieldOf(extra []byte) []byte {
	from, to := fieldSpan(extra)
	if from == to {
		return nil
	}
	return extra[from+4 : to]
}

// withoutField returns an entry's fields but for that of an index.
func withoutField(extra []byte) []byte {
	from, to := fieldSpan(extra)
	return slices.Concat(extra[:from], extra[to:])
}

// fieldSpan is where the field of an index stands; empty for nowhere.
func fieldSpan(extra []byte) (from, to int) {
	for at := 0; at+4 <= len(extra); at = to {
		if to = at + 4 + int(binary.LittleEndian.Uint16(extra[at+2:])); to > len(extra) {
			break
		}
		if binary.LittleEndian.Uint16(extra[at:]) == segmentsField {
			return at, to
		}
	}
	return 0, 0
}

// combine is the CRC-32 of two texts one after the other, of which the second has n bytes: the first one's is multiplied by x to the power of
// its bits, modulo the polynomial.
func combine(first, second uint32, n int64) uint32 {
	power, square := uint32(1)<<31, uint32(1)<<23 // x⁰ and x⁸
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			power = multiply(power, square)
		}
		square = multiply(square, square)
	}
	return multiply(power, first) ^ second
}

// multiply multiplies polynomials as CRC-32 has them, the coefficient of x⁰ in the highest bit.
func multiply(a, b uint32) (product uint32) {
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		b = b>>1 ^ crc32.IEEE*(b&1)
	}
	return product
}
