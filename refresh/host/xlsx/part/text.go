package part

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"mooring/refresh/host/xlsx/xml"
)

// A text of a workbook writes a UTF-16 unit that XML cannot hold as _xHHHH_, and an underscore that would begin such an escape as _x005F_.
const escaped = len("_xHHHH_")

// ReadText appends the text of the element whose start tag s stands at (si or is) and moves to its end. Runs of rich text are
// joined; phonetic hints are not part of it.
func ReadText(s *xml.Scanner, dst []byte) ([]byte, error) {
	if s.Kind == xml.Empty {
		return dst, nil
	}
	depth, phonetic, from := s.Depth(), 0, -1
	for {
		if err := s.Next(); err != nil {
			return dst, err
		}
		switch {
		case s.Depth() < depth:
			return dst, nil
		case s.Kind == xml.Start && s.Is("rPh"):
			phonetic = s.Depth()
		case phonetic > 0:
			if s.Depth() < phonetic {
				phonetic = 0
			}
		case s.Kind == xml.Start && s.Is("t"):
			from = len(dst)
		case s.Kind == xml.End && s.Is("t"):
			dst, from = DecodeText(dst, from), -1
		case from >= 0:
			dst = s.AppendContent(dst)
		}
	}
}

// DecodeText replaces the escapes in dst[from:] in place.
func DecodeText(dst []byte, from int) []byte {
	if !bytes.Contains(dst[from:], []byte("_x")) {
		return dst
	}
	src, out := bytes.Clone(dst[from:]), dst[:from]
	for i := 0; i < len(src); {
		unit, ok := escapeAt(src[i:])
		if !ok {
			out = append(out, src[i])
			i++
			continue
		}
		i += escaped
		r := rune(unit)
		if low, ok := escapeAt(src[i:]); ok && utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, rune(low)); pair != utf8.RuneError {
				r, i = pair, i+escaped
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// escapeAt reads the escape that b begins with.
func escapeAt(b []byte) (unit uint16, ok bool) {
	if len(b) < escaped || b[0] != '_' || b[1] != 'x' || b[6] != '_' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(c)
	}
	return unit, true
}

func isEscape(s string) bool {
	_, ok := escapeAt([]byte(s))
	return ok
}

// AppendText appends s, a cell's text, as character data.
func AppendText(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); i++ {
		var escape string
		switch c := s[i]; {
		case c == '_':
			// Whatever follows xHHHH: the next escape begins with the underscore that would make this one.
			if rest := s[i:]; len(rest) >= escaped-1 && isEscape(rest[:escaped-1]+"_") {
				escape = "_x005F_"
			}
		case c < ' ' && c != '\t' && c != '\n':
			const digits = "0123456789ABCDEF"
			escape = "_x00" + string(digits[c>>4]) + string(digits[c&15]) + "_"
		case c == 0xEF && i+2 < len(s) && s[i+1] == 0xBF && s[i+2] >= 0xBE: // U+FFFE, U+FFFF
			escape = "_xFFF" + string("EF"[s[i+2]&1]) + "_"
		}
		if escape == "" {
			continue
		}
		dst = append(xml.AppendText(dst, s[from:i], false), escape...)
		if from = i + 1; s[i] == 0xEF {
			from, i = i+3, i+2
		}
	}
	return xml.AppendText(dst, s[from:], false)
}
