// Package marks holds a test of what a refresh that may shift rows leaves of the marks that people make in a document: notes and formulas
// beside records, comments, defined names, and references to a record's cells from anywhere. A model knows to which record each mark
// belongs, and nothing of how a refresh is planned.
package marks
