// Package site finds the documents of placements at the spreadsheet hosts of a tenant, names their locks, and opens them: a call that hangs
// is left behind.
package site
