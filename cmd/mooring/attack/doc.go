// Package attack holds a test that attacks the built program from outside, as people do who want to see, move, empty or freeze what is not
// theirs: over HTTP, by its commands, and by files. It runs with a real Redis, a PostgreSQL with row security and a folder of workbooks, in
// which every value that is somebody's is a text that nobody can guess. What somebody receives is searched for the texts of others, and what
// stands in workbooks is compared with what stood there. scripts/attack runs all of it and prints what it tried; a smaller form is a test.
package attack
