package plan

import (
	"slices"

	"mooring/checksum"
)

// aheadBy is the stamp of a sheet which was written since what is remembered; ok is false for a sheet that was not.
func (p *search) aheadBy() (s stamp, ok bool) {
	s, ok = parseStamp(p.View.Stamp)
	return s, ok && p.View.Marked && !p.Last.Generations.knows(s.generation)
}

// asStamped is the block as the write left it of which a stamp tells: of the rows that stand those which the stamp covers, and those which
// are as base has them. Of the others nobody knows who wrote them.
func (p *search) asStamped(s stamp, base checksum.Baseline, shows *checksum.Grid) checksum.Baseline {
	rows := shows.Block().Fingerprints
	if len(rows) == 0 || s.columns != p.extent.Columns {
		return base
	}
	covered, old := s.covers(rows), base
	base.Header = header(shows)
	if !covered[0] {
		if old.Header == nil || old.Columns != s.columns {
			return old
		}
		base.Header = old.Header
	}
	base.BlockRows, base.Edited = checksum.BlockRows{Columns: s.columns, Fingerprints: []uint64{checksum.RowFingerprint(base.Header)}}, nil
	known := newKnownRows(old, base.Header)
	for i, row := range rows {
		if covered[i] {
			known.rows[row]--
		}
	}
	for i, row := range rows[1:] {
		source, edit, ok := row, (*checksum.EditedRow)(nil), covered[i+1]
		if !ok {
			source, edit, ok = known.take(row)
		}
		if edit != nil {
			e := *edit
			e.Row = len(base.Fingerprints)
			base.Edited = append(base.Edited, e)
		}
		if ok {
			base.Fingerprints = append(base.Fingerprints, source)
		}
	}
	return base
}

// knownRows are the rows that an earlier write left, each of which stands for one row.
type knownRows struct {
	rows   map[uint64]int
	edited map[uint64][]checksum.EditedRow // by what was kept in them
}

// newKnownRows are those of last. Cells of a person in them are known only under the same header.
func newKnownRows(last checksum.Baseline, header []checksum.Cell) knownRows {
	k := knownRows{rows: map[uint64]int{}, edited: map[uint64][]checksum.EditedRow{}}
	for _, row := range last.Fingerprints[min(1, len(last.Fingerprints)):] {
		k.rows[row]++
	}
	if slices.EqualFunc(last.Header, header, checksum.Cell.Same) {
		for _, e := range last.Edited {
			kept := checksum.RowFingerprint(e.Kept)
			k.edited[kept] = append(k.edited[kept], e)
		}
	}
	return k
}

// take takes a row that stands: with cells of a person, or as the source had it. source is its fingerprint then.
func (k knownRows) take(row uint64) (source uint64, edit *checksum.EditedRow, ok bool) {
	if row == checksum.EmptyRow {
		return 0, nil, false
	}
	if list := k.edited[row]; len(list) > 0 {
		k.edited[row] = list[1:]
		return checksum.RowFingerprint(list[0].Source), &list[0], true
	}
	if k.rows[row] <= 0 {
		return 0, nil, false
	}
	k.rows[row]--
	return row, nil, true
}
