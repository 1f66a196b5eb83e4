package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"

	"mooring/storage"
	"mooring/storage/storagetest"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		slog.Error("fill", "error", err)
		os.Exit(1)
	}
}

// run fills the storage at address with the amounts on stdin and writes what it made to stdout.
func run(ctx context.Context, address string) error {
	var what storagetest.Amounts
	if err := json.NewDecoder(os.Stdin).Decode(&what); err != nil {
		return err
	}
	s, err := storage.Open(ctx, storage.Config{Address: address})
	if err != nil {
		return err
	}
	made, err := storagetest.NewFilled(ctx, s, what)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(made)
}
