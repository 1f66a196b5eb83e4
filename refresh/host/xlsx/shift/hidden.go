package shift

import (
	"strconv"

	"mooring/refresh/host/xlsx/xml"
)

// Hidden reports whether a row with these attributes is hidden, by hand, by a filter, in an outline, or as it has no height.
func Hidden(attrs []byte) bool {
	hidden, _ := xml.Attr(attrs, "hidden")
	return xml.True(string(hidden)) || flat(attrs)
}

// flat reports whether a row has no height.
func flat(attrs []byte) bool {
	height, ok := xml.Attr(attrs, "ht")
	if !ok { // as of most rows of large sheets
		return false
	}
	n, err := strconv.ParseFloat(string(height), 64)
	return err == nil && n == 0
}

// Visible returns the attributes of a row without those that hide it.
func Visible(attrs []byte) []byte {
	if flat(attrs) {
		return without(attrs, "hidden", "ht", "customHeight")
	}
	return without(attrs, "hidden")
}

// shows reports whether cells that wait to be written moved into a row out of one that was not hidden.
func (m *mover) shows(row int) bool {
	for i := range m.moves.bands {
		if b := &m.moves.bands[i]; b.waiting(row) && b.entries[b.head].shows {
			return true
		}
	}
	return false
}
