// Package placementstest holds the rules of placements as tables. Each row is named by the rule of interface.md or decisions.md §6 that
// it is, and says what follows from the rule. The tests of placements hold its functions to the rows, those of web every answer, so that
// a rule is written once.
package placementstest
