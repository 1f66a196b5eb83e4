//go:build unix

package code

import (
	"os"
	"syscall"
)

// waitForLock locks a file until it is closed, once no other command has it.
func waitForLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
