package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"

	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/part"
)

// ErrAgain says that a pass over a sheet met something late that decides how its rows are written, and noted it for the next pass: the rows are
// out of order, or the sheet is protected.
var ErrAgain = errors.New("to be written again")

// Sheets opens the sheet parts of an archive, and keeps what a pass over one found that the next one needs to know.
type Sheets struct {
	archive   *archive.Archive
	shuffled  map[*zip.File]bool             // found out of order
	protected map[*zip.File]*part.Protection // found protected
	indexes   map[*zip.File]*archive.Segments
}

// New returns the sheets of an archive.
func New(a *archive.Archive) *Sheets {
	return &Sheets{archive: a, shuffled: map[*zip.File]bool{}, protected: map[*zip.File]*part.Protection{}, indexes: map[*zip.File]*archive.Segments{}}
}

// Open opens a sheet part. One that was found out of order is put in order first, which takes its size in memory.
func (s *Sheets) Open(ctx context.Context, f *zip.File) (io.ReadCloser, error) {
	if !s.shuffled[f] {
		return s.archive.Unpack(ctx, f, archive.MaxSheet)
	}
	doc, err := s.archive.Whole(ctx, f)
	if err == nil {
		doc, err = sortRows(doc)
	}
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(doc)), nil
}

// Shuffle reports whether a sheet part that failed with err is worth another try, for which it is put in order.
func (s *Sheets) Shuffle(f *zip.File, err error) bool {
	if s.shuffled[f] || !errors.Is(err, cursor.ErrOrder) {
		return false
	}
	s.shuffled[f] = true
	return true
}

// IsProtected reports whether a sheet was found protected.
func (s *Sheets) IsProtected() bool { return len(s.protected) > 0 }

// SplicePart copies a sheet part with patches applied; see Splice. Segments of it that the patches leave alone are copied as they are packed.
func (s *Sheets) SplicePart(ctx context.Context, f *zip.File, out *archive.Part, patch *Patches, styles *part.Styles) error {
	in, copied, err := s.openSplice(ctx, f, patch)
	if err != nil {
		return err
	}
	defer in.Close()
	return s.splice(f, in, out, patch, styles, copied)
}

// Splice copies a sheet part, as in has it, with patches applied, in the styles of the workbook if they have formats. After ErrAgain it is to be
// tried again, which it asks for at most twice a sheet.
func (s *Sheets) Splice(f *zip.File, in io.Reader, out *archive.Part, patch *Patches, styles *part.Styles) error {
	return s.splice(f, in, out, patch, styles, nil)
}

func (s *Sheets) splice(f *zip.File, in io.Reader, out *archive.Part, patch *Patches, styles *part.Styles, copied []archive.Segment) error {
	x := newSplicer(in, newSegmenter(s.archive, f, s.indexes[f], copied, patch.Known, out), patch, styles)
	x.rules.protection = s.protected[f]
	if err := x.run(); err != nil {
		if s.Shuffle(f, err) {
			return ErrAgain
		}
		return err
	}
	if x.protection != nil && s.protected[f] == nil {
		s.protected[f] = x.protection
		return ErrAgain
	}
	patch.Gone = x.rules.formulas
	return nil
}

// segments are those of a sheet part that was written in several; nil for any other.
func (s *Sheets) segments(f *zip.File) *archive.Segments {
	if s.shuffled[f] {
		return nil
	}
	index, ok := s.indexes[f]
	if !ok {
		index = s.archive.Segments(f)
		s.indexes[f] = index
	}
	return index
}

// openSplice opens what of a sheet part must be read to apply patches to it, and returns the segments that are copied as they are packed.
func (s *Sheets) openSplice(ctx context.Context, f *zip.File, patch *Patches) (in io.ReadCloser, copied []archive.Segment, err error) {
	index := s.segments(f)
	if index == nil {
		in, err = s.Open(ctx, f)
		return in, nil, err
	}
	var read []archive.Segment
	for _, x := range index.List {
		if x.To == 0 || patch.needs(x.From, x.To) {
			read = append(read, x)
		} else {
			copied = append(copied, x)
		}
	}
	in, err = s.archive.UnpackSegments(ctx, f, read, archive.MaxSheet)
	return in, copied, err
}
