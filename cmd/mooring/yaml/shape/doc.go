// Package shape says what the values of a YAML file may be, and finds those that are not: unknown keys, missing ones, and values of another
// kind, each with its place and what to do.
package shape
