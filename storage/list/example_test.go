package list_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/storage/list"
	"mooring/storage/redis"
)

// An index has three ids, of which one has a record and one has something else at its key.
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
	for id := range 3 {
		client.ZAdd(ctx, "reports", redis.Z{Score: float64(id + 1), Member: id + 1})
	}
	client.HSet(ctx, "report:1", "name", "Sales")
	client.Set(ctx, "report:2", "no hash", 0)
	for ids, err := range list.IDs(ctx, client, "reports", 0) {
		fmt.Println(ids, err)
		records, err := list.Hashes(ctx, client, ids, func(id int64) string { return fmt.Sprint("report:", id) }, nil)
		for _, one := range records {
			fmt.Println(one.Fields, one.Err != nil)
		}
		fmt.Println(err)
	}
	// Output:
	// [1 2 3] <nil>
	// map[name:Sales] false
	// map[] true
	// map[] false
	// <nil>
}
