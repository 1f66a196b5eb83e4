//go:build unix

package files

import "syscall"

// nonBlocking lets an open of a FIFO or a device return at once.
const nonBlocking = syscall.O_NONBLOCK
