package backup_test

import (
	"bytes"
	"errors"
	"fmt"

	"mooring/storage/backup"
)

// A file is checked as a whole before any of it is used.
func Example() {
	var file bytes.Buffer
	w, err := backup.NewWriter(&file, backup.Header{Layout: 3, Version: "v1", Partitions: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = errors.Join(
		w.Tenant("acme"),
		w.Piece(backup.Piece{Key: "d:1:report:7", Kind: backup.Hash, First: true, Items: []string{"definition", "{}"}}),
		w.Tail(backup.Counts{Reports: 1}),
		w.Close(),
	)
	contents, err2 := backup.Check(bytes.NewReader(file.Bytes()), int64(file.Len()))
	fmt.Println(contents.Tenants, contents.Counts.Reports, err, err2)

	cut := file.Bytes()[:file.Len()-100]
	_, err = backup.Check(bytes.NewReader(cut), int64(len(cut)))
	fmt.Println(err)
	// Output:
	// [acme] 1 <nil> <nil>
	// the backup cannot be used: it was cut off or changed after it was written
}
