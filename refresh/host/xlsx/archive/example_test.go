package archive_test

import (
	"archive/zip"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"mooring/refresh/host/xlsx/archive"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, err := os.Create(filepath.Join(dir, "book.xlsx"))
	if err != nil {
		log.Fatal(err)
	}
	zw := zip.NewWriter(file)
	w, _ := zw.Create("a.xml")
	fmt.Fprint(w, "<a/>")
	zw.Close()
	file.Close()

	folder, err := archive.OpenDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer folder.Close()
	name, seen, err := folder.Locate("book.xlsx")
	if err != nil {
		log.Fatal(err)
	}
	a, err := folder.OpenArchive("book.xlsx", name, seen)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	draft := archive.NewDraft(context.Background(), a)
	draft.Set("a.xml", []byte("<b/>"))
	before, _ := a.Read("a.xml")
	after, _ := draft.Current("a.xml")
	fmt.Printf("%s becomes %s\n", before, after)
	// Output: <a/> becomes <b/>
}
