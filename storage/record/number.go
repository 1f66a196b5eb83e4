package record

import (
	"encoding/json"
	"strconv"
	"strings"
)

// SameValue reports whether two values of JSON, as Generic returns them, mean the same: numbers by their value, however they are written.
func SameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || CanonicalNumber(string(a)) == CanonicalNumber(string(b)))
	case Tree:
		b, ok := b.(Tree)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, has := b[name]; !has || !SameValue(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !SameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	return a == b // nil, text or truth value
}

// mostZeros is how many zeros CanonicalNumber writes beside a number's digits before it writes an exponent instead.
const mostZeros = 30

// CanonicalNumber returns a number of JSON in the one form that all writings of its value have, such as 0.0000001 for 1e-7 and 0 for -0.0.
// It is exact. What is no number is returned as it is, and so is one whose exponent no int holds.
func CanonicalNumber(text string) string {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return text
		}
	}
	unsigned, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if strings.Trim(digits, "0123456789") != "" || unsigned == "" {
		return text
	}
	exponent -= len(fraction)
	significant := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(significant)
	if significant == "" {
		return "0"
	}
	if negative {
		return "-" + placed(significant, exponent)
	}
	return placed(significant, exponent)
}

// placed writes digits × 10^exponent, digits without zeros at their ends.
func placed(digits string, exponent int) string {
	point := len(digits) + exponent // digits before the point
	switch {
	case exponent > mostZeros || point < -mostZeros:
		return digits + "e" + strconv.Itoa(exponent)
	case exponent >= 0:
		return digits + strings.Repeat("0", exponent)
	case point > 0:
		return digits[:point] + "." + digits[point:]
	}
	return "0." + strings.Repeat("0", -point) + digits
}
