package xml

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// declaration is how many bytes of a document may be its XML declaration.
const declaration = 512

// UTF8Reader returns an XML document in UTF-8, whatever it is encoded in, with a declaration that says so.
func UTF8Reader(r io.Reader) (io.Reader, error) {
	doc := bufio.NewReaderSize(r, declaration)
	head, err := peek(doc)
	if err != nil {
		return nil, err
	}
	if isUTF16(head) {
		doc = bufio.NewReaderSize(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(doc), declaration)
		if head, err = peek(doc); err != nil {
			return nil, err
		}
		return declareUTF8(doc, head), nil
	}
	from, to := encodingSpan(head)
	name := encodingName(string(head[from:to]))
	switch name {
	case "", "utf8", "usascii":
		return doc, nil
	case "utf16": // written by a program that then saved its text otherwise
		return declareUTF8(doc, head), nil
	case "latin1":
		name = "iso88591"
	}
	for _, e := range charmap.All {
		if c, ok := e.(*charmap.Charmap); ok && encodingName(c.String()) == name {
			return decode(doc, head, c), nil
		}
	}
	return nil, fmt.Errorf("%w: encoded as %q", ErrXML, head[from:to])
}

// peek returns the beginning of a document without taking it.
func peek(doc *bufio.Reader) ([]byte, error) {
	head, err := doc.Peek(declaration)
	if err == io.EOF {
		err = nil
	}
	return head, err
}

// isUTF16 reports whether a document begins as one in UTF-16 does, with a byte order mark or without.
func isUTF16(head []byte) bool {
	for _, begin := range []string{"\xFF\xFE", "\xFE\xFF", "<\x00"} {
		if bytes.HasPrefix(head, []byte(begin)) {
			return true
		}
	}
	return false
}

// encodingName is the name of an encoding without what its spellings differ by.
func encodingName(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// encodingSpan is where the XML declaration that a document begins with names its encoding; empty when it does not.
func encodingSpan(head []byte) (from, to int) {
	const begin = "<?xml"
	text := bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	mark := len(head) - len(text)
	end := bytes.Index(text, []byte("?>"))
	if end < 0 || !bytes.HasPrefix(text, []byte(begin)) {
		return 0, 0
	}
	if from, to = attrSpan(text[len(begin):end], "encoding"); from < 0 {
		return 0, 0
	}
	return mark + len(begin) + from, mark + len(begin) + to
}

// decode returns a document in UTF-8 whose bytes stand for characters of their own.
func decode(doc *bufio.Reader, head []byte, from encoding.Encoding) io.Reader {
	return from.NewDecoder().Reader(declareUTF8(doc, head))
}

// declareUTF8 returns a document, which begins with head, with UTF-8 as its declared encoding if it declares one.
func declareUTF8(doc *bufio.Reader, head []byte) io.Reader {
	from, to := encodingSpan(head)
	if from == to {
		return doc
	}
	begin := slices.Concat(head[:from], []byte("UTF-8"))
	_, _ = doc.Discard(to) // was peeked
	return io.MultiReader(bytes.NewReader(begin), doc)
}
