package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// values is a decoded JSON object that has passed its shape. Numbers are json.Number.
type values map[string]any

// decode reads the request's JSON object and checks it against its shape; all faults come back in one error.
func (s *Server) decode(c *gin.Context, of shape) (values, error) {
	raw, err := s.readBody(c)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, refuse(codeMalformed, "Send a JSON object as the request body.")
	}
	return s.parse(c, raw, of)
}

// decodeOptional is decode for requests whose body may be missing, which then is an empty object.
func (s *Server) decodeOptional(c *gin.Context, of shape) (values, error) {
	raw, err := s.readBody(c)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return values{}, nil
	}
	return s.parse(c, raw, of)
}

func (s *Server) parse(c *gin.Context, raw []byte, of shape) (values, error) {
	if !isJSON(c.GetHeader("Content-Type")) {
		return nil, refuse(codeMediaType, "Send the body as Content-Type: application/json.")
	}
	if depth(raw) > s.limits.Depth {
		return nil, refuse(codeInvalid, "The body nests deeper than %d levels.", s.limits.Depth)
	}
	v, err := unmarshal(raw)
	if err != nil {
		return nil, refuse(codeMalformed, "The body is not valid JSON: %v.", err)
	}
	k := &check{strict: strict(c)}
	of(k, v)
	if err := k.err(codeInvalid); err != nil {
		return nil, err
	}
	return values(v.(map[string]any)), nil
}

// readBody reads the whole body up to the limit.
func (s *Server) readBody(c *gin.Context) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, s.limits.Body))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, refuse(codeTooLarge, "The body is larger than %d bytes.", s.limits.Body)
	}
	if err != nil {
		return nil, refuse(codeMalformed, "The body could not be read.").because(err)
	}
	return raw, nil
}

// unmarshal decodes exactly one JSON value, its numbers as they stand.
func unmarshal(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("it ends too early")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the first value")
	}
	return v, nil
}

// isJSON accepts application/json and …+json; a missing type is taken as JSON.
func isJSON(contentType string) bool {
	if contentType == "" || contentType == "application/json" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// strict tells whether the request carries Prefer: handling=strict (RFC 7240).
func strict(c *gin.Context) bool {
	for _, header := range c.Request.Header["Prefer"] {
		for preference := range strings.SplitSeq(header, ",") {
			p, _, _ := strings.Cut(preference, ";")
			name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
			if strings.EqualFold(strings.TrimSpace(name), "handling") && strings.EqualFold(strings.Trim(strings.TrimSpace(value), `"`), "strict") {
				return true
			}
		}
	}
	return false
}

// depth is how deep objects and arrays nest. It is found before decoding, so that a hostile body costs one pass.
func depth(raw []byte) int {
	deepest, now, inString, escaped := 0, 0, false, false
	for _, b := range raw {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = b == '\\'
			inString = b != '"'
		case b == '"':
			inString = true
		case b == '{' || b == '[':
			now++
			deepest = max(deepest, now)
		case b == '}' || b == ']':
			now--
		}
	}
	return deepest
}

// text returns what v says about a string key.
func (v values) text(name string) storage.Optional[string] {
	return said(v, name, func(value any) string {
		s, _ := value.(string)
		return s
	})
}

// integer returns what v says about an integer key.
func (v values) integer(name string) storage.Optional[int64] {
	return said(v, name, func(value any) int64 {
		n, _ := whole(value)
		return n
	})
}

// json returns what v says about a key of any type, as canonical JSON.
func (v values) json(name string) storage.Optional[json.RawMessage] {
	return said(v, name, canonical)
}

// flag returns a boolean key, false when it is missing or null.
func (v values) flag(name string) bool {
	b, _ := v[name].(bool)
	return b
}

// into decodes a key that has passed its shape into a struct.
func into[T any](v values, name string) (storage.Optional[T], error) {
	raw := v.json(name)
	if raw.Value == nil {
		return storage.Optional[T]{Sent: raw.Sent}, nil
	}
	var t T
	err := json.Unmarshal(*raw.Value, &t)
	return storage.Sent(t), err
}

// said tells an absent key, null and a value apart (decisions.md §1).
func said[T any](v values, name string, as func(any) T) storage.Optional[T] {
	value, sent := v[name]
	switch {
	case !sent:
		return storage.Optional[T]{}
	case value == nil:
		return storage.Null[T]()
	}
	return storage.Sent(as(value))
}

// canonical encodes a decoded value: keys sorted, no spaces, numbers as sent, nothing escaped for HTML.
func canonical(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // what was decoded from JSON always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
