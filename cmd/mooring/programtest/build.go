package programtest

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"testing"
)

// binaryVariable names the environment variable with the path of a program to run instead of one that is built from this tree.
const binaryVariable = "MOORING_BINARY"

// Dir makes the folder of the built programs, and of what else tests build once. Remove removes it.
var Dir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "mooring-program-") })

// program builds the program into that folder, as scripts/package does.
var program = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(binaryVariable); given != "" {
		return filepath.Abs(given)
	}
	return Build("mooring/cmd/mooring")
})

// Build builds the program of a package into that folder, without cgo, and returns its path.
func Build(pkg string) (string, error) {
	dir, err := Dir()
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, path.Base(pkg))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "nomsgpack", "-o", name, pkg)
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	return name, cmd.Run()
}

// Binary returns the path of the program, which is built once: as it is shipped, or that of MOORING_BINARY. A short test is skipped.
func Binary(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	name, err := program()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return name
}

// Remove removes the programs that were built. No test may start one any more.
func Remove() {
	if dir, err := Dir(); err == nil {
		_ = os.RemoveAll(dir) // of a temporary folder
	}
}
