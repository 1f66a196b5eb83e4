package xml

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

func isXMLSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// NextAttr cuts the first attribute off a tag's attributes. The name is empty when none is left. value is as written.
func NextAttr(attrs []byte) (name, value, rest []byte) {
	attrs = skipXMLSpace(attrs)
	n := 0
	for n < len(attrs) && attrs[n] != '=' && !isXMLSpace(attrs[n]) {
		n++
	}
	name, rest = attrs[:n], skipXMLSpace(attrs[n:])
	if len(rest) == 0 || rest[0] != '=' {
		return nil, nil, nil
	}
	rest = skipXMLSpace(rest[1:])
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return nil, nil, nil
	}
	n = bytes.IndexByte(rest[1:], rest[0])
	if n < 0 {
		return nil, nil, nil
	}
	return name, rest[1 : 1+n], rest[n+2:]
}

func skipXMLSpace(b []byte) []byte {
	for len(b) > 0 && isXMLSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// Attr is the value of one attribute, as written.
func Attr(attrs []byte, name string) ([]byte, bool) {
	from, to := attrSpan(attrs, name)
	return attrs[max(from, 0):max(to, 0)], from >= 0
}

// attrSpan is where an attribute's value stands in attrs, quotes left out; -1 when there is none.
func attrSpan(attrs []byte, name string) (from, to int) {
	for rest := attrs; ; {
		var n, v []byte
		n, v, rest = NextAttr(rest)
		if len(n) == 0 {
			return -1, -1
		}
		if string(n) == name {
			to = len(attrs) - len(rest) - 1
			return to - len(v), to
		}
	}
}

// SetAttr returns a tag's attributes with one of them set, the others as they were written.
func SetAttr(attrs []byte, name, value string) []byte {
	v := AppendText(nil, value, true)
	if from, to := attrSpan(attrs, name); from >= 0 {
		return slices.Concat(attrs[:from], v, attrs[to:])
	}
	return slices.Concat(bytes.TrimRight(attrs, " \t\r\n"), []byte(" "+name+`="`), v, []byte{'"'})
}

// Unescape appends src to dst with entities replaced and line ends made LF, as an XML reader does.
func Unescape(dst, src []byte) []byte {
	for i := 0; i < len(src); i++ {
		switch c := src[i]; c {
		case '\r':
			if i+1 == len(src) || src[i+1] != '\n' {
				dst = append(dst, '\n')
			}
		case '&':
			n := bytes.IndexByte(src[i:], ';')
			if n < 2 {
				dst = append(dst, c)
				continue
			}
			dst = appendEntity(dst, src[i:i+n+1])
			i += n
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendEntity appends what ref, an entity reference such as &lt; or &#x41;, stands for; an unknown one stays as it is.
func appendEntity(dst, ref []byte) []byte {
	name := string(ref[1 : len(ref)-1])
	switch name {
	case "lt":
		return append(dst, '<')
	case "gt":
		return append(dst, '>')
	case "amp":
		return append(dst, '&')
	case "quot":
		return append(dst, '"')
	case "apos":
		return append(dst, '\'')
	}
	base, digits := 10, ""
	if name[0] == '#' {
		digits = name[1:]
	}
	if len(digits) > 1 && (digits[0] == 'x' || digits[0] == 'X') {
		base, digits = 16, digits[1:]
	}
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil {
		return append(dst, ref...)
	}
	return utf8.AppendRune(dst, rune(n))
}

// AppendText appends s as character data, or as an attribute's value.
func AppendText(dst []byte, s string, attribute bool) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<':
			dst = append(dst, "&lt;"...)
		case c == '>':
			dst = append(dst, "&gt;"...)
		case c == '&':
			dst = append(dst, "&amp;"...)
		case c == '"' && attribute:
			dst = append(dst, "&quot;"...)
		case (c == '\n' || c == '\t' || c == '\r') && attribute:
			dst = append(strconv.AppendInt(append(dst, "&#"...), int64(c), 10), ';')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// Edit replaces bytes [from,to) of a document.
type Edit struct {
	From, To int64
	With     []byte
}

// Apply returns doc with edits, which do not overlap, made.
func Apply(doc []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return int(a.From - b.From) })
	size, at := len(doc), int64(0)
	for _, e := range edits {
		size += len(e.With)
	}
	out := make([]byte, 0, size)
	for _, e := range edits {
		out = append(append(out, doc[at:e.From]...), e.With...)
		at = e.To
	}
	return append(out, doc[at:]...)
}
