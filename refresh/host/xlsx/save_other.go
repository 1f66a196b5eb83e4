//go:build !unix

package xlsx

import (
	"io/fs"
	"os"
)

// flock returns at once: folders have no locks here, as on a file system without them.
func flock(*os.File) error { return nil }

// keepOwner does nothing: a new file belongs to the folder's rules here.
func keepOwner(*os.File, fs.FileInfo) {}
