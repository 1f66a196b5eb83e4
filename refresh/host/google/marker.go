package google

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	markerPrefix = "_mooring_"
	// maxName leaves room for a generation in the 250 characters that a name may have.
	maxName = 230
)

// markerName is the named range that marks a placement's block. Names hold letters, digits and underscores only, and
// case does not tell them apart: every other byte of the id is written as an underscore and two hex digits, an underscore
// as two, so that no two placements share a name.
func markerName(placementID string) string {
	var name strings.Builder
	name.WriteString(markerPrefix)
	for _, c := range []byte(placementID) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			name.WriteByte(c)
		case c == '_':
			name.WriteString("__")
		default:
			fmt.Fprintf(&name, "_%02x", c)
		}
	}
	if name.Len() <= maxName {
		return name.String()
	}
	// No id gives an underscore followed by an x above.
	sum := sha256.Sum256([]byte(placementID))
	return markerPrefix + "_x" + hex.EncodeToString(sum[:])
}

// isMarker reports whether a named range marks a block, or what else belongs to a placement. Here none says which document it is.
func isMarker(name string) bool {
	return len(name) > len(markerPrefix) && strings.EqualFold(name[:len(markerPrefix)], markerPrefix)
}

// parameterForm is that of a name of a parameter's cells, between whose ends stands the rest of its block's marker. An underscore of an id is
// two of a name.
var parameterForm = regexp.MustCompile(`(?i)^` + markerPrefix + `p__(.*[^_](?:__)*)__[0-9]+(?:_g[0-9]+)?$`)

// parameterOf returns the name of the marker of the block whose parameter a name follows the cells of, if that is what it does: where there
// is no such block, the name is a block's own.
func parameterOf(name string) (marker string, ok bool) {
	of := parameterForm.FindStringSubmatch(name)
	if of == nil {
		return "", false
	}
	return markerPrefix + of[1], true
}

// A name whose cells were deleted stays taken, though the service lists it no more (gspread#1530). The marker that takes its place has
// the next generation of the name: _g2, and from the third on _g and the time in seconds, so that no more than three are tried however
// many were lost. No id gives an underscore followed by a g above.
const generationMark = "_g"

// generation is a name in a generation.
func generation(name string, generation int64) string {
	if generation <= 1 {
		return name
	}
	return name + generationMark + strconv.FormatInt(generation, 10)
}

// generationOf is the generation in which a named range is a marker of that name; 0 if it is none.
func generationOf(have, name string) int64 {
	if len(have) < len(name) || !strings.EqualFold(have[:len(name)], name) {
		return 0
	}
	if have = have[len(name):]; have == "" {
		return 1
	}
	if len(have) <= len(generationMark) || !strings.EqualFold(have[:len(generationMark)], generationMark) {
		return 0
	}
	generation, err := strconv.ParseUint(have[len(generationMark):], 10, 62)
	if err != nil || generation < 2 {
		return 0
	}
	return int64(generation)
}
