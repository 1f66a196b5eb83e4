package engine_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/storage/engine"
	"mooring/storage/record"
)

// A write is decided on what is there, and carried out as one step.
func ExampleDB_Change() {
	db, err := engine.Connect(engine.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	k := db.Deployment(record.Deployment{Tenant: "acme", ID: 1})
	of := engine.WriteSubject{Locks: []string{k.Locks().Workbook(7)}, Hashes: []string{k.Workbook(7)}}
	for range 2 {
		err = db.Change(context.Background(), of, func(tx *engine.Transaction, hashes []map[string]string) error {
			fmt.Println(hashes[0])
			tx.Then("HSET", k.Workbook(7), "name", "Sales")
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// map[]
	// map[name:Sales]
}
