package list

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mooring/storage/redis"
)

// Hash is the hash of a record, or why it is none.
type Hash struct {
	Fields map[string]string
	Err    error
}

// Hashes loads the hashes of these ids in one round trip; only those fields, if not nil.
func Hashes(ctx context.Context, rdb redis.UniversalClient, ids []int64, key func(int64) string, fields []string) ([]Hash, error) {
	hashes := make([]Hash, len(ids))
	replies, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, id := range ids {
			if fields == nil {
				p.HGetAll(ctx, key(id))
			} else {
				p.HMGet(ctx, key(id), fields...)
			}
		}
		return nil
	})
	if err != nil && !wrongType(err) {
		return nil, redis.Unavailable(err)
	}
	for i, reply := range replies {
		hashes[i].Err = reply.Err()
		switch reply := reply.(type) {
		case *redis.MapStringStringCmd:
			hashes[i].Fields = reply.Val()
		case *redis.SliceCmd:
			hashes[i].Fields = hashOf(fields, reply.Val())
		}
		if err := reply.Err(); err != nil && !wrongType(err) {
			return nil, redis.Unavailable(err)
		}
	}
	return hashes, nil
}

// hashOf is a hash of the fields that have a value.
func hashOf(fields []string, values []any) map[string]string {
	hash := make(map[string]string, len(fields))
	for i, value := range values {
		if text, ok := value.(string); ok {
			hash[fields[i]] = text
		}
	}
	return hash
}

// wrongType reports whether Redis has no hash where a record should be: that record cannot be read, others can.
func wrongType(err error) bool { return strings.HasPrefix(err.Error(), "WRONGTYPE") }

// Each calls each for the hashes of these ids that there are. An error of one ends it.
func Each(
	ctx context.Context, rdb redis.UniversalClient, ids []int64, key func(int64) string, each func(int64, map[string]string) error,
) error {
	for some := range slices.Chunk(ids, Chunk) {
		hashes, err := Hashes(ctx, rdb, some, key, nil)
		if err != nil {
			return err
		}
		for i, hash := range hashes {
			if hash.Err != nil {
				return fmt.Errorf("%s: %w", key(some[i]), hash.Err)
			}
			if len(hash.Fields) == 0 {
				continue
			}
			if err := each(some[i], hash.Fields); err != nil {
				return err
			}
		}
	}
	return nil
}
