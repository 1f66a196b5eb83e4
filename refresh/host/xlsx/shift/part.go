package shift

// Part returns a part other than a sheet's or the workbook's, with all that refers to moved cells rewritten: doc itself where nothing
// changes. kind is what a relationship calls the part, the last word of its type; sheet is the one that it hangs on, empty for a part of
// the whole workbook.
func Part(kind, sheet string, doc []byte, m *Moves) ([]byte, error) {
	return doc, nil
}
