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
	jsonv2 "github.com/go-json-experiment/json"

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
	return s.decodeBytes(c, raw, of)
}

// decodeOptional is decode for requests whose body may be missing, which then is an empty object.
func (s *Server) decodeOptional(c *gin.Context, of shape) (values, error) {
	v, k, err := s.examineOptional(c, of)
	if err != nil {
		return nil, err
	}
	return v, k.err()
}

// decodeBytes is decode for a body that was read already.
func (s *Server) decodeBytes(c *gin.Context, raw []byte, of shape) (values, error) {
	v, k, err := s.parse(c, raw, of)
	if err != nil {
		return nil, err
	}
	return v, k.err()
}

// examine is decode for bodies whose shape is not all that can be wrong: the check holds the faults so far. With faults the values may be
// of any type, and nil when the body is no object.
func (s *Server) examine(c *gin.Context, of shape) (values, *check, error) {
	raw, err := s.readBody(c)
	if err != nil {
		return nil, nil, err
	}
	return s.parse(c, raw, of)
}

// examineOptional is to examine what decodeOptional is to decode.
func (s *Server) examineOptional(c *gin.Context, of shape) (values, *check, error) {
	raw, err := s.readBody(c)
	if err != nil || blank(raw) {
		return values{}, &check{}, err
	}
	return s.parse(c, raw, of)
}

// blank tells whether a body holds nothing.
func blank(raw []byte) bool { return len(bytes.TrimSpace(raw)) == 0 }

func (s *Server) parse(c *gin.Context, raw []byte, of shape) (values, *check, error) {
	if blank(raw) {
		return nil, nil, refuse(codeMalformed, "Send a JSON object as the request body.")
	}
	if !isJSON(c.GetHeader("Content-Type")) {
		return nil, nil, refuse(codeMediaType, "Send the body as Content-Type: application/json.")
	}
	if depth(raw) > s.limits.Depth {
		return nil, nil, refuse(codeTooDeep, "The body nests deeper than %d levels: send it with fewer objects and arrays inside each other.", s.limits.Depth)
	}
	v, err := unmarshal(raw)
	if err != nil {
		return nil, nil, err
	}
	k := &check{strict: strict(c)}
	of(k, v)
	object, _ := v.(map[string]any)
	return object, k, nil
}

// readBody reads the whole body up to the limit.
func (s *Server) readBody(c *gin.Context) ([]byte, error) {
	if n := c.Request.ContentLength; 0 <= n && n <= min(maxTrusted, s.limits.Body) {
		raw := make([]byte, n)
		if _, err := io.ReadFull(c.Request.Body, raw); err != nil {
			return nil, refuse(codeMalformed, "The body could not be read to its end: send all the bytes that Content-Length announces.").because(err)
		}
		return raw, nil
	}
	var raw bytes.Buffer
	raw.Grow(int(min(max(c.Request.ContentLength, 0), maxTrusted)) + bytes.MinRead)
	_, err := raw.ReadFrom(http.MaxBytesReader(c.Writer, c.Request.Body, s.limits.Body))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, refuse(codeTooLarge, "The body is larger than %d bytes: send less at once.", s.limits.Body)
	}
	if err != nil {
		return nil, refuse(codeMalformed, "The body could not be read to its end: send all the bytes that Content-Length announces.").because(err)
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

// strict tells whether the request carries Prefer: handling=strict.
func strict(c *gin.Context) bool { return prefers(c, "handling", "strict") }

// prefers tells whether the request carries that preference with that value (RFC 7240).
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

// boolean returns what v says about a boolean key.
func (v values) boolean(name string) storage.Optional[bool] {
	return said(v, name, func(value any) bool {
		b, _ := value.(bool)
		return b
	})
}

// plain returns a string key, empty when it is missing or null.
func (v values) plain(name string) string {
	s, _ := v[name].(string)
	return s
}

// flag returns a boolean key, false when it is missing or null.
func (v values) flag(name string) bool {
	b, _ := v[name].(bool)
	return b
}

// texts returns an array of strings; never nil.
func (v values) texts(name string) []string {
	elements, _ := v[name].([]any)
	list := make([]string, len(elements))
	for i, e := range elements {
		list[i], _ = e.(string)
	}
	return list
}

// into decodes a key that has passed its shape into a struct.
func into[T any](v values, name string) (storage.Optional[T], error) {
	raw := v.json(name)
	if raw.Value == nil {
		return storage.Optional[T]{Sent: raw.Sent}, nil
	}
	var t T
	err := jsonv2.Unmarshal(*raw.Value, &t)
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

// canonical encodes a decoded value: keys sorted, no spaces, numbers as sent.
func canonical(v any) json.RawMessage {
	text, _ := encode(v) // what was decoded from JSON always encodes
	return text
}
