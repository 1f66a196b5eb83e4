package checksum

// CellKind is what a cell holds. Its value is the first byte of the cell's encoding (decisions.md §8).
type CellKind byte

// The kinds of cells a spreadsheet can hold.
const (
	Empty CellKind = iota
	Number
	Text
	True
	False
	Error
)

// Cell is one decoded cell. Number is set for Number only; Text holds the text of Text and the code of Error. The zero
// Cell is empty.
type Cell struct {
	Kind   CellKind
	Number float64
	Text   string
}

// Num is a number cell. Appended to a Builder, −0 becomes 0, and NaN and the infinities become NotANumber errors.
func Num(v float64) Cell { return Cell{Kind: Number, Number: v} }

// Str is a text cell. Appended to a Builder, line ends become LF, invalid UTF-8 becomes U+FFFD, empty text an empty cell.
func Str(s string) Cell { return Cell{Kind: Text, Text: s} }

// Bool is a truth value.
func Bool(v bool) Cell {
	if v {
		return Cell{Kind: True}
	}
	return Cell{Kind: False}
}

// Err is an error cell, such as #N/A.
func Err(code string) Cell { return Cell{Kind: Error, Text: code} }

// NotANumber is the error code of numbers no cell can hold: NaN and the infinities.
const NotANumber = "#NUM!"
