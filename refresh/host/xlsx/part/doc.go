// Package part reads the parts of a workbook that blocks depend on, other than the rows of sheets: the workbook's own with its names and our
// markers among them, styles, shared strings, tables, what a sheet says of its protection, the calculation chain. A part that is to change is
// returned edited: the rest of it stays as it was written.
package part
