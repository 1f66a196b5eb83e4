package rest_test

import (
	"context"
	"fmt"
	"time"

	"mooring/refresh/host/rest"
)

func ExampleBuckets() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	b := rest.Buckets{Now: func() time.Time { return noon }}
	for range 2 {
		wait, _ := b.TakeQuota(context.Background(), "account", 60, 60)
		fmt.Println(wait)
	}
	// Output:
	// 0s
	// 1m0s
}
