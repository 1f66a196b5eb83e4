// Package zoo holds slips: changes of one line, each an error that an engineer makes when tired, and each caught by a test that is named
// beside it. scripts/zoo makes one after the other, in an overlay of the tree, and runs those tests; a slip that they do not notice is a
// missing test. The tests of this package hold that every slip still fits the code.
package zoo
