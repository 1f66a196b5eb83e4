//go:build unix

package redis

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks a file for this process; taken reports that another one has.
func tryLock(f *os.File) (taken bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK), err
}
