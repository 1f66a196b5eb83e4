package files

import (
	"math"
	"strconv"
	"strings"

	"mooring/refresh/source"
	"mooring/refresh/source/sqlite"
)

// kinds are which kinds of values a column of text has.
type kinds uint16

const (
	whole   kinds = 1 << iota // an integer that a double holds
	wide                      // one that only 64 bits hold
	decimal                   // another number
	truth                     // true or false
	day                       // 2024-05-06
	wall                      // a day and a time, of no zone
	instant                   // of a zone
	nested                    // a JSON object or array
	other                     // any other text
)

// types are what a column is declared as, the first one whose kinds all of its values are of.
var types = []struct {
	of kinds
	is string
}{
	{whole | wide, "INTEGER"},
	{whole | decimal, "REAL"},
	{truth, "BOOLEAN"},
	{day, "DATE"},
	{wall, "DATETIME"},
	{instant, "TIMESTAMP"},
	{nested, "JSON"},
}

// declared is the type of a column with values of these kinds: TEXT if they fit no other, and for a column without any.
func (k kinds) declared() string {
	for _, t := range types {
		if k != 0 && k&^t.of == 0 {
			return t.is
		}
	}
	return "TEXT"
}

// kindOf is the kind of a text that is not empty.
func kindOf(text string) kinds {
	switch c := text[0]; {
	case c == '-' || c >= '0' && c <= '9':
		if k := numberKind(text); k != 0 && !bareExponent(text) {
			return k
		}
		return momentKind(text)
	case c == 't' || c == 'T' || c == 'f' || c == 'F':
		if _, ok := truthOf(text); ok {
			return truth
		}
	}
	return other
}

// bareExponent reports whether a number is written like the names of things, such as 12E4: programs write 12E+4 or 1.2E5.
func bareExponent(number string) bool {
	return strings.ContainsAny(number, "eE") && !strings.ContainsAny(number, ".+") && !strings.ContainsAny(number[1:], "-")
}

func momentKind(text string) kinds {
	switch is, zoned := source.MomentType(text); {
	case is == source.TypeDate:
		return day
	case is == "":
		return other
	case zoned:
		return instant
	}
	return wall
}

// truthOf reads true and false, in small letters, capital ones, or with a capital one first.
func truthOf(text string) (is, ok bool) {
	switch text {
	case "true", "TRUE", "True":
		return true, true
	case "false", "FALSE", "False":
		return false, true
	}
	return false, false
}

// numberKind is the kind of a number as JSON writes them, so without zeros before it: 0 of other text, and other of one that would lose digits.
func numberKind(text string) kinds {
	rest := strings.TrimPrefix(text, "-")
	n := digits(rest)
	if n == 0 || n > 1 && rest[0] == '0' {
		return 0
	}
	if n == len(rest) {
		return wholeKind(text)
	}
	rest = rest[n:]
	if rest[0] == '.' {
		if n = digits(rest[1:]); n == 0 {
			return 0
		}
		rest = rest[1+n:]
	}
	if rest != "" && !isExponent(rest) {
		return 0
	}
	if v, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(v, 0) {
		return other
	}
	return decimal
}

func isExponent(text string) bool {
	if text[0] != 'e' && text[0] != 'E' {
		return false
	}
	text = text[1:]
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return text != "" && digits(text) == len(text)
}

// digits is how many a text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

func wholeKind(text string) kinds {
	const held = 1 << 53
	switch v, err := strconv.ParseInt(text, 10, 64); {
	case err != nil:
		return other
	case v < -held || v > held:
		return wide
	}
	return whole
}

// adder adds texts to columns, as these are declared.
type adder struct {
	sqlite.Rows
	scratch []byte
}

// add adds a text to a column that it was found to fit.
func (a *adder) add(declared, text string) error {
	switch declared {
	case "INTEGER":
		v, err := strconv.ParseInt(text, 10, 64)
		a.Int(v)
		return err
	case "REAL":
		v, err := strconv.ParseFloat(text, 64)
		a.Real(v)
		return err
	case "BOOLEAN":
		is, ok := truthOf(text)
		a.truth(is)
		if !ok {
			return strconv.ErrSyntax
		}
	default:
		a.scratch = append(a.scratch[:0], text...)
		a.Text(a.scratch)
	}
	return nil
}

// truth adds a truth value as SQLite has them.
func (a *adder) truth(is bool) {
	if is {
		a.Int(1)
		return
	}
	a.Int(0)
}
