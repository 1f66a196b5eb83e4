package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// The names that mark blocks in workbooks.
const (
	markerPrefix  = "_mooring_"
	maxMarkerName = 255
	// MaxStamp bounds a Patch's Stamp: so long is the longest comment of a name, and the longest text in a formula.
	MaxStamp = 255
)

var stampForm = regexp.MustCompile(`^[A-Za-z0-9._-]*$`)

// checkStamp refuses what not every host can keep.
func (p *Patch) checkStamp() error {
	if len(p.Stamp) > MaxStamp || !stampForm.MatchString(p.Stamp) {
		return fmt.Errorf("a stamp %.300q", p.Stamp)
	}
	return nil
}

// MarkerName is the defined name that marks a placement's block. Names may hold letters, digits, underscores and
// periods, and case does not tell two of them apart: every other byte of the id, capital letters too, is written as a period and two hex
// digits, so that no two placements share a name.
func MarkerName(placementID string) string {
	var name strings.Builder
	name.WriteString(markerPrefix)
	for _, c := range []byte(placementID) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' {
			name.WriteByte(c)
		} else {
			fmt.Fprintf(&name, ".%02x", c)
		}
	}
	switch {
	case name.String() == DocumentName: // the workbook's own
		return fmt.Sprintf("%s.%02xocument", markerPrefix, 'd')
	case name.Len() <= maxMarkerName:
		return name.String()
	}
	// Two periods never come together above.
	sum := sha256.Sum256([]byte(placementID))
	return markerPrefix + ".." + hex.EncodeToString(sum[:])
}

// IsMarker reports whether a defined name marks a block, or what else belongs to a placement.
func IsMarker(name string) bool {
	return len(name) > len(markerPrefix) && strings.EqualFold(name[:len(markerPrefix)], markerPrefix) && !strings.EqualFold(name, DocumentName)
}

// StatusID is, in the place of a placement's id, the name of the placement's status cell: to a host that is a block of one cell. No
// placement has such an id, which may hold no control characters.
func StatusID(placementID string) string { return placementID + "\x00status" }

// FiltersID is the same for the cell above the block that says what the report is filtered by.
func FiltersID(placementID string) string { return placementID + "\x00filters" }

// StampID is, in the place of a placement's id, the name of what a host that can add no text to a marker keeps beside it.
func StampID(placementID string) string { return placementID + "\x00stamp" }

// Reference writes a rectangle as an absolute reference, the sheet always quoted.
func Reference(sheet string, a placements.Anchor, e checksum.Extent) string {
	end := placements.Anchor{Row: a.Row + max(e.Rows, 1) - 1, Column: a.Column + max(e.Columns, 1) - 1}
	return "'" + strings.ReplaceAll(sheet, "'", "''") + "'!" + absolute(a) + ":" + absolute(end)
}

func absolute(a placements.Anchor) string {
	cell := a.String()
	digits := strings.IndexAny(cell, "0123456789")
	return "$" + cell[:digits] + "$" + cell[digits:]
}
