// Package house holds how far the packages of the house are untangled: how many files of a package are in one circle, how many methods a
// type has, which names of types mean two things on one way through the house. It has tests alone.
package house
