package queue_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// A schedule fires once, however many agents see that it is due, and one of them takes its run.
func Example() {
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	server, err := redis.StartEmbedded("", log)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := server.Client()
	defer client.Close()
	q := queue.New(client, client, 1, log)
	fmt.Println(q.Prepare(ctx))
	shop, minute := record.Deployment{Tenant: "acme", ID: 1}, time.Date(2026, 5, 4, 7, 0, 0, 0, time.UTC)
	c := &record.Schedule{ID: 3, Next: minute} // as package storage stores it:
	fmt.Println(client.HSet(ctx, keys.Of(shop, 1).Schedule(c.ID), "next", redis.Milliseconds(minute)).Err())
	tick := record.Firing{
		Deployment: shop, Schedule: c, Run: &record.Run{ID: record.RunID(c.ID, minute), ScheduleID: c.ID},
		Next: record.Tick{At: minute.Add(time.Hour), Due: minute.Add(time.Hour)},
	}
	for range 2 {
		fmt.Println(q.Ticks.Fire(ctx, []record.Firing{tick}))
	}
	list, err := q.Take(ctx, "agent", 10, time.Millisecond)
	for _, e := range list {
		fmt.Println(e.RunID, err)
	}
	// Output:
	// <nil>
	// <nil>
	// [true] <nil>
	// [false] <nil>
	// 3:1777878000000 <nil>
}
