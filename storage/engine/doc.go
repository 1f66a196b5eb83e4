// Package engine is what all rooms of the storage stand on: the connection to Redis, one transaction in one step, the locks of writers, the
// clock, and a witness of what the storage acknowledged.
//
// A write is decided in Go, on what this process remembers or has just read, and written by one Transaction whose conditions are what it was decided
// on. One that was overtaken is decided again, see Optimistic, at last under its Locks. So a crash leaves all of a write or nothing.
package engine
