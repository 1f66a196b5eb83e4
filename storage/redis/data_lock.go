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
// directory would each overwrite the other's snapshot. unclean reports whether the process that had it last ended without saving: it did
// not empty the file.
func lockData(dir string) (f *os.File, unclean bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, false, err
	}
	f, err = os.OpenFile(filepath.Join(dir, dataLockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	taken, err := tryLock(f)
	if taken {
		err = takenBy(dir, f)
	}
	if err == nil {
		unclean, err = leftOpen(f)
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+openMark), 0)
	}
	if err != nil {
		return nil, false, errors.Join(err, f.Close())
	}
	return f, unclean, nil
}

// openMark stands behind the process in its lock file until it has saved for the last time. Earlier versions wrote none, and left their
// processes there.
const openMark = " open\n"

func leftOpen(f *os.File) (bool, error) {
	text := make([]byte, 32)
	n, err := f.ReadAt(text, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.HasSuffix(string(text[:n]), openMark), err
}

// takenBy is the error for a directory that the process noted in its lock file has taken.
func takenBy(dir string, f *os.File) error {
	who := "another process"
	if text, err := io.ReadAll(io.LimitReader(f, 32)); err == nil {
		number, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
		if pid, err := strconv.Atoi(number); err == nil {
			who = fmt.Sprintf("process %d", pid)
		}
	}
	return fmt.Errorf("the data folder %s is in use by %s: end it first, or name another folder with --data", dir, who)
}
