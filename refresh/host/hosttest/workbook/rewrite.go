package workbook

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// Rewrite changes one part of a file as packed text, without any library that knows the format.
func Rewrite(t testing.TB, path, part string, change func(doc string) string) {
	t.Helper()
	file, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, p := range file.File {
		if err := rewrite(zw, p, part, change); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rewrite copies a part of a file, and changes the one of that name.
func rewrite(zw *zip.Writer, p *zip.File, part string, change func(string) string) error {
	if p.Name != part {
		return zw.Copy(p)
	}
	in, err := p.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	doc, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	to, err := zw.Create(p.Name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, change(string(doc)))
	return err
}

// Count1904 has a file count dates from 1904.
func Count1904(t testing.TB, path string) {
	t.Helper()
	Rewrite(t, path, "xl/workbook.xml", func(doc string) string { return strings.Replace(doc, "<workbookPr", `<workbookPr date1904="1"`, 1) })
}
