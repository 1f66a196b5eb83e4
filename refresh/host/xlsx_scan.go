package host

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// xmlKind is what a token of an XML document is.
type xmlKind uint8

const (
	xmlStart xmlKind = iota // <a …>
	xmlEmpty                // <a …/>
	xmlEnd                  // </a>
	xmlText
	xmlCDATA
	xmlOther // a comment or a processing instruction
)

// Bounds of what one document may make the scanner hold in memory.
const (
	xmlBuffer   = 128 << 10
	xmlMaxToken = 8 << 20
	xmlMaxDepth = 256
)

var errXML = errors.New("not well-formed XML")

// xmlScanner cuts an XML document into tokens that together are its bytes, so that what is not understood can be copied as
// it stands. It is of UTF-8. It checks nesting, refuses document types, and holds one token at a time. Elements in a branch
// of AlternateContent that does not count are tokens without a meaning: is, opens and closes report false.
type xmlScanner struct {
	kind  xmlKind
	name  []byte // of a start, empty or end tag, prefix included
	attrs []byte // of a start or empty tag, as written
	raw   []byte // the whole token
	from  int64  // offset of raw in the document

	ns   string // prefix of the names that is looks for, colon included; empty for the default namespace
	r    io.Reader
	buf  []byte
	pos  int // first byte not yet given out
	end  int // first byte not yet read
	base int64
	eof  bool

	names []byte // of the open elements, one after the other
	open  []int  // where each begins in names

	alternates xmlAlternates
}

func newXMLScanner(r io.Reader) *xmlScanner {
	return &xmlScanner{r: r, buf: make([]byte, xmlBuffer)}
}

// next reads the next token into the scanner's fields, which hold until the following call. It returns io.EOF after the last.
func (s *xmlScanner) next() error {
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

// finish gives out what stands before the document's end.
func (s *xmlScanner) finish() error {
	if len(s.open) > 0 {
		return fmt.Errorf("%w: it ends inside <%s>", errXML, s.names[s.open[len(s.open)-1]:])
	}
	rest := s.buf[s.pos:s.end]
	if len(rest) == 0 {
		return io.EOF
	}
	if rest[0] == '<' {
		return fmt.Errorf("%w: it ends inside a tag", errXML)
	}
	return s.take(xmlText, len(rest))
}

// fill reads more of the document behind the bytes not yet given out.
func (s *xmlScanner) fill() error {
	if s.pos > 0 {
		s.base += int64(s.pos)
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		if len(s.buf) >= xmlMaxToken {
			return fmt.Errorf("%w: a token of more than %d bytes", errXML, xmlMaxToken)
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
func (s *xmlScanner) cut(b []byte) (bool, error) {
	if len(b) < 2 {
		return false, nil
	}
	if b[0] != '<' {
		n := bytes.IndexByte(b, '<')
		return n > 0, s.take(xmlText, n)
	}
	switch b[1] {
	case '!':
		return s.cutDeclaration(b)
	case '?':
		return s.cutUntil(b, xmlOther, "?>")
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
		return true, s.take(xmlEnd, n+1)
	}
	return s.cutTag(b)
}

// cutTag makes a token of a start or empty tag. A '>' inside an attribute's value does not end it.
func (s *xmlScanner) cutTag(b []byte) (bool, error) {
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
			return false, fmt.Errorf("%w: '<' inside a tag", errXML)
		case c == '>':
			return true, s.tag(b[:i+1])
		}
	}
	return false, nil
}

func (s *xmlScanner) tag(b []byte) error {
	kind, inner := xmlStart, b[1:len(b)-1]
	if n := len(inner); n > 0 && inner[n-1] == '/' {
		kind, inner = xmlEmpty, inner[:n-1]
	}
	n := 0
	for n < len(inner) && !isXMLSpace(inner[n]) {
		n++
	}
	if n == 0 {
		return fmt.Errorf("%w: a tag without a name", errXML)
	}
	s.name, s.attrs = inner[:n], inner[n:]
	if kind == xmlStart {
		if len(s.open) == xmlMaxDepth {
			return fmt.Errorf("%w: nested deeper than %d", errXML, xmlMaxDepth)
		}
		s.open = append(s.open, len(s.names))
		s.names = append(s.names, s.name...)
		s.alternates.enter(s.name, s.attrs, len(s.open))
	} else if len(s.alternates.open) > 0 {
		s.alternates.enter(s.name, s.attrs, len(s.open)+1)
		s.alternates.leave(len(s.open))
	}
	return s.take(kind, len(b))
}

// pop closes the innermost element, which must be the one that the end tag names.
func (s *xmlScanner) pop() error {
	last := len(s.open) - 1
	if last < 0 || !bytes.Equal(s.names[s.open[last]:], s.name) {
		return fmt.Errorf("%w: </%s> closes nothing", errXML, s.name)
	}
	s.names, s.open = s.names[:s.open[last]], s.open[:last]
	s.alternates.leave(last)
	return nil
}

// cutDeclaration makes a token of a comment or a CDATA section.
func (s *xmlScanner) cutDeclaration(b []byte) (bool, error) {
	const comment, cdata = "<!--", "<![CDATA["
	switch {
	case bytes.HasPrefix(b, []byte(comment)):
		return s.cutUntil(b, xmlOther, "-->")
	case bytes.HasPrefix(b, []byte(cdata)):
		return s.cutUntil(b, xmlCDATA, "]]>")
	case len(b) >= len(cdata):
		return false, fmt.Errorf("%w: a document type or other declaration", errXML)
	}
	return false, nil
}

func (s *xmlScanner) cutUntil(b []byte, kind xmlKind, close string) (bool, error) {
	n := bytes.Index(b, []byte(close))
	if n < 0 {
		return false, nil
	}
	n += len(close)
	return true, s.take(kind, n)
}

// take gives out the next n bytes as a token.
func (s *xmlScanner) take(kind xmlKind, n int) error {
	if n <= 0 {
		return nil // the token is not whole yet
	}
	s.kind, s.raw, s.from = kind, s.buf[s.pos:s.pos+n], s.base+int64(s.pos)
	s.pos += n
	return nil
}

// to is the offset behind the token in the document.
func (s *xmlScanner) to() int64 { return s.from + int64(len(s.raw)) }

// bulk takes what lies before end, the end tag of the open element, as one text token. It declines when that is not all in memory, or when a tag in it
// begins with one of the bytes in except; the caller then goes through it token by token.
func (s *xmlScanner) bulk(end, except string) bool {
	rest := s.buf[s.pos:s.end]
	for n := 0; ; n++ {
		i := bytes.IndexByte(rest[n:], '<')
		if n += i; i < 0 || len(rest)-n < len(end) {
			return false
		}
		if rest[n+1] == '/' && string(rest[n:n+len(end)]) == end {
			_ = s.take(xmlText, n)
			return n > 0
		}
		name := rest[n+1:]
		if len(s.ns) > 0 && bytes.HasPrefix(name, []byte(s.ns)) {
			name = name[len(s.ns):]
		}
		if len(name) == 0 || strings.IndexByte(except, name[0]) >= 0 {
			return false
		}
	}
}

// depth is how many elements are open after the token.
func (s *xmlScanner) depth() int { return len(s.open) }

// opens tells whether the token begins element local of the scanner's namespace, empty or not.
func (s *xmlScanner) opens(local string) bool { return s.kind <= xmlEmpty && s.is(local) }

// closes tells whether the token ends element local, either as its end tag or because it is empty.
func (s *xmlScanner) closes(local string) bool {
	return (s.kind == xmlEnd || s.kind == xmlEmpty) && s.is(local)
}

// inRoot reports whether the token begins a child of the root element. A branch of AlternateContent stands for what is in it.
func (s *xmlScanner) inRoot() bool {
	parent := len(s.open)
	if s.kind == xmlStart {
		parent--
	}
	return parent == 1+2*len(s.alternates.open)
}

func (s *xmlScanner) is(local string) bool {
	n := len(s.ns)
	return s.alternates.hidden == 0 && len(s.name) == n+len(local) && string(s.name[n:]) == local && string(s.name[:n]) == s.ns
}

// attr is the value of an attribute of the token, entities replaced.
func (s *xmlScanner) attr(name string) string {
	v, _ := xmlAttr(s.attrs, name)
	return string(xmlUnescape(nil, v))
}

// root reads up to the root element, which must be local, and takes its prefix for the names to come. What stands before it goes to
// before, which may be nil.
func (s *xmlScanner) root(local string, before io.Writer) error {
	for {
		if err := s.next(); err == io.EOF {
			return fmt.Errorf("%w: it is empty", errXML)
		} else if err != nil {
			return err
		}
		if s.kind <= xmlEmpty {
			break
		}
		if before == nil {
			continue
		}
		if _, err := before.Write(s.raw); err != nil {
			return err
		}
	}
	colon := bytes.IndexByte(s.name, ':') + 1
	if string(s.name[colon:]) != local {
		return fmt.Errorf("%w: it begins with <%s> instead of <%s>", errXML, s.name, local)
	}
	s.ns = string(s.name[:colon])
	return nil
}
