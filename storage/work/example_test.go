package work_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/storage/engine"
	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/work"
)

// One writer at a time has a spreadsheet.
func ExampleWork_LockDocument() {
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	db, err := engine.Connect(engine.Config{Log: log})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	w := work.New(db, layout.NewReader(db), layout.NewSites(db, nil), queue.New(db.Redis, db.Hot, db.Partitions, log))
	_, _, release, err := w.LockDocument(ctx, "acme", "book")
	if err != nil {
		fmt.Println(err)
		return
	}
	held, _ := w.DocumentWriter(ctx, "acme", "book")
	release()
	free, _ := w.DocumentWriter(ctx, "acme", "book")
	fmt.Println(held != "", free == "")
	// Output: true true
}
