// Package recordtest is the table of who may do what with whose: people with the kinds of tokens that there are, what each may do with each
// asset, and what each operation of the interface takes. The tests of record hold its functions to the levels, those of storage what a write
// asks of them, those of web every answer, and an attack on the built program tries all of it from outside, so that a right is written once.
package recordtest
