// Package standing keeps the index of a deployment's placements: lists of those that have something in common, such as their syncStatus or
// spreadsheet, and of the spreadsheets, with how many of their placements are in each list.
//
// What a placement is listed under is decided in Redis, from the last run on it, in the transaction that writes the placement or that run.
package standing
