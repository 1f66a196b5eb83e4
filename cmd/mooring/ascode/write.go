package ascode

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path"
)

// FileChange is what Pull does to one file.
type FileChange struct {
	File   string
	Text   string
	Delete bool
	New    bool
	Anew   bool // it could not be edited in place: comments and order are lost
}

// write makes changes to the files of a folder, each wholly or not at all.
func write(dir string, changes []FileChange) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range changes {
		if err := c.make(root); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.File, err))
		}
	}
	return errors.Join(append(errs, root.Close())...)
}

func (c FileChange) make(root *os.Root) error {
	if !wanted(c.File) || hidden(c.File) {
		return errors.New("is no file of a project, and is left alone")
	}
	if c.Delete {
		return root.Remove(c.File)
	}
	if err := root.MkdirAll(path.Dir(c.File), 0o755); err != nil {
		return err
	}
	return replace(root, c.File, c.Text)
}

// replace writes a file, wholly or not at all.
func replace(root *os.Root, name, text string) error {
	mode := os.FileMode(0o644)
	if old, err := root.Lstat(name); err == nil {
		mode = old.Mode().Perm()
	}
	// A hidden file is not read: what a crash leaves is none of the project's.
	temp := path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text())
	if err := writeNew(root, temp, text, mode); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return root.Rename(temp, name)
}

// writeNew writes a file that does not exist yet, to the disk.
func writeNew(root *os.Root, name, text string, mode os.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}
