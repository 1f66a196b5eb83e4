package sheet

import (
	"archive/zip"
	"slices"

	"mooring/refresh/host/xlsx/archive"
)

// segmenter cuts the rows of a sheet part that is written into segments, and notes what stands in each.
type segmenter struct {
	*archive.Part
	old      *archive.Archive
	file     *zip.File         // the part before
	before   *archive.Segments // of it, nil if it had none
	copied   []archive.Segment // of before, that are copied as they are packed; their rows are not read
	areas    []archive.Band
	known    []Known
	from, to int  // rows of the open segment; to is 0 before the first
	alone    bool // what the open segment says concerns no other cells
	regular  bool // so far, sheetData holds nothing but rows, each with its number
}

func newSegmenter(old *archive.Archive, file *zip.File, before *archive.Segments, copied []archive.Segment, known []Known, out *archive.Part) segmenter {
	return segmenter{
		Part: out, old: old, file: file, before: before, copied: copied,
		areas: areas(known, before), known: known, regular: true,
	}
}

// startRow puts a row into the open segment, or into another one if that is full.
func (s *segmenter) startRow(row int) {
	if s.to == 0 || s.Full() {
		s.cut()
	}
	if s.to == 0 {
		s.from, s.alone = row, true
	}
	s.to = row + 1
}

// cut ends the open segment.
func (s *segmenter) cut() {
	if s.to > 0 && s.alone {
		s.Cut(s.from, s.to, cells(s.areas, s.known, s.from, s.to))
	} else {
		s.Cut(0, 0, nil)
	}
	s.from, s.to = 0, 0
}

// copyNext copies the next of the segments that stay.
func (s *segmenter) copyNext() {
	x := s.copied[0]
	s.copied = s.copied[1:]
	s.cut()
	was := x.Cells
	x.Cells = cells(s.areas, s.known, x.From, x.To)
	for i, c := range s.before.Areas {
		if at := slices.Index(s.areas, c); at >= 0 && x.Cells[at] == 0 {
			x.Cells[at] = was[i]
		}
	}
	s.CopySegment(s.old, s.file, x)
}

// end ends the rows: the part has an index if they can be told apart.
func (s *segmenter) end() {
	s.cut()
	if s.regular {
		s.Index(s.areas)
	}
}
