package checksum

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// exactInteger is the largest magnitude up to which a double holds every integer.
const exactInteger = 1 << 53

// Int adds an integer: a number, or text beyond ±2^53.
func (b *Builder) Int(v int64) {
	if -exactInteger <= v && v <= exactInteger {
		b.Number(float64(v))
		return
	}
	b.scratch = strconv.AppendInt(b.scratch[:0], v, 10)
	b.text(Text, b.scratched())
}

// Uint is Int for unsigned integers.
func (b *Builder) Uint(v uint64) {
	if v <= exactInteger {
		b.Number(float64(v))
		return
	}
	b.scratch = strconv.AppendUint(b.scratch[:0], v, 10)
	b.text(Text, b.scratched())
}

// Float32 adds the number that v's shortest decimal form names: 0.1, not 0.10000000149011612.
func (b *Builder) Float32(v float32) {
	b.scratch = strconv.AppendFloat(b.scratch[:0], float64(v), 'g', -1, 32)
	wide, _ := strconv.ParseFloat(b.scratched(), 64) // it reads what it wrote
	b.Number(wide)
}

// Decimal adds an arbitrary-precision decimal in its usual notation (12.50, -3e7). It is the nearest number wherever that agrees with
// the decimal to 15 significant digits, however many digits the decimal has: 0.1234567890123456789 and 12345678901.123456789 are
// numbers, as a spreadsheet that they are typed into makes them. Text is what a double does not hold so, which is what lies beyond its
// range; what is written out beyond ±2^53, as Int makes it of the same digits, so that long keys stay whole and of one kind; and what is
// no decimal. NaN and Infinity are errors.
func (b *Builder) Decimal(s string) {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case v-v != 0 && err == nil:
		b.Error(NotANumber)
	case err != nil, !plainDecimal(s), !holds(v, s):
		b.Text(s)
	default:
		b.Number(v)
	}
}

// plainDecimal refuses what strconv reads beyond decimals: hexadecimal and underscores.
func plainDecimal(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return false
		}
	}
	return true
}

// holds reports whether v, the double nearest to the decimal s, may stand for it.
func holds(v float64, s string) bool {
	const smallestNormal = 0x1p-1022 // below it a double has fewer than 15 digits
	switch magnitude := math.Abs(v); {
	case magnitude == 0:
		return isZero(s)
	case magnitude < smallestNormal:
		return false
	case strings.ContainsAny(s, "eE"): // an exponent means a size, not its every digit
		return true
	case magnitude == exactInteger: // it, or what was rounded to it
		n, err := strconv.ParseInt(s, 10, 64)
		return err == nil && (n == exactInteger || n == -exactInteger)
	default:
		return magnitude < exactInteger
	}
}

// isZero reports whether a decimal is zero, rather than too small for a double.
func isZero(s string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
	return !strings.ContainsAny(mantissa, "123456789")
}

// Binary adds bytes as text in lower-case hex.
func (b *Builder) Binary(p []byte) {
	b.scratch = hex.AppendEncode(b.scratch[:0], p)
	b.Text(b.scratched())
}

// UUID adds a UUID as text in its usual form.
func (b *Builder) UUID(id [16]byte) {
	s := b.scratch[:0]
	for i, c := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			s = append(s, '-')
		}
		s = hex.AppendEncode(s, []byte{c})
	}
	b.scratch = s
	b.text(Text, b.scratched())
}

// JSON adds a JSON value as text, without the blanks between its parts. It is how arrays become cells, too.
func (b *Builder) JSON(p []byte) {
	b.scratch = appendCompact(b.scratch[:0], p)
	b.Text(b.scratched())
}

// appendCompact appends JSON without blanks outside its strings; what is no JSON passes as it is, less such blanks.
func appendCompact(dst, p []byte) []byte {
	inString := false
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case inString && c == '\\' && i+1 < len(p):
			dst = append(dst, c)
			i++
			c = p[i]
		case c == '"':
			inString = !inString
		case !inString && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// scratched is the scratch space as text, until it is used again.
func (b *Builder) scratched() string {
	return unsafe.String(unsafe.SliceData(b.scratch), len(b.scratch))
}
