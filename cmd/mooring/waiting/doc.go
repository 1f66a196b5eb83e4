// Package waiting tests that the built program refreshes every workbook that is available, whichever others are not: an API and two agents on
// a real Redis, a PostgreSQL that returns the time of the query, and a folder of real .xlsx files, some of which are moved elsewhere, left open
// in a spreadsheet program, or broken between two ticks of a schedule, and available again later. What stands in the files, read by a library,
// and what the interface says of them is compared with what was done to them. scripts/waiting runs it for ten minutes; the test suite for two ticks.
package waiting
