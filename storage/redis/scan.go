package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// scanned is about how many keys one round trip of EachKey looks at.
const scanned = 500

// EachKey calls each with the names of all keys that match a glob and are of that type, many at a time, on every node; of a cluster's nodes
// at once. A key may be named twice.
func EachKey(ctx context.Context, rdb redis.UniversalClient, glob, kind string, each func(names []string) error) error {
	scan := func(ctx context.Context, node redis.Cmdable) error {
		for cursor := uint64(0); ; {
			names, next, err := node.ScanType(ctx, cursor, glob, scanned, kind).Result()
			if err != nil {
				return Unavailable(err)
			}
			if len(names) > 0 {
				err = each(names)
			}
			if cursor = next; err != nil || next == 0 {
				return err
			}
		}
	}
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return scan(ctx, node) })
	}
	return scan(ctx, rdb)
}
