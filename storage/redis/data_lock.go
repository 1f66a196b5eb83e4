package redis

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const dataLockName = "mooring.lock"

// lockData takes a data directory for this process, until the file is closed or the process ends, however it ends. Two processes on one
// directory would each overwrite the other's snapshot.
func lockData(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, dataLockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	taken, err := tryLock(f)
	if taken {
		err = takenBy(dir, f)
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// takenBy is the error for a directory that the process noted in its lock file has taken.
func takenBy(dir string, f *os.File) error {
	who := "another process"
	if text, err := io.ReadAll(io.LimitReader(f, 32)); err == nil {
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			who = fmt.Sprintf("process %d", pid)
		}
	}
	return fmt.Errorf("the data folder %s is in use by %s: end it first, or name another folder with --data", dir, who)
}
