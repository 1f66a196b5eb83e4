package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/hosttest"
)

// counted is a zip that holds a number.
func counted(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{"[Content_Types].xml": "<Types/>", "n": fmt.Sprint(n)} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func count(t *testing.T, content []byte) (n int) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.Open("n")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := fmt.Fscan(r, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// folderWith is a folder whose book.xlsx holds the content.
func folderWith(t *testing.T, content []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "book.xlsx"), content, 0o640); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSave(t *testing.T) {
	one, two := counted(t, 1), counted(t, 2)
	damaged := bytes.Replace(two, []byte("<Types/>"), []byte("<Typos/>"), 1)
	tests := []struct {
		name, document string
		base, content  []byte
		lock           string
		class          placements.Class // "": it is saved
		stale          bool
	}{
		{name: "over the state that was read", base: one, content: two},
		{name: "over another state", base: two, content: two, class: placements.Transient, stale: true},
		{name: "while a program has it open", base: one, content: two, lock: "~$book.xlsx", class: placements.Transient},
		{name: "what is no zip", base: one, content: []byte("hello"), class: placements.Structure},
		{name: "a zip that is cut off", base: one, content: two[:len(two)/2], class: placements.Structure},
		{name: "a part that is damaged", base: one, content: damaged, class: placements.Structure},
		{name: "a file that is not there", document: "other.xlsx", base: one, content: two, class: placements.Structure},
		{name: "a path that leaves the folder", document: "../book.xlsx", base: one, content: two, class: placements.Structure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := folderWith(t, one)
			if tt.lock != "" {
				if err := os.WriteFile(filepath.Join(dir, tt.lock), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			document := tt.document
			if document == "" {
				document = "book.xlsx"
			}
			err := Save(t.Context(), dir, document, sha256.Sum256(tt.base), tt.content)
			want := 1
			if tt.class == "" {
				want = 2
				if err != nil {
					t.Fatal(err)
				}
			} else {
				hosttest.WantFault(t, err, tt.class)
			}
			if Stale(err) != tt.stale {
				t.Errorf("Stale(%v) = %t", err, !tt.stale)
			}
			content, err := Load(dir, "book.xlsx")
			if err != nil || count(t, content) != want {
				t.Errorf("the file holds %d, %v; want %d", count(t, content), err, want)
			}
		})
	}
}

// Those who save at one time each add to what the others saved: no save is lost.
func TestSavesAreNotLost(t *testing.T) {
	dir := folderWith(t, counted(t, 0))
	const savers, times = 4, 15
	var all sync.WaitGroup
	for range savers {
		all.Go(func() {
			for done := 0; done < times; {
				content, err := Load(dir, "book.xlsx")
				if Stale(err) {
					continue // another save came between the look at the file and its opening
				}
				if err != nil {
					t.Error(err)
					return
				}
				switch err := Save(t.Context(), dir, "book.xlsx", sha256.Sum256(content), counted(t, count(t, content)+1)); {
				case err == nil:
					done++
				case !Stale(err):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if content, err := Load(dir, "book.xlsx"); err != nil || count(t, content) != savers*times {
		t.Errorf("%d saves are left of %d, %v", count(t, content), savers*times, err)
	}
}
