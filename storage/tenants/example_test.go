package tenants_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
	"mooring/storage/tenants"
)

// A request that is sent twice under one Idempotency-Key gets the first answer again.
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
	r := tenants.New(client, hot, 1, time.Now)
	key := record.IdempotencyKey{Who: "ada", Request: "POST /v1/reports", Key: "a key of her choice"}
	for range 2 {
		first, again, err := r.BeginIdempotent(ctx, "acme", key, []byte("body"))
		if first != nil {
			err = first.Finish(ctx, record.Response{Status: 201})
		}
		fmt.Println(first != nil, again != nil && again.Status == 201, err)
	}
	// Output:
	// true false <nil>
	// false true <nil>
}
