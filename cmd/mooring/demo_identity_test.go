package main

import (
	"os"
	"path/filepath"
	"testing"

	"mooring/cmd/mooring/demo"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
)

// TestTheDemosWorkbookSaysNothingOfItself holds that files made of one template are not taken for one document.
func TestTheDemosWorkbookSaysNothingOfItself(t *testing.T) {
	t.Parallel()
	workbook, err := demo.Data.ReadFile("demodata/states.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "states.xlsx"), workbook, 0o644); err != nil {
		t.Fatal(err)
	}
	x, err := xlsx.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := x.Prove(t.Context(), "states.xlsx", nil); err != nil || got != (host.Identity{}) {
		t.Errorf("it says %q (%v)", got, err)
	}
}
