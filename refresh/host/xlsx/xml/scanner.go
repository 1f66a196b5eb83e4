package xml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Kind is what a token of an XML document is.
type Kind uint8

const (
	Start Kind = iota // <a …>
	Empty             // <a …/>
	End               // </a>
	Text
	CDATA
	Other // a comment or a processing instruction
)

// Bounds of what one document may make the scanner hold in memory.
const (
	BufferSize = 128 << 10
	maxToken   = 8 << 20
	maxDepth   = 256
)

var ErrXML = errors.New("not well-formed XML")

// Scanner cuts an XML document into tokens that together are its bytes, so that what is not understood can be copied as
// it stands. It is of UTF-8. It checks nesting, refuses document types, and holds one token at a time. Elements in a branch
// of AlternateContent that does not count are tokens without a meaning: is, opens and closes report false.
type Scanner struct {
	Kind  Kind
	name  []byte // of a start, empty or end tag, prefix included
	Attrs []byte // of a start or empty tag, as written
	Raw   []byte // the whole token
	From  int64  // offset of raw in the document

	NS   string // prefix of the names that is looks for, colon included; empty for the default namespace
	r    io.Reader
	buf  []byte
	pos  int // first byte not yet returned
	end  int // first byte not yet read
	base int64
	eof  bool

	names []byte // of the open elements, one after the other
	open  []int  // where each begins in names

	alternates alternates
}

func NewScanner(r io.Reader) *Scanner {
	return &Scanner{r: r, buf: make([]byte, BufferSize)}
}

// Reset makes the scanner one of another document.
func (s *Scanner) Reset(r io.Reader) {
	*s = Scanner{r: r, buf: s.buf, names: s.names[:0], open: s.open[:0]}
}

// Next reads the next token into the scanner's fields, which hold until the following call. It returns io.EOF after the last.
func (s *Scanner) Next() error {
	for {
		done, err := s.cut(s.buf[s.pos:s.end])
		if done || err != nil {
			return err
		}
		if s.eof {
			return s.finish()
		}
		if err := s.fill(); err != nil {
			return err
		}
	}
}

// finish makes what is left before the document's end the last token.
func (s *Scanner) finish() error {
	if len(s.open) > 0 {
		return fmt.Errorf("%w: it ends inside <%s>", ErrXML, s.names[s.open[len(s.open)-1]:])
	}
	rest := s.buf[s.pos:s.end]
	if len(rest) == 0 {
		return io.EOF
	}
	if rest[0] == '<' {
		return fmt.Errorf("%w: it ends inside a tag", ErrXML)
	}
	return s.take(Text, len(rest))
}

// fill reads more of the document behind the bytes not yet returned.
func (s *Scanner) fill() error {
	if s.pos > 0 {
		s.base += int64(s.pos)
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= maxToken {
			return fmt.Errorf("%w: a token of more than %d bytes", ErrXML, maxToken)
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := s.r.Read(s.buf[s.end:])
	s.end += n
	if err == io.EOF {
		s.eof, err = true, nil
	}
	return err
}

// cut makes a token of the beginning of b; false when b holds no whole one yet.
func (s *Scanner) cut(b []byte) (bool, error) {
	if len(b) < 2 {
		return false, nil
	}
	if b[0] != '<' {
		n := bytes.IndexByte(b, '<')
		return n > 0, s.take(Text, n)
	}
	switch b[1] {
	case '!':
		return s.cutDeclaration(b)
	case '?':
		return s.cutUntil(b, Other, "?>")
	case '/':
		n := bytes.IndexByte(b, '>')
		if n < 0 {
			return false, nil
		}
		s.name = b[2:n]
		for len(s.name) > 0 && isXMLSpace(s.name[len(s.name)-1]) {
			s.name = s.name[:len(s.name)-1]
		}
		if err := s.pop(); err != nil {
			return false, err
		}
		return true, s.take(End, n+1)
	}
	return s.cutTag(b)
}

// cutTag makes a token of a start or empty tag. A '>' inside an attribute's value does not end it.
func (s *Scanner) cutTag(b []byte) (bool, error) {
	var quote byte
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return false, fmt.Errorf("%w: '<' inside a tag", ErrXML)
		case c == '>':
			return true, s.tag(b[:i+1])
		}
	}
	return false, nil
}

func (s *Scanner) tag(b []byte) error {
	kind, inner := Start, b[1:len(b)-1]
	if n := len(inner); n > 0 && inner[n-1] == '/' {
		kind, inner = Empty, inner[:n-1]
	}
	n := 0
	for n < len(inner) && !isXMLSpace(inner[n]) {
		n++
	}
	if n == 0 {
		return fmt.Errorf("%w: a tag without a name", ErrXML)
	}
	s.name, s.Attrs = inner[:n], inner[n:]
	if kind == Start {
		if len(s.open) == maxDepth {
			return fmt.Errorf("%w: nested deeper than %d", ErrXML, maxDepth)
		}
		s.open = append(s.open, len(s.names))
		s.names = append(s.names, s.name...)
		s.alternates.enter(s.name, s.Attrs, len(s.open))
	} else if len(s.alternates.open) > 0 {
		s.alternates.enter(s.name, s.Attrs, len(s.open)+1)
		s.alternates.leave(len(s.open))
	}
	return s.take(kind, len(b))
}

// pop closes the innermost element, which must be the one that the end tag names.
func (s *Scanner) pop() error {
	last := len(s.open) - 1
	if last < 0 || !bytes.Equal(s.names[s.open[last]:], s.name) {
		return fmt.Errorf("%w: </%s> closes nothing", ErrXML, s.name)
	}
	s.names, s.open = s.names[:s.open[last]], s.open[:last]
	s.alternates.leave(last)
	return nil
}

// cutDeclaration makes a token of a comment or a CDATA section.
func (s *Scanner) cutDeclaration(b []byte) (bool, error) {
	const comment, cdata = "<!--", "<![CDATA["
	switch {
	case bytes.HasPrefix(b, []byte(comment)):
		return s.cutUntil(b, Other, "-->")
	case bytes.HasPrefix(b, []byte(cdata)):
		return s.cutUntil(b, CDATA, "]]>")
	case len(b) >= len(cdata):
		return false, fmt.Errorf("%w: a document type or other declaration", ErrXML)
	}
	return false, nil
}

func (s *Scanner) cutUntil(b []byte, kind Kind, close string) (bool, error) {
	n := bytes.Index(b, []byte(close))
	if n < 0 {
		return false, nil
	}
	n += len(close)
	return true, s.take(kind, n)
}

// take makes the next n bytes the token.
func (s *Scanner) take(kind Kind, n int) error {
	if n <= 0 {
		return nil // the token is not whole yet
	}
	s.Kind, s.Raw, s.From = kind, s.buf[s.pos:s.pos+n], s.base+int64(s.pos)
	s.pos += n
	return nil
}

// To is the offset behind the token in the document.
func (s *Scanner) To() int64 { return s.From + int64(len(s.Raw)) }

// Bulk takes what lies before end, the end tag of the open element, as one text token. It declines when that is not all in memory, or when
// a tag in it begins with one of the bytes in except; the caller then goes through it token by token.
func (s *Scanner) Bulk(end, except string) bool {
	rest := s.buf[s.pos:s.end]
	for n := 0; ; n++ {
		i := bytes.IndexByte(rest[n:], '<')
		if n += i; i < 0 || len(rest)-n < len(end) {
			return false
		}
		if rest[n+1] == '/' && string(rest[n:n+len(end)]) == end {
			_ = s.take(Text, n)
			return n > 0
		}
		name := rest[n+1:]
		if len(s.NS) > 0 && bytes.HasPrefix(name, []byte(s.NS)) {
			name = name[len(s.NS):]
		}
		if len(name) == 0 || strings.IndexByte(except, name[0]) >= 0 {
			return false
		}
	}
}

// Depth is how many elements are open after the token.
func (s *Scanner) Depth() int { return len(s.open) }

// Opens reports whether the token begins element local of the scanner's namespace, empty or not.
func (s *Scanner) Opens(local string) bool { return s.Kind <= Empty && s.Is(local) }

// Closes reports whether the token ends element local, either as its end tag or because it is empty.
func (s *Scanner) Closes(local string) bool {
	return (s.Kind == End || s.Kind == Empty) && s.Is(local)
}

// InRoot reports whether the token begins a child of the root element. A branch of AlternateContent stands for what is in it.
func (s *Scanner) InRoot() bool {
	parent := len(s.open)
	if s.Kind == Start {
		parent--
	}
	return parent == 1+2*len(s.alternates.open)
}

func (s *Scanner) Is(local string) bool {
	n := len(s.NS)
	return s.alternates.hidden == 0 && len(s.name) == n+len(local) && string(s.name[n:]) == local && string(s.name[:n]) == s.NS
}

// Counts reports whether the token begins an element that programs read: none in a branch of AlternateContent that does not count.
func (s *Scanner) Counts() bool { return s.alternates.hidden == 0 }

// Attr is the value of an attribute of the token, entities replaced.
func (s *Scanner) Attr(name string) string {
	v, _ := Attr(s.Attrs, name)
	return string(Unescape(nil, v))
}

// Root reads up to the root element, which must be local, and takes its prefix for the names to come. What stands before it goes to
// before, which may be nil.
func (s *Scanner) Root(local string, before io.Writer) error {
	for {
		if err := s.Next(); err == io.EOF {
			return fmt.Errorf("%w: it is empty", ErrXML)
		} else if err != nil {
			return err
		}
		if s.Kind <= Empty {
			break
		}
		if before == nil {
			continue
		}
		if _, err := before.Write(s.Raw); err != nil {
			return err
		}
	}
	colon := bytes.IndexByte(s.name, ':') + 1
	if string(s.name[colon:]) != local {
		return fmt.Errorf("%w: it begins with <%s> instead of <%s>", ErrXML, s.name, local)
	}
	s.NS = string(s.name[:colon])
	return nil
}
