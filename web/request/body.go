package request

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"mooring/placements"
	"mooring/web/bind"
)

// Body is the JSON object that a request carries.
type Body interface {
	// Members names what the object may hold, each member with the variable that takes it (see package bind).
	Members(o *bind.Object)
}

// checked is a body that has rules beside its shape. What they find joins f.
type checked interface {
	Check(c *Call, f *bind.Faults)
}

// MayBeMissing marks a body that a request may leave out, which then is an empty object.
type MayBeMissing struct{}

func (MayBeMissing) missing() {}

// Optional reports whether a request may leave a body out.
func Optional(b Body) bool {
	_, optional := b.(interface{ missing() })
	return optional
}

// Read fills in with the request's body. All faults are in one error.
func (c *Call) Read(in Body) error {
	faults, err := c.Bind(in)
	if err != nil {
		return err
	}
	return Faulty(faults)
}

// Faulty is the refusal of a body with those faults; nil when there is none.
func Faulty(f bind.Faults) error {
	if len(f) > 0 {
		return placements.Faulty(f...)
	}
	return nil
}

// Bind fills in with the request's body. The faults are those of its shape and of its own rules: a room whose rules ask the storage adds what
// they find.
func (c *Call) Bind(in Body) (bind.Faults, error) {
	defer timed(c, "bind")()
	raw, err := c.Raw()
	if err != nil {
		return nil, err
	}
	faults, err := shape(c, raw, in)
	if err != nil {
		return nil, err
	}
	if in, ok := in.(checked); ok {
		in.Check(c, &faults)
	}
	return faults, nil
}

// shape reads raw. The faults are those of its shape.
func shape(c *Call, raw []byte, in Body) (bind.Faults, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		if Optional(in) {
			return nil, nil
		}
		return nil, placements.Errorf(placements.CodeMalformed, "Send a JSON object as the request body.")
	}
	if !isJSON(c.Header("Content-Type")) {
		return nil, placements.Errorf(placements.CodeMediaType, "Send the body as Content-Type: application/json.")
	}
	faults, err := bind.Read(raw, bind.BodyOptions{Strict: c.Strict(), Depth: c.frame.Limits.Depth}, in.Members)
	if errors.Is(err, bind.ErrTooDeep) {
		return nil, placements.Errorf(placements.CodeTooDeep,
			"The body nests deeper than %d levels: send it with fewer objects and arrays inside each other.", c.frame.Limits.Depth)
	}
	return faults, err
}

// Raw returns the whole body, which is read once, up to the limit of all bodies.
func (c *Call) Raw() ([]byte, error) { return c.RawUpTo(c.frame.Limits.Body) }

// Replace puts another body in the place of the one that was sent.
func (c *Call) Replace(raw []byte) { c.body, c.bodyRead = raw, true }

// RawUpTo returns the whole body of at most so many bytes, which is read once.
func (c *Call) RawUpTo(most int64) ([]byte, error) {
	if c.bodyRead {
		return c.body, nil
	}
	raw, err := readUpTo(c, most)
	if err == nil {
		c.Replace(raw)
	}
	return raw, err
}

// Unpacked refuses a request whose body is compressed.
func (c *Call) Unpacked() error {
	packed := c.Header("Content-Encoding")
	if packed == "" || strings.EqualFold(packed, "identity") || c.Request.ContentLength == 0 {
		return nil
	}
	return placements.Errorf(placements.CodePacked,
		"The body is sent as Content-Encoding: %.80s: send it unpacked, without that header.", packed)
}

// readUpTo reads the whole body of at most so many bytes.
func readUpTo(c *Call, most int64) ([]byte, error) {
	if err := c.Unpacked(); err != nil {
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
	_, err := raw.ReadFrom(http.MaxBytesReader(c.gin.Writer, c.Request.Body, most))
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

// Strict reports whether the request carries Prefer: handling=strict, and then says that this was applied.
func (c *Call) Strict() bool { return c.Applies("handling", "strict") }

// Applies reports whether the request carries that preference with that value, and then says once in Preference-Applied that it was applied.
func (c *Call) Applies(preference, wanted string) bool {
	if !prefers(c, preference, wanted) {
		return false
	}
	const header = "Preference-Applied"
	switch said, applied := c.gin.Writer.Header().Get(header), preference+"="+wanted; {
	case said == "":
		c.Set(header, applied)
	case !strings.Contains(said, applied):
		c.Set(header, said+", "+applied)
	}
	return true
}

// prefers reports whether the request carries that preference with that value (RFC 7240).
func prefers(c *Call, preference, wanted string) bool {
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
