// Package list goes through the records of a deployment that an index names, a bounded number of bytes at a time, in the order that a
// ListQuery asks for. What a kind of record is made of, its Kind knows.
package list
