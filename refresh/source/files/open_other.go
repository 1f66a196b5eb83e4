//go:build !unix

package files

// nonBlocking is no flag: what an open would wait for is no file here.
const nonBlocking = 0
