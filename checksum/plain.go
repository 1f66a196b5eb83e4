package checksum

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// short is the length below which the count of a row's cells, and a text's length, take one byte.
const short = 0x80

// Of a double: the exponent, all ones in NaN and the infinities, and −0.
const (
	exponent  = 0x7FF << 52
	minusZero = 1 << 63
)

// plainRow encodes a row of plain cells, as nearly all rows are, in one go and returns its length. It returns 0 when dst is
// too short or a cell needs more than copying; then the row takes the way of the single cells. long reports whether it holds a number that
// is not short15.
func plainRow(dst []byte, cells []Cell) (n int, long bool) {
	for len(cells) > 0 && blank(&cells[len(cells)-1]) {
		cells = cells[:len(cells)-1]
	}
	if len(cells) >= short || len(dst) == 0 {
		return 0, false
	}
	dst[0] = byte(len(cells))
	at := 1
	for i := range cells {
		c := &cells[i]
		if len(dst)-at < 9 {
			return 0, false
		}
		to := dst[at:]
		to[0] = byte(c.Kind)
		switch c.Kind {
		case Empty, True, False:
			at++
		case Number:
			bits := math.Float64bits(c.Number)
			if bits&exponent == exponent || bits == minusZero {
				return 0, false
			}
			long = long || !short15(c.Number)
			binary.BigEndian.PutUint64(to[1:], bits)
			at += 9
		case Text, Error:
			if c.Text == "" && c.Kind == Text {
				to[0] = byte(Empty)
				at++
				continue
			}
			n := plainText(to[1:], c.Text)
			if n == 0 {
				return 0, false
			}
			at += 1 + n
		default:
			return 0, false
		}
	}
	return at, long
}

func blank(c *Cell) bool {
	return c.Kind == Empty || c.Kind == Text && c.Text == ""
}

// plainText encodes the length and bytes of a canonical text. It returns 0 for other text, or when dst is too short. A short
// text of ASCII, as most are, is checked while it is copied.
func plainText(dst []byte, s string) int {
	n := len(s)
	if n >= short {
		return longText(dst, s)
	}
	if len(dst) <= n {
		return 0
	}
	dst[0] = byte(n)
	to, from := unsafe.Pointer(unsafe.SliceData(dst[1:])), unsafe.Pointer(unsafe.StringData(s)) // n bytes each
	var seen uint64
	switch {
	case n < 4:
		for i := range n {
			dst[1+i] = s[i]
			seen |= unusual(uint64(s[i]))
		}
	case n < 8:
		seen = copyHalf(to, from, 0) | copyHalf(to, from, n-4)
	case n <= 16:
		seen = copyWord(to, from, 0) | copyWord(to, from, n-8)
	default:
		for i := 0; i < n-16; i += 16 {
			seen |= copyWord(to, from, i) | copyWord(to, from, i+8)
		}
		seen |= copyWord(to, from, n-16) | copyWord(to, from, n-8)
	}
	if seen&tops != 0 && !canonical(s) {
		return 0
	}
	return 1 + n
}

// copyWord copies the eight bytes at that place, which both must have, and returns which are unusual. Copies may overlap.
func copyWord(to, from unsafe.Pointer, at int) uint64 {
	w := *(*uint64)(unsafe.Add(from, at))
	*(*uint64)(unsafe.Add(to, at)) = w
	return unusual(w)
}

// copyHalf is copyWord for four bytes.
func copyHalf(to, from unsafe.Pointer, at int) uint64 {
	w := *(*uint32)(unsafe.Add(from, at))
	*(*uint32)(unsafe.Add(to, at)) = w
	return unusual(uint64(w))
}

func longText(dst []byte, s string) int {
	if len(dst) < binary.MaxVarintLen64+len(s) || !canonical(s) {
		return 0
	}
	n := binary.PutUvarint(dst, uint64(len(s)))
	return n + copy(dst[n:], s)
}
