package ascode_test

import (
	"fmt"
	"os"
	"path/filepath"

	"mooring/cmd/mooring/ascode"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, text := range map[string]string{
		"project.yaml":         "project: finance\nenvironments: {dev: {deployment: 2}}\n",
		"reports/revenue.yaml": "publicId: RevByRegion1\nname: Revenue\n",
		"reports/revenue.sql":  "select region, sum(amount) from sales group by 1\n",
		"workbooks/board.yaml": "slug: board\nnmae: Board\n",
	} {
		_ = os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755)
		_ = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
	}
	_, err = ascode.Read(dir, "", os.LookupEnv)
	fmt.Println(err)

	_ = os.WriteFile(filepath.Join(dir, "workbooks/board.yaml"), []byte("slug: board\nname: Board\n"), 0o600)
	folder, err := ascode.Read(dir, "", os.LookupEnv)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range folder.Bundle().Assets {
		fmt.Println(a.Kind, a.Ref, a.Definition["name"])
	}
	// Output:
	// workbooks/board.yaml:2:1: unknown key "nmae": write name if you mean that
	// report RevByRegion1 Revenue
	// workbook board Board
}
