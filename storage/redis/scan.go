package redis

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// scanned is about how many keys one round trip of EachKey looks at.
const scanned = 500

// EachKey calls each with the names of all keys that match a glob and are of that type, or of any where it is empty, many at a time, on
// every node; of a cluster's nodes at once. A key may be named twice.
func EachKey(ctx context.Context, rdb UniversalClient, glob, kind string, each func(names []string) error) error {
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return scan(ctx, node, glob, kind, each) })
	}
	return scan(ctx, rdb, glob, kind, each)
}

// EachKeyBeside is EachKey on the node that has a key.
func EachKeyBeside(ctx context.Context, rdb UniversalClient, key, glob string, each func(names []string) error) error {
	node, err := nodeOf(ctx, rdb, key)
	if err != nil {
		return err
	}
	return scan(ctx, node, glob, "", each)
}

// IsCluster reports whether a client is one for a cluster. It is not inlined, for UniversalClient's reason.
//
//go:noinline
func IsCluster(rdb UniversalClient) bool {
	_, cluster := rdb.(*redis.ClusterClient)
	return cluster
}

// nodeOf returns the client of the node that has a key.
func nodeOf(ctx context.Context, rdb UniversalClient, key string) (*redis.Client, error) {
	switch rdb := rdb.(type) {
	case *redis.Client:
		return rdb, nil
	case *redis.ClusterClient:
		node, err := rdb.MasterForKey(ctx, key)
		return node, Unavailable(err)
	}
	return nil, fmt.Errorf("redis: a %T has no nodes that are known", rdb)
}

func scan(ctx context.Context, node redis.Cmdable, glob, kind string, each func(names []string) error) error {
	for cursor := uint64(0); ; {
		var cmd *redis.ScanCmd
		if kind == "" {
			cmd = node.Scan(ctx, cursor, glob, scanned)
		} else {
			cmd = node.ScanType(ctx, cursor, glob, scanned, kind)
		}
		names, next, err := cmd.Result()
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
