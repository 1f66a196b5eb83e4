package checksum

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"
)

// canonical reports whether s is the text of a cell as it is: valid UTF-8 whose line ends are LF alone.
func canonical(s string) bool {
	p := unsafe.Slice(unsafe.StringData(s), len(s))
	for len(p) >= 8 && unusual(binary.LittleEndian.Uint64(p))&tops == 0 {
		p = p[8:]
	}
	for len(p) > 0 {
		c := p[0]
		switch {
		case c == '\r':
			return false
		case c < utf8.RuneSelf:
			p = p[1:]
		case c >= 0xC2 && c < 0xE0 && len(p) > 1 && p[1]&0xC0 == 0x80: // two bytes: most letters beyond ASCII
			p = p[2:]
		default:
			_, n := utf8.DecodeRune(p)
			if n == 1 {
				return false
			}
			p = p[n:]
		}
	}
	return true
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// unusual sets the top bit of a byte where one of eight bytes is not ASCII or CR, or follows such a one; other bits mean
// nothing. A byte of the difference from eight CRs is zero exactly where a CR is, and subtracting one borrows through it.
func unusual(w uint64) uint64 {
	diff := w ^ '\r'*ones
	return w | (diff-ones)&^diff
}

// appendCanonical appends s with CRLF and CR as LF and each run of invalid bytes as one U+FFFD.
func appendCanonical(dst []byte, s string) []byte {
	valid := true
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			if valid {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
			valid = false
			i++
			continue
		case r == '\r':
			dst = append(dst, '\n')
			if i+1 < len(s) && s[i+1] == '\n' {
				n = 2
			}
		default:
			dst = append(dst, s[i:i+n]...)
		}
		valid = true
		i += n
	}
	return dst
}
