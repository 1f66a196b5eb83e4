package redis_test

import (
	"context"
	"fmt"
	"log/slog"

	"mooring/storage/redis"
)

// A server inside the process takes two tokens out of a bucket that holds two, and lets the third wait.
func Example() {
	ctx := context.Background()
	server, err := redis.StartEmbedded("", slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := server.Client()
	const minute = 60e6 // microseconds
	for range 3 {
		wait, _, err := redis.TakeTokens(ctx, client, "bucket", minute/2, minute)
		fmt.Println(wait > 0, err)
	}
	fmt.Println(client.Close(), server.Close())
	// Output:
	// false <nil>
	// false <nil>
	// true <nil>
	// <nil> <nil>
}
