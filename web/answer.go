package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage/record"
)

// jsonType is the Content-Type of answers that are ready-made bytes.
const jsonType = "application/json; charset=utf-8"

// answerJSON answers with ready-made JSON.
func answerJSON(c *gin.Context, body []byte) {
	c.Header("Content-Length", strconv.Itoa(len(body))) // else a long answer goes out in chunks
	c.Data(http.StatusOK, jsonType, body)
}

// sayEffect tells what a write did (decisions.md §1); a read does nothing worth telling.
func sayEffect(c *gin.Context, did record.Effect) {
	if !reads(c) {
		c.Header("X-Mooring-Result", did.String())
	}
}

// reads reports whether the request is one of the methods that change nothing.
func reads(c *gin.Context) bool {
	return c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead
}

// answerDeleted answers to a deletion with the id of what is gone.
func answerDeleted(c *gin.Context, id int64) {
	c.JSON(http.StatusOK, gin.H{"id": id})
}

// encode returns the JSON of v with nothing escaped for HTML, which no client of a JSON interface needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// An ETag is "v<version>-<digest of the answer>". Reading compares all of it, since an answer holds more than the definition
// that the version counts: placements and their state, what the caller may do. Writing compares the version alone, so that a
// refresh in between does not make a pipeline's If-Match stale, and one user's ETag is valid for another.

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
	return placements.Errorf(placements.CodeStale,
		"The asset is at version %d now, not at the one of If-Match: read it again and decide anew.", version)
}

// expectVersion checks a body's expectedVersion, the same check as If-Match in another place: 409 when it is stale.
func expectVersion(expected placements.Optional[int64], version int64) error {
	if expected.Value == nil || *expected.Value == version {
		return nil
	}
	return placements.Errorf(placements.CodeVersion,
		"The asset is at version %d, not %d: read it again and decide anew.", version, *expected.Value)
}

// expectNone is both checks for an asset that does not exist.
func expectNone(c *gin.Context, expected placements.Optional[int64]) error {
	if listed(c, "If-Match") != "" {
		return placements.Errorf(placements.CodeStale,
			"If-Match was sent, but there is no such asset: send the request without it to create one.")
	}
	if expected.Value != nil {
		return placements.Errorf(placements.CodeVersion,
			"expectedVersion was sent, but there is no such asset: send the request without it to create one.")
	}
	return nil
}

// appendMembers appends the members of a JSON object to one that has some already.
func appendMembers(body []byte, object string) []byte {
	if members := object[1 : len(object)-1]; members != "" {
		body = append(append(body, ','), members...)
	}
	return body
}

// appendPlacements appends the placements of a report as a JSON array.
func appendPlacements(body []byte, list []record.PlacementView, currentQueryChecksum string) ([]byte, error) {
	var err error
	body = append(body, '[')
	for i, p := range list {
		if i > 0 {
			body = append(body, ',')
		}
		if body, err = appendPlacement(body, p, currentQueryChecksum); err != nil {
			return nil, err
		}
	}
	return append(body, ']'), nil
}

// appendPlacement appends the wire form of a placement: what is stored, and what is computed on read (decisions.md §6).
func appendPlacement(body []byte, p record.PlacementView, currentQueryChecksum string) ([]byte, error) {
	own := p.JSON[:len(p.JSON)-1] // without its closing brace
	body = append(append(body, own...), `,"syncStatus":"`...)
	body = append(append(body, p.Status(currentQueryChecksum)...), '"')
	if p.LastRun != nil {
		run, err := encode(p.LastRun)
		if err != nil {
			return nil, err
		}
		body = append(append(body, `,"lastRun":`...), run...)
	}
	return append(body, '}'), nil
}

// resultWriter sends to the client, packed if it takes that.
type resultWriter struct {
	io.Writer
	pack *gzip.Writer
}

func newResultWriter(c *gin.Context, to *pacer) *resultWriter {
	w := &resultWriter{Writer: to}
	c.Header("Content-Type", jsonType)
	c.Writer.Header().Add("Vary", "Accept-Encoding")
	if acceptsGzip(c.GetHeader("Accept-Encoding")) {
		c.Header("Content-Encoding", "gzip")
		w.pack, _ = gzip.NewWriterLevel(to, gzip.BestSpeed)
		w.Writer = w.pack
	}
	c.Status(http.StatusOK)
	return w
}

// Close ends the packed form.
func (w *resultWriter) Close() error {
	if w.pack == nil {
		return nil
	}
	return w.pack.Close()
}

// acceptsGzip reads an Accept-Encoding header (RFC 9110 §12.5.3).
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight, has := strings.CutPrefix(strings.ReplaceAll(q, " ", ""), "q=")
		v, err := strconv.ParseFloat(weight, 64)
		return !has || err == nil && v > 0
	}
	return false
}
