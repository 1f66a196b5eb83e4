package checksum

import "unicode/utf8"

// canonical tells whether s is the text of a cell as it is: valid UTF-8 whose line ends are LF alone.
func canonical(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\r' {
			return false
		}
		if s[i] >= utf8.RuneSelf {
			return canonicalBeyondASCII(s[i:])
		}
	}
	return true
}

func canonicalBeyondASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '\r' {
			return false
		}
	}
	return utf8.ValidString(s)
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
