package placements

import (
	"strconv"
	"strings"
)

// The last column and row of a sheet, from zero: XFD1048576.
const (
	MaxColumn = 16383
	MaxRow    = 1048575
)

// Anchor is a cell of a sheet, row and column counted from zero.
type Anchor struct{ Row, Column int }

// ParseAnchor reads a cell in A1 form. Lower case and $ are accepted; the last cell is XFD1048576. The error is an *Error, CodeAddress.
func ParseAnchor(s string) (Anchor, error) {
	c, fault := parseCorner(s)
	switch {
	case fault != "":
		return Anchor{}, invalid(fault)
	case !c.hasColumn:
		return Anchor{}, invalid(sentence("%q names a row and no column: write a cell such as B2.", s))
	case !c.hasRow:
		return Anchor{}, invalid(sentence("%q names a column and no row: write a cell such as B2.", s))
	}
	return c.Anchor, nil
}

// String returns the normal form: upper case, no $.
func (a Anchor) String() string { return columnName(a.Column) + strconv.Itoa(a.Row+1) }

func columnName(column int) string {
	var letters [8]byte
	i := len(letters)
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		i--
		letters[i] = byte('A' + (n-1)%26)
	}
	return string(letters[i:])
}

// corner is one end of a range: a cell, or only a column or a row of one.
type corner struct {
	Anchor
	hasColumn, hasRow bool
}

// parseCorner reads letters, then digits, each with an optional $; either part may be missing, not both.
// fault is the sentence for the user, empty when all is well.
func parseCorner(s string) (c corner, fault string) {
	letters, digits, ok := splitCell(s)
	if !ok {
		return c, sentence("%q is not a cell: write a column and a row, such as B2.", s)
	}
	if letters != "" {
		if c.Column = columnIndex(letters); c.Column > MaxColumn {
			return c, sentence("Column %s of %q is beyond the last one, XFD: choose a cell further left.",
				clip(strings.ToUpper(letters)), s)
		}
		c.hasColumn = true
	}
	if digits != "" {
		if digits[0] == '0' {
			return c, sentence("%q has a row number that begins with 0: rows count from 1, so write a cell such as B2.", s)
		}
		if c.Row = rowIndex(digits); c.Row > MaxRow {
			return c, sentence("Row %s of %q is beyond the last one, 1048576: choose a cell further up.", clip(digits), s)
		}
		c.hasRow = true
	}
	return c, ""
}

// splitCell takes a cell apart into its letters and digits. ok is false for anything that is not [$]letters[$]digits.
func splitCell(s string) (letters, digits string, ok bool) {
	s, dollar := strings.CutPrefix(s, "$")
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	letters, digits = s[:n], s[n:]
	if letters != "" {
		digits, dollar = strings.CutPrefix(digits, "$")
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return "", "", false
		}
	}
	return letters, digits, letters+digits != "" && (digits != "" || !dollar || letters == "")
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// columnIndex counts from zero; it returns MaxColumn+1 for anything beyond the last column and never overflows.
func columnIndex(letters string) int {
	n := 0
	for i := range len(letters) {
		n = n*26 + int(letters[i]&^0x20-'A') + 1
		if n > MaxColumn+1 {
			return MaxColumn + 1
		}
	}
	return n - 1
}

// rowIndex counts from zero; it returns MaxRow+1 for anything beyond the last row and never overflows.
func rowIndex(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
		if n > MaxRow+1 {
			return MaxRow + 1
		}
	}
	return n - 1
}
