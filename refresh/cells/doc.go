// Package cells holds tests of whole runs whose parameters take their values from cells of documents, on every kind of spreadsheet and for every
// kind of source: the cells are followed, their values get into no text of a query, and what they may not say is written nowhere.
package cells
