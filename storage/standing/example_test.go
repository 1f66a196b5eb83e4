package standing_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
	"mooring/storage/standing"
)

// A placement that was never written is listed as unknown, and off every list when it goes.
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
	transactions := redis.NewTxnScript(standing.Functions())
	k := keys.Of(record.Deployment{Tenant: "acme", ID: 1}, 16)

	var made redis.Txn
	p := placements.Placement{WorkbookID: "book", Host: placements.SheetsA, PlacedAt: "2026-11-22T07:00:00.000Z"}
	standing.Stand(&made, k, 7, "slot", &p, &record.Definition{CurrentChecksum: "current query"})
	_, err = transactions.Run(ctx, client, &made)
	fmt.Println(client.ZRange(ctx, k.Placed("status:UNKNOWN"), 0, -1).Val(), client.ZRange(ctx, k.DocumentList("all"), 0, -1).Val(), err)

	var gone redis.Txn
	standing.Unstand(&gone, k, 7, "slot")
	_, err = transactions.Run(ctx, client, &gone)
	fmt.Println(client.ZCard(ctx, k.Placed("all")).Val(), client.HLen(ctx, k.Documents()).Val(), err)
	// Output:
	// [1795330800000:7:slot] [book] <nil>
	// 0 0 <nil>
}
