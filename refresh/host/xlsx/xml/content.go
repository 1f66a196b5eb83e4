package xml

import "io"

// AppendContent appends the characters of a text token, none for any other.
func (s *Scanner) AppendContent(dst []byte) []byte {
	switch s.Kind {
	case Text:
		return Unescape(dst, s.Raw)
	case CDATA:
		return append(dst, s.Raw[len("<![CDATA["):len(s.Raw)-len("]]>")]...)
	}
	return dst
}

// True reports whether an attribute's value stands for true.
func True(v string) bool { return v == "1" || v == "true" || v == "on" }

// Unexpected is err, but for the end of a document in the midst of an element.
func Unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
