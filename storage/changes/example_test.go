package changes_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/storage/changes"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// A run that completes says what it changed in a block.
func Example() {
	ctx := context.Background()
	server, err := redis.StartEmbedded("", slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := server.Client()
	defer client.Close()
	hot, err := redis.Pipeline(client, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	shop := record.Deployment{Tenant: "acme", ID: 1}
	k := keys.Of(shop, 1)
	client.HSet(ctx, k.Placements(7), "p:p1", "as package storage stores it")

	rows, err := record.PackRows([]record.ChangedRow{{Row: 3, Before: []any{"Bonn", 4}, After: []any{"Bonn", 5}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var tx redis.Txn
	change := record.BlockChange{RunID: "run", Counts: record.ChangeCounts{Changed: 1}, Kept: true, Packed: rows}
	fmt.Println(changes.Keep(&tx, k, 7, "p1", change))
	_, err = redis.NewTxnScript(changes.Functions()).Run(ctx, hot, &tx)
	fmt.Println(err)

	h := changes.New(client, 1)
	list, err := h.Changes(ctx, shop, 7, "p1")
	fmt.Println(len(list), list[0].Counts, err)
	_, changed, err := h.Change(ctx, shop, 7, "p1", "run")
	fmt.Println(changed, err)
	// Output:
	// <nil>
	// <nil>
	// 1 {1 0 0 0} <nil>
	// [{3 0 [Bonn 4] [Bonn 5]}] <nil>
}
