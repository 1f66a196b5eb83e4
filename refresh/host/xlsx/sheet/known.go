package sheet

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
)

// Known is what is known of the cells of a rectangle of a sheet: the fingerprints of its rows, 0 for one of which nothing is.
type Known struct {
	Area placements.Rect
	Rows []uint64 // from Area.Top on; there may be fewer than the rectangle has
}

// columns are those that c tells of.
func (c *Known) columns() archive.Band {
	return archive.Band{Left: c.Area.Left, Right: c.Area.Right}
}

// digest is one of the cells in rows [from,to); 0 if they are not known.
func (c *Known) digest(from, to int) uint64 {
	from, to = from-c.Area.Top, to-c.Area.Top
	if from < 0 || to > len(c.Rows) || slices.Contains(c.Rows[from:to], 0) {
		return 0
	}
	return checksum.RowsDigest(c.Rows[from:to])
}

// maxAreas is of how many ranges of columns the segments of a sheet say what they hold.
const maxAreas = 16

// areas are the columns of which something is known, and those of which something was.
func areas(known []Known, before *archive.Segments) (list []archive.Band) {
	var all []archive.Band
	for i := range known {
		all = append(all, known[i].columns())
	}
	if before != nil {
		all = append(all, before.Areas...)
	}
	for _, c := range all {
		if len(list) < maxAreas && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// cells are the digests, for each area, of rows [from,to).
func cells(of []archive.Band, known []Known, from, to int) []uint64 {
	list := make([]uint64, len(of))
	for i := range known {
		if at := slices.Index(of, known[i].columns()); at >= 0 && list[at] == 0 {
			list[at] = known[i].digest(from, to)
		}
	}
	return list
}
