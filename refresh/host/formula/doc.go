// Package formula reads the formulas of a workbook: which cells and names one refers to, and what it says when it is moved. It is pure and
// knows a formula's text only; which sheet, table or name is meant is for the workbook to tell.
//
// A reference is what an operand names: an area of cells, or a name. A part is a piece of a formula that moving it changes, or the text
// between two of them. Rows and columns count from zero.
package formula
