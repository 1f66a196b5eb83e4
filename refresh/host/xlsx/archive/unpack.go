package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"mooring/refresh/host/xlsx/xml"
)

// Segments are the segments of a part that was written in several and is since as it was; nil for any other.
func (a *Archive) Segments(f *zip.File) *Segments {
	s := segmentsOf(&f.FileHeader)
	if s == nil || f.CompressedSize64 > uint64(a.Info.Size()) {
		return nil
	}
	r := segmentReader{packed: a.packed(f)}
	for i := range s.List {
		if _, err := r.read(&s.List[i]); err != nil {
			return nil
		}
	}
	return s
}

// packed is a part as it is packed; nil where the file has none.
func (a *Archive) packed(f *zip.File) io.ReaderAt {
	at, err := f.DataOffset()
	if err != nil {
		return bytes.NewReader(nil)
	}
	return io.NewSectionReader(a.file, at, int64(f.CompressedSize64))
}

// UnpackSegments opens some segments of a part, one after the other, as UTF-8 text.
func (a *Archive) UnpackSegments(ctx context.Context, f *zip.File, list []Segment, limit int64) (io.ReadCloser, error) {
	r := &segmentReader{packed: a.packed(f), left: list, unpacker: flate.NewReader(nil)}
	text, err := xml.UTF8Reader(&boundedReader{ctx, r, limit})
	if err != nil {
		return nil, a.Broken(fmt.Errorf("%s: %w", f.Name, err))
	}
	return io.NopCloser(text), nil
}

// segmentReader unpacks segments.
type segmentReader struct {
	packed   io.ReaderAt
	left     []Segment // the first one is being unpacked
	unpacker io.ReadCloser
	begun    bool
	got      int64 // bytes of the first one
	crc      uint32
	buffer   []byte
}

// errSegment says that a segment is another than its index says.
var errSegment = errors.Join(zip.ErrChecksum, errors.New("a segment does not match its index"))

// read returns the packed bytes of a segment, which hold until the next call.
func (r *segmentReader) read(s *Segment) ([]byte, error) {
	if int64(cap(r.buffer)) < s.packed {
		r.buffer = make([]byte, s.packed+s.packed/4+int64(len(streamEnd)))
	}
	b := r.buffer[:s.packed]
	if _, err := r.packed.ReadAt(b, s.offset); err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(b) != s.sum {
		return nil, errSegment
	}
	return b, nil
}

// Read is io.Reader's.
func (r *segmentReader) Read(b []byte) (int, error) {
	for len(r.left) > 0 {
		s := &r.left[0]
		if !r.begun {
			packed, err := r.read(s)
			if err != nil {
				return 0, err
			}
			if err := r.unpacker.(flate.Resetter).Reset(bytes.NewReader(append(packed, streamEnd...)), nil); err != nil {
				return 0, err
			}
			r.begun, r.got, r.crc = true, 0, 0
		}
		n, err := r.unpacker.Read(b)
		r.got += int64(n)
		r.crc = crc32.Update(r.crc, crc32.IEEETable, b[:n])
		switch {
		case r.got > s.size || err == io.EOF && (r.got != s.size || r.crc != s.crc):
			return 0, errSegment
		case err == io.EOF:
			r.begun, r.left = false, r.left[1:]
		case err != nil:
			return 0, err
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

// CopySegment copies a segment of a part of an old file as it is packed. The open one must have been cut.
func (p *Part) CopySegment(a *Archive, f *zip.File, s Segment) {
	if p.err != nil {
		return
	}
	r := segmentReader{packed: a.packed(f), buffer: p.zip.copied}
	packed, err := r.read(&s)
	if err == nil {
		_, err = p.out.Write(packed)
	}
	p.zip.copied, p.err = r.buffer, err
	p.add(s)
}
