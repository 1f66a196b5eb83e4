//go:build !unix

package sqlite

// boundMemory does nothing: this system has no such bound for a process that sets it itself.
func boundMemory() {}

// nonBlocking is no flag: what an open would wait for is no file here.
const nonBlocking = 0
