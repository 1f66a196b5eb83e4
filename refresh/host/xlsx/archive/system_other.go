//go:build !unix

package archive

import (
	"io/fs"
	"os"
)

// nonBlocking is no flag: what an open would wait for is no file here.
const nonBlocking = 0

// flock takes the lock at once: folders have none here, as on a file system without them.
func flock(*os.File) (locked bool, err error) { return true, nil }

// keepOwner does nothing: a new file belongs to the folder's rules here.
func keepOwner(*os.File, fs.FileInfo) {}
