package programtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaryVariable names the environment variable with the path of a program to run instead of one that is built from this tree.
const binaryVariable = "MOORING_BINARY"

// Dir makes the folder of the built programs, and of what else tests build once. Remove removes it.
var Dir = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "mooring-program-") })

var (
	plain = sync.OnceValues(func() (string, error) {
		return compile("mooring", []string{"CGO_ENABLED=0"}) // as scripts/package builds it
	})
	racing = sync.OnceValues(func() (string, error) { return compile("mooring-race", nil, "-race") })
)

// compile builds the program into a file of that folder, with further variables of the environment and flags.
func compile(file string, env []string, flags ...string) (string, error) {
	if given := os.Getenv(binaryVariable); given != "" {
		return filepath.Abs(given)
	}
	dir, err := Dir()
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, file)
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-tags", "nomsgpack", "-o", name}, flags...)
	cmd := exec.Command("go", append(args, "mooring/cmd/mooring")...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	return name, cmd.Run()
}

// Binary returns the path of the program, which is built once: as it is shipped, or that of MOORING_BINARY. A short test is skipped.
func Binary(t testing.TB) string {
	t.Helper()
	return built(t, plain)
}

// BinaryWithRace is Binary, built with the race detector: the program exits with status 66 after a race. MOORING_BINARY goes before it.
func BinaryWithRace(t testing.TB) string {
	t.Helper()
	return built(t, racing)
}

func built(t testing.TB, build func() (string, error)) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	name, err := build()
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
