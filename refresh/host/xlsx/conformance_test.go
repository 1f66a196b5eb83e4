package xlsx_test

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
	"mooring/refresh/host/xlsx"
)

func TestConformance(t *testing.T) {
	hosttest.Run(t, func(t *testing.T) hosttest.Spreadsheet {
		dir := t.TempDir()
		path := filepath.Join(dir, "report.xlsx")
		workbook.New(t, path, "Sheet1", "Other")
		x, err := xlsx.New(dir)
		if err != nil {
			t.Fatal(err)
		}
		return hosttest.Spreadsheet{
			Host: x, Document: "report.xlsx", Sheet: "Sheet1", Other: "Other", Editor: workbook.Editor{Path: path},
			State:      func(t testing.TB) string { return fileHash(t, path) },
			SeesMerges: true,
			Count1904:  func(t testing.TB) { workbook.Count1904(t, path) },
			Deny: func(t testing.TB) {
				if err := os.Chmod(path, 0o444); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

func fileHash(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// zipPart is one part of a file, unpacked.
type zipPart struct{ name, doc string }

func readParts(t testing.TB, path string) []zipPart {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var parts []zipPart
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, zipPart{f.Name, string(doc)})
	}
	return parts
}
