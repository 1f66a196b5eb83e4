//go:build unix

package xlsx

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// flock waits for the lock of a folder. A file system without locks has none to wait for.
func flock(file *os.File) error {
	for {
		switch err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EBADF), errors.Is(err, syscall.EINVAL):
			return nil
		default:
			return err
		}
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
