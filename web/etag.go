package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// An ETag is "v<version>-<digest of the answer>". Reading compares all of it, since an answer holds more than the definition
// that the version counts: placements and their state, what the caller may do. Writing compares the version alone, so that a
// refresh in between does not make a pipeline's If-Match stale, and one user's ETag is good for another.

// answerTagged answers with ready-made JSON under its ETag, or with 304 when the client has it already.
func answerTagged(c *gin.Context, version int64, body []byte) error {
	tag := etag(version, body)
	c.Header("ETag", tag)
	if reads(c) && matchesAny(listed(c, "If-None-Match"), tag) {
		c.Status(http.StatusNotModified)
		return nil
	}
	answerJSON(c, body)
	return nil
}

func etag(version int64, body []byte) string {
	sum := sha256.Sum256(body)
	return `"v` + strconv.FormatInt(version, 10) + "-" + hex.EncodeToString(sum[:8]) + `"`
}

// listed is a header whose value is a list: lines of the same name are one (RFC 9110 §5.3).
func listed(c *gin.Context, name string) string {
	return strings.Join(c.Request.Header.Values(name), ",")
}

// matchesAny reports whether an If-None-Match header names the tag (RFC 9110 §13.1.2: weak comparison).
func matchesAny(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || candidate == tag {
			return true
		}
	}
	return false
}

// ifMatch checks the request's If-Match header against the version of an asset as stored: 412 when it is stale.
func ifMatch(c *gin.Context, version int64) error {
	header := listed(c, "If-Match")
	if header == "" {
		return nil
	}
	prefix := `"v` + strconv.FormatInt(version, 10) + "-"
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.HasPrefix(candidate, prefix) {
			return nil
		}
	}
	return refuse(codeStale, "The asset is at version %d now, not at the one of If-Match: read it again and decide anew.", version)
}

// expectVersion checks a body's expectedVersion, the same check as If-Match in another place: 409 when it is stale.
func expectVersion(expected storage.Optional[int64], version int64) error {
	if expected.Value == nil || *expected.Value == version {
		return nil
	}
	return refuse(codeVersion, "The asset is at version %d, not %d: read it again and decide anew.", version, *expected.Value)
}

// expectNone is both checks for an asset that does not exist.
func expectNone(c *gin.Context, expected storage.Optional[int64]) error {
	if listed(c, "If-Match") != "" {
		return refuse(codeStale, "If-Match was sent, but there is no such asset: send the request without it to create one.")
	}
	if expected.Value != nil {
		return refuse(codeVersion, "expectedVersion was sent, but there is no such asset: send the request without it to create one.")
	}
	return nil
}
