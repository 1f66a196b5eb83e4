package source

import (
	"errors"
	"testing"
)

func TestFaultsKnowTheirPlace(t *testing.T) {
	const text = "SELECT 'ü€',\n\tx\r\nFROM y"
	fault := Structure(nil, "no such column")
	for _, row := range []struct {
		fact         string
		character    int
		line, column int // 0: not known
	}{
		{"the first character", 1, 1, 1},
		{"a column counts characters, not bytes", 11, 1, 11},
		{"a line end is the last character of its line", 13, 1, 13},
		{"a tab is one character", 15, 2, 2},
		{"behind a line end of two characters", 18, 3, 1},
		{"the end of the text", 24, 3, 7},
		{"beyond the end", 25, 0, 0},
		{"a database that does not say", 0, 0, 0},
		{"a negative one", -1, 0, 0},
	} {
		var at PositionError
		err := AtCharacter(fault, text, row.character)
		if known, ok := errors.AsType[*PositionError](err); ok {
			at = *known
		}
		if at.Line != row.line || at.Column != row.column {
			t.Errorf("%s: line %d, column %d, want %d, %d", row.fact, at.Line, at.Column, row.line, row.column)
		}
		if !errors.Is(err, fault) || err.Error() != fault.Error() {
			t.Errorf("%s: %v is not the fault", row.fact, err)
		}
	}
}

func TestBytesAreCountedAsCharacters(t *testing.T) {
	for _, row := range []struct{ offset, column int }{{0, 1}, {2, 2}, {5, 3}, {6, 4}, {7, 0}, {-1, 0}} {
		column := 0
		if at, ok := errors.AsType[*PositionError](AtByte(errors.New("x"), "ü€.", row.offset)); ok {
			column = at.Column
		}
		if column != row.column {
			t.Errorf("byte %d: column %d, want %d", row.offset, column, row.column)
		}
	}
}
