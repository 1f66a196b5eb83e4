// Package waiting holds a test that has the built program refresh workbooks that come and go: an API and two agents on a real Redis, a
// PostgreSQL whose answer is when it was asked, and a folder of real .xlsx files, some of which are moved away, left open in a spreadsheet
// program, or broken between two ticks of a schedule, and are there again later. What stands in the files, read by a library, and what the
// interface says of them is compared with what was done to them. scripts/waiting runs it for ten minutes; two ticks of it are a test.
package waiting
