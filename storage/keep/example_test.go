package keep_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/storage/engine"
	"mooring/storage/keep"
)

// A backup changes nothing, and so it does not make a storage that is new ready either.
func ExampleOpenToBackup() {
	_, err := keep.OpenToBackup(context.Background(), engine.Config{Log: slog.New(slog.DiscardHandler)})
	fmt.Println(err)
	// Output: there is nothing to back up: this storage was never used
}
