package cube

import (
	"encoding/json"
	"errors"
	"io"
)

// tokenStream reads an answer of Cube piece by piece, so that no more of it is in memory than a value that is asked for. A value beyond the
// limit is errTooLong.
type tokenStream struct {
	*json.Decoder
	body  io.Reader
	limit int // bytes of one value
	left  int // of the value being read
}

var errTooLong = errors.New("cube: a value of the answer is beyond the limit")

func newCubeStream(body io.Reader, limit int) *tokenStream {
	s := &tokenStream{body: body, limit: limit, left: limit}
	s.Decoder = json.NewDecoder((*boundedBody)(s))
	return s
}

// boundedBody is what a tokenStream's decoder reads.
type boundedBody tokenStream

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// value decodes the next value.
func (s *tokenStream) value(into any) error {
	s.left = s.limit
	return amid(s.Decode(into))
}

// delimiter reads one that must come next.
func (s *tokenStream) delimiter(want json.Delim) error {
	s.left = s.limit
	token, err := s.Token()
	if err == nil && token != want {
		return unexpected(nil)
	}
	return amid(err)
}

// members reads the object whose opening brace was read. visit takes the value of each key it knows and reports whether it did.
func (s *tokenStream) members(visit func(key string) (known bool, err error)) error {
	for s.More() {
		key, err := s.Token()
		if err != nil {
			return amid(err)
		}
		name, _ := key.(string)
		known, err := visit(name)
		if err == nil && !known {
			err = s.value(new(json.RawMessage))
		}
		if err != nil {
			return err
		}
	}
	return s.delimiter('}')
}

// elements reads an array; one takes each of its values.
func (s *tokenStream) elements(one func() error) error {
	if err := s.delimiter('['); err != nil {
		return err
	}
	for s.More() {
		if err := one(); err != nil {
			return err
		}
	}
	return s.delimiter(']')
}

// amid makes the end of an answer within a value an error of its own.
func amid(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
