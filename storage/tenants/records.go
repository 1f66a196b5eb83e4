package tenants

import (
	"time"

	"mooring/storage/redis"
)

// Records keeps what is known of tenants beside their assets. It is safe for concurrent use.
type Records struct {
	rdb        redis.UniversalClient
	hot        redis.Pipelined
	partitions int
	now        func() time.Time
}

// New returns the records in a storage with that many partitions. hot is rdb as redis.Pipeline makes it.
func New(rdb redis.UniversalClient, hot redis.Pipelined, partitions int, now func() time.Time) *Records {
	return &Records{rdb: rdb, hot: hot, partitions: partitions, now: now}
}
