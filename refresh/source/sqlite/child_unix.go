//go:build unix

package sqlite

import "syscall"

// boundMemory bounds what this process may allocate, where the system can.
func boundMemory() {
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: childMemory, Max: childMemory})
}

// nonBlocking lets an open of a FIFO or a device return at once.
const nonBlocking = syscall.O_NONBLOCK
