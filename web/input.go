package web

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/web/bind"
	"mooring/web/overview"
)

// body is the JSON object that a request carries.
type body interface {
	// members names what the object may hold, each member with the variable that takes it (see package bind).
	members(o *bind.Object)
}

// ruled is a body that has rules beside its shape. What they find joins f; the error is that they could not be checked.
type ruled interface {
	rules(s *Server, c *gin.Context, f *bind.Faults) error
}

// mayBeMissing marks a body that a request may leave out, which then is an empty object.
type mayBeMissing struct{}

func (mayBeMissing) missing() {}

// read fills in with the request's body. All faults are in one error.
func (s *Server) read(c *gin.Context, in body) error {
	defer timed(c, "bind")()
	raw, err := s.readBody(c)
	if err != nil {
		return err
	}
	faults, err := s.bind(c, raw, in)
	if err != nil {
		return err
	}
	if in, ok := in.(ruled); ok {
		if err := in.rules(s, c, &faults); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		return placements.Faulty(faults...)
	}
	return nil
}

// bind reads raw. The faults are those of its shape.
func (s *Server) bind(c *gin.Context, raw []byte, in body) (bind.Faults, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		if _, ok := in.(interface{ missing() }); ok {
			return nil, nil
		}
		return nil, placements.Errorf(placements.CodeMalformed, "Send a JSON object as the request body.")
	}
	if !isJSON(c.GetHeader("Content-Type")) {
		return nil, placements.Errorf(placements.CodeMediaType, "Send the body as Content-Type: application/json.")
	}
	faults, err := bind.Read(raw, bind.BodyOptions{Strict: strict(c), Depth: s.limits.Depth}, in.members)
	if errors.Is(err, bind.ErrTooDeep) {
		return nil, placements.Errorf(placements.CodeTooDeep,
			"The body nests deeper than %d levels: send it with fewer objects and arrays inside each other.", s.limits.Depth)
	}
	return faults, err
}

// readBody reads the whole body up to the limit.
func (s *Server) readBody(c *gin.Context) ([]byte, error) { return readUpTo(c, s.limits.Body) }

// unpacked refuses a request whose body is compressed.
func unpacked(c *gin.Context) error {
	packed := c.GetHeader("Content-Encoding")
	if packed == "" || strings.EqualFold(packed, "identity") || c.Request.ContentLength == 0 {
		return nil
	}
	return placements.Errorf(placements.CodePacked,
		"The body is sent as Content-Encoding: %.80s: send it unpacked, without that header.", packed)
}

// readUpTo reads the whole body of at most so many bytes.
func readUpTo(c *gin.Context, most int64) ([]byte, error) {
	if err := unpacked(c); err != nil {
		return nil, err
	}
	const short = "The body could not be read to its end: send all the bytes that Content-Length announces."
	if n := c.Request.ContentLength; 0 <= n && n <= min(maxTrusted, most) {
		raw := make([]byte, n)
		if _, err := io.ReadFull(c.Request.Body, raw); err != nil {
			return nil, placements.Errorf(placements.CodeMalformed, short).Because(err)
		}
		return raw, nil
	}
	var raw bytes.Buffer
	raw.Grow(int(min(max(c.Request.ContentLength, 0), maxTrusted)) + bytes.MinRead)
	_, err := raw.ReadFrom(http.MaxBytesReader(c.Writer, c.Request.Body, most))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, placements.Errorf(placements.CodeTooLarge, "The body is larger than %d bytes: send less at once.", most)
	}
	if err != nil {
		return nil, placements.Errorf(placements.CodeMalformed, short).Because(err)
	}
	return raw.Bytes(), nil
}

// maxTrusted is how many bytes of a body are made room for because the client says that they will come.
const maxTrusted = 64 << 10

// isJSON accepts application/json and …+json; a missing type is taken as JSON.
func isJSON(contentType string) bool {
	if contentType == "" || contentType == "application/json" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// strict reports whether the request carries Prefer: handling=strict, and then says that this was applied.
func strict(c *gin.Context) bool { return applies(c, "handling", "strict") }

// applies reports whether the request carries that preference with that value, and then says once in Preference-Applied that it was applied.
func applies(c *gin.Context, preference, wanted string) bool {
	if !prefers(c, preference, wanted) {
		return false
	}
	const header = "Preference-Applied"
	switch said, applied := c.Writer.Header().Get(header), preference+"="+wanted; {
	case said == "":
		c.Header(header, applied)
	case !strings.Contains(said, applied):
		c.Header(header, said+", "+applied)
	}
	return true
}

// prefers reports whether the request carries that preference with that value (RFC 7240).
func prefers(c *gin.Context, preference, wanted string) bool {
	for _, header := range c.Request.Header["Prefer"] {
		for sent := range strings.SplitSeq(header, ",") {
			sent, _, _ := strings.Cut(sent, ";")
			name, value, _ := strings.Cut(sent, "=")
			name, value = strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `"`)
			if strings.EqualFold(name, preference) && strings.EqualFold(value, wanted) {
				return true
			}
		}
	}
	return false
}

// pathID reads an integer id from the path. What is no id names nothing: 404.
func pathID(c *gin.Context, name, noun string) (int64, error) {
	id, ok := overview.ParseID(c.Param(name))
	if !ok {
		return 0, notFound(noun)
	}
	return id, nil
}

// queryID reads a parameter that is the id of an asset; nil when it was not sent.
func queryID(c *gin.Context, name string) (*int64, error) {
	sent := c.Query(name)
	if sent == "" {
		return nil, nil
	}
	id, ok := overview.ParseID(sent)
	if !ok {
		return nil, placements.Errorf(placements.CodeParameter, "%s must be the id of an asset, an integer from 1 on.", name)
	}
	return &id, nil
}

// queryFlag reads a parameter that is true or false; false when it was not sent.
func queryFlag(c *gin.Context, name string) (bool, error) {
	switch c.Query(name) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, placements.Errorf(placements.CodeParameter, "%s must be true or false.", name)
}

// What is shown only to who names it in the parameter include: what may be large, and of charts, beside the reportId, the portable name of
// the report, which wins over a reportId that was not changed (decisions.md §5, §6).
const (
	includeMeta      = "meta"
	includeChecksums = "resultChecksum"
	includePublicIDs = "reportPublicId"
)

// included returns the names in the parameter include, of which an operation knows some.
func included(c *gin.Context, known ...string) ([]string, error) {
	return overview.Included(c.Query("include"), known...)
}
