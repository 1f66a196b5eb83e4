//go:build unix

package archive

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// nonBlocking lets an open of a FIFO or a device return at once.
const nonBlocking = syscall.O_NONBLOCK

// flock takes the lock of a folder unless another has it. A file system without locks has none to wait for.
func flock(file *os.File) (locked bool, err error) {
	switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return true, nil
	case errors.Is(err, syscall.EINTR), errors.Is(err, syscall.EWOULDBLOCK):
		return false, nil
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EBADF), errors.Is(err, syscall.EINVAL):
		return true, nil
	default:
		return false, err
	}
}

// keepOwner makes a file belong to whom old belongs, as far as this process may.
func keepOwner(file *os.File, old fs.FileInfo) {
	if sys, ok := old.Sys().(*syscall.Stat_t); ok {
		// Only a privileged process may give files away; a member of the group may pass the group on.
		if file.Chown(int(sys.Uid), int(sys.Gid)) != nil {
			_ = file.Chown(-1, int(sys.Gid))
		}
	}
}
