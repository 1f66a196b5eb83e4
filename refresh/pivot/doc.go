// Package pivot turns the flat result of a query into a pivot table. It is pure: the caller has run the query, and has asked its source for
// totals.
//
// The members of a pivot are columns of the flat result: those of its rows and columns, whose values become labels, and its measures, whose
// values are added up where a row and a column meet. Such a crossing may have no cell in the result; it stays empty. Totals of the columns are
// rows of the table, totals of the rows columns of it.
package pivot
