// Package book is a spreadsheet in memory that behaves as the real ones do where it matters to a host: its cells hold
// values, formulas and number formats, and its names move with the cells they mark. The fakes of the spreadsheet
// services keep one a document.
package book
