// Package formula reads the formulas of a workbook: which cells and names one refers to, what it says when it is filled into another cell,
// and what it is to say when cells were inserted or deleted. It is pure and knows a formula's text only; which sheet, table or name is
// meant is for the workbook to say.
//
// A reference is what an operand names: an area of cells, or a name. A part is a piece of a formula that filling it changes, or the text
// between two of them. A shift inserts or deletes cells. Rows and columns count from zero.
//
// Formulas are those of .xlsx files, of Excel's API and of Google Sheets, which has ranges open at an end, such as A2:B.
package formula
