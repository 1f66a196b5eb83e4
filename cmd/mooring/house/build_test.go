package house

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The compiler lays the client library's clients out, 1,460 methods, in the one package that knows them, and in none that imports it:
// see UniversalClient there.
func TestClientsOfRedisAreLaidOutOnce(t *testing.T) {
	list := exec.Command("go", "list", "-tags", "nomsgpack", "-export", "-f", "{{.ImportPath}} {{.Export}}", "./storage/...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		pkg, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		object, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(object, []byte("go.shape.struct { *github.com/redis/go-redis/v9.baseClient; ")) {
			found = append(found, pkg)
		}
	}
	if want := []string{"mooring/storage/redis", "mooring/storage/storagetest"}; !slices.Equal(found, want) {
		t.Errorf("laid out in %q, want %q", found, want)
	}
}
