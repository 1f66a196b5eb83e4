// Package host is where results go: one contract, one implementation a kind of spreadsheet.
package host
