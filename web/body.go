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
	faults, err := bind.Read(raw, bind.Options{Strict: strict(c), Depth: s.limits.Depth}, in.members)
	if errors.Is(err, bind.ErrTooDeep) {
		return nil, placements.Errorf(placements.CodeTooDeep,
			"The body nests deeper than %d levels: send it with fewer objects and arrays inside each other.", s.limits.Depth)
	}
	return faults, err
}

// resource is how the operations on one kind of asset name it in their paths and answer with it.
type resource[T any] struct {
	param, noun string
	answer      func(*Server, *gin.Context, T) error
}

// changing makes a handler: it reads the id in the path and the body, calls, and answers with the asset that the call returns.
func changing[T, B any, P interface {
	*B
	body
}](of resource[T], call func(s *Server, c *gin.Context, id int64, in P) (T, error),
) func(*Server, *gin.Context) error {
	return func(s *Server, c *gin.Context) error {
		id, err := pathID(c, of.param, of.noun)
		if err != nil {
			return err
		}
		in := P(new(B))
		if err := s.read(c, in); err != nil {
			return err
		}
		changed, err := call(s, c, id, in)
		if err != nil {
			return absent(err, of.noun)
		}
		return of.answer(s, c, changed)
	}
}

// readBody reads the whole body up to the limit.
func (s *Server) readBody(c *gin.Context) ([]byte, error) {
	const short = "The body could not be read to its end: send all the bytes that Content-Length announces."
	if n := c.Request.ContentLength; 0 <= n && n <= min(maxTrusted, s.limits.Body) {
		raw := make([]byte, n)
		if _, err := io.ReadFull(c.Request.Body, raw); err != nil {
			return nil, placements.Errorf(placements.CodeMalformed, short).Because(err)
		}
		return raw, nil
	}
	var raw bytes.Buffer
	raw.Grow(int(min(max(c.Request.ContentLength, 0), maxTrusted)) + bytes.MinRead)
	_, err := raw.ReadFrom(http.MaxBytesReader(c.Writer, c.Request.Body, s.limits.Body))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, placements.Errorf(placements.CodeTooLarge, "The body is larger than %d bytes: send less at once.", s.limits.Body)
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

// strict reports whether the request carries Prefer: handling=strict.
func strict(c *gin.Context) bool { return prefers(c, "handling", "strict") }

// prefers reports whether the request carries that preference with that value (RFC 7240).
func prefers(c *gin.Context, preference, wanted string) bool {
	for _, header := range c.Request.Header["Prefer"] {
		for sent := range strings.SplitSeq(header, ",") {
			sent, _, _ := strings.Cut(sent, ";")
			name, value, _ := strings.Cut(sent, "=")
			if strings.EqualFold(strings.TrimSpace(name), preference) && strings.EqualFold(strings.Trim(strings.TrimSpace(value), `"`), wanted) {
				return true
			}
		}
	}
	return false
}

// setSent sets target to what was sent; null is the zero value.
func setSent[T any](target *T, sent placements.Optional[T]) {
	if sent.Sent {
		*target = sent.OrZero()
	}
}
