package web

import (
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/placements"
)

// What may be large, and is shown only to who names it in the parameter include (decisions.md §5, §6).
const (
	includeMeta      = "meta"
	includeChecksums = "resultChecksum"
)

// included returns the names in the parameter include, a list with commas, of which an operation knows some.
func included(c *gin.Context, known ...string) ([]string, error) {
	sent := c.Query("include")
	if sent == "" {
		return nil, nil
	}
	names := strings.Split(sent, ",")
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, placements.Errorf(placements.CodeInvalid,
				"include must be %s, or absent; put a comma between several.", strings.Join(known, " or "))
		}
	}
	return names, nil
}
