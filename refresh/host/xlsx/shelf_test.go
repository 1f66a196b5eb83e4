package xlsx_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/xlsx"
)

// treeShelf is a folder, with a link in it to a folder outside.
type treeShelf struct {
	*xlsx.Folder
	dir, outside string
}

func TestFindInRandomTrees(t *testing.T) {
	trees := 150
	if n, err := strconv.Atoi(os.Getenv("MOORING_TREES")); err == nil {
		trees = n
	}
	hosttest.FindIn(t, trees, func(t testing.TB) hosttest.Shelf {
		s := treeShelf{dir: t.TempDir(), outside: t.TempDir()}
		if err := os.Symlink(s.outside, filepath.Join(s.dir, hosttest.Outside)); err != nil {
			t.Skip(err)
		}
		var err error
		if s.Folder, err = xlsx.New(s.dir); err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// file is where a path of the shelf is on the disk.
func (s treeShelf) file(path string) string {
	if below, ok := strings.CutPrefix(path, hosttest.Outside+"/"); ok {
		return filepath.Join(s.outside, below)
	}
	return filepath.Join(s.dir, filepath.FromSlash(path))
}

func (s treeShelf) Add(t testing.TB, path string, i host.Identity) string {
	if err := os.MkdirAll(filepath.Dir(s.file(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	s.Say(t, path, i)
	return path
}

// Say makes the smallest file that can be proved.
func (s treeShelf) Say(t testing.TB, path string, i host.Identity) {
	names := ""
	if i != (host.Identity{}) {
		names = fmt.Sprintf(`<definedNames><definedName name="%s" hidden="1">"%s"</definedName></definedNames>`, host.DocumentName, i)
	}
	const relations = "http://schemas.openxmlformats.org/package/2006/relationships"
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, doc := range map[string]string{
		"_rels/.rels": `<Relationships xmlns="` + relations + `"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/` +
			`relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets></sheets>` + names + `</workbook>`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(doc))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(path), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (s treeShelf) Copy(t testing.TB, id, path string) string {
	content, err := os.ReadFile(s.file(id))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(s.file(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(path), content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (s treeShelf) Move(t testing.TB, id, path string) string {
	s.Copy(t, id, path)
	s.Remove(t, id)
	return path
}

func (s treeShelf) Remove(t testing.TB, id string) {
	if err := os.Remove(s.file(id)); err != nil {
		t.Fatal(err)
	}
}

func (s treeShelf) Addresses(_ testing.TB, id string) []string {
	windows := strings.ReplaceAll(id, "/", `\`)
	return []string{`S:\` + windows, `\\server\sheets\` + windows, "/Volumes/sheets/" + id, id[strings.LastIndexByte(id, '/')+1:]}
}
