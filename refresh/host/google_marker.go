package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

const (
	googleMarkerPrefix = "_mooring_"
	googleMaxName      = 250
)

// googleMarkerName is the named range that marks a placement's block. Names hold letters, digits and underscores only, and
// case does not tell them apart: every other byte of the id is written as an underscore and two hex digits, an underscore
// as two, so that no two placements share a name.
func googleMarkerName(placementID string) string {
	var name strings.Builder
	name.WriteString(googleMarkerPrefix)
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
	if name.Len() <= googleMaxName {
		return name.String()
	}
	// No id gives an underscore followed by an x above.
	sum := sha256.Sum256([]byte(placementID))
	return googleMarkerPrefix + "_x" + hex.EncodeToString(sum[:])
}
