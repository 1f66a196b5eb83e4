// Package shift rewrites the parts of a workbook for cells that are inserted or deleted with the cells below them shifted: the sheet that
// they stand on, and whatever refers to cells that move. It works on parts alone, as readers or bytes; which part belongs to which sheet is for
// the package's caller to know.
//
// Every function leaves bytes that need no change as they are. A construct that a spreadsheet program would not move either is a *Torn.
package shift
