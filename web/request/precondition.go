package request

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mooring/placements"
)

// Edition is one version of an asset. What was created anew under an earlier name, or with an earlier id in an empty storage, has other
// editions.
type Edition struct {
	Kind       string
	Deployment int64
	ID         int64
	CreatedAt  string
	Version    int64
}

// An ETag is "v<version>-<digest of the edition>-<digest of the answer>". Reading compares all of it, since an answer holds more than the
// definition that the version counts: placements and their state, what the caller may do. Writing compares the edition alone, so that a
// refresh in between does not make a pipeline's If-Match stale, and one user's ETag is valid for another.

// prefix is what the ETags of all answers with e begin with.
func (e Edition) prefix() string {
	digest := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %s %d", e.Kind, e.Deployment, e.ID, e.CreatedAt, e.Version))
	return fmt.Sprintf(`"v%d-%s-`, e.Version, shortHex(digest))
}

// Tag is the ETag of an answer with e.
func (e Edition) Tag(body []byte) string { return e.prefix() + shortHex(sha256.Sum256(body)) + `"` }

func shortHex(digest [sha256.Size]byte) string { return hex.EncodeToString(digest[:8]) }

// issued is the form of every ETag of an asset.
var issued = regexp.MustCompile(`^"v[0-9]+-[0-9a-f]{16}-[0-9a-f]{16}"$`)

// madeTag reports whether the ETag is of an answer with e.
func (e Edition) madeTag(tag string) bool {
	return strings.HasPrefix(tag, e.prefix()) && issued.MatchString(tag)
}

// entityTags finds the elements of a list of ETags (RFC 9110 §8.8.3); what is no ETag is an element too, and equal to none.
var entityTags = regexp.MustCompile(`(?:"[^"]*"|[^,"])+`)

// sentTags returns the ETags that a header lists in all its lines (RFC 9110 §13.1); every says that it is "*" instead.
func sentTags(c *Call, name string) (tags []string, every bool) {
	lines := c.Request.Header.Values(name)
	if len(lines) == 0 {
		return nil, false
	}
	value := strings.TrimSpace(strings.Join(lines, ","))
	if value == "*" {
		return nil, true
	}
	for _, tag := range entityTags.FindAllString(value, -1) {
		tags = append(tags, strings.TrimSpace(tag))
	}
	return tags, false
}

// Has reports whether If-None-Match names what has that strong ETag, by weak comparison.
func (c *Call) Has(tag string) bool {
	has, every := sentTags(c, "If-None-Match")
	return every || slices.Contains(has, tag) || slices.Contains(has, "W/"+tag)
}

// Match checks the request's If-Match header against an asset as stored: 412 when no ETag that it lists is of that edition. A weak one
// is of none.
func (c *Call) Match(e Edition) error {
	if len(c.Request.Header.Values("If-Match")) == 0 {
		return nil
	}
	if based, every := sentTags(c, "If-Match"); every || slices.ContainsFunc(based, e.madeTag) {
		return nil
	}
	return placements.Errorf(placements.CodeStale, "If-Match has no ETag of the asset as it is now, at version %d: "+
		"it was changed since, or deleted and made anew. Read it again and decide anew.", e.Version)
}

// ExpectVersion checks a body's expectedVersion, the same check as If-Match in another place: 409 when it is stale.
func ExpectVersion(expected placements.Optional[int64], version int64) error {
	if expected.Value == nil || *expected.Value == version {
		return nil
	}
	return placements.Errorf(placements.CodeVersion,
		"The asset is at version %d, not %d: read it again and decide anew.", version, *expected.Value)
}

// ExpectNone is both checks for an asset that does not exist.
func (c *Call) ExpectNone(expected placements.Optional[int64]) error {
	if len(c.Request.Header.Values("If-Match")) > 0 {
		return placements.Errorf(placements.CodeStale,
			"If-Match was sent, but there is no such asset: send the request without it to create one.")
	}
	if expected.Value != nil {
		return placements.Errorf(placements.CodeVersion,
			"expectedVersion was sent, but there is no such asset: send the request without it to create one.")
	}
	return nil
}
