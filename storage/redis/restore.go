package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

var errShort = errors.New("content too short")

// restore writes the key into an empty server, unless it expired meanwhile.
func (k snapshotKey) restore(ctx context.Context, rdb UniversalClient) error {
	left := time.Until(time.UnixMilli(k.Expires))
	if k.Expires != 0 && left < time.Millisecond {
		return nil
	}
	err := k.write(ctx, rdb)
	if err != nil || k.Expires == 0 {
		return err
	}
	return rdb.PExpire(ctx, k.Name, left).Err()
}

func (k snapshotKey) write(ctx context.Context, rdb UniversalClient) error {
	switch k.Type {
	case "string":
		if len(k.Items) != 1 {
			return errShort
		}
		return rdb.Set(ctx, k.Name, k.Items[0], 0).Err()
	case "hash":
		return rdb.HSet(ctx, k.Name, k.items()...).Err()
	case "set":
		return rdb.SAdd(ctx, k.Name, k.items()...).Err()
	case "list":
		return rdb.RPush(ctx, k.Name, k.items()...).Err()
	case "zset":
		return k.writeSorted(ctx, rdb)
	case "stream":
		return k.writeStream(ctx, rdb)
	}
	return fmt.Errorf("unknown type %q", k.Type)
}

func (k snapshotKey) items() []any {
	items := make([]any, len(k.Items))
	for i, item := range k.Items {
		items[i] = item
	}
	return items
}

func (k snapshotKey) writeSorted(ctx context.Context, rdb UniversalClient) error {
	members := make([]redis.Z, 0, len(k.Items)/2)
	for i := 0; i+1 < len(k.Items); i += 2 {
		score, err := strconv.ParseFloat(k.Items[i+1], 64)
		if err != nil {
			return err
		}
		members = append(members, redis.Z{Score: score, Member: k.Items[i]})
	}
	return rdb.ZAdd(ctx, k.Name, members...).Err()
}

// writeStream adds the entries and then the groups, each at what it had delivered and seen acknowledged: what was in the hands of a reader
// is delivered again.
func (k snapshotKey) writeStream(ctx context.Context, rdb UniversalClient) error {
	items := k.Items
	next := func(n int) ([]string, error) {
		if n < 0 || n > len(items) {
			return nil, errShort
		}
		head := items[:n]
		items = items[n:]
		return head, nil
	}
	head, err := next(1)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(head[0])
	if err != nil {
		return err
	}
	groups, err := next(2 * n)
	if err != nil {
		return err
	}
	for len(items) > 0 {
		if err := addEntry(ctx, rdb, k.Name, next); err != nil {
			return err
		}
	}
	for i := 0; i < len(groups); i += 2 {
		if err := rdb.XGroupCreateMkStream(ctx, k.Name, groups[i], deliveredBefore(groups[i+1])).Err(); err != nil {
			return err
		}
	}
	return nil
}

func addEntry(ctx context.Context, rdb UniversalClient, stream string, next func(int) ([]string, error)) error {
	head, err := next(2)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(head[1])
	if err != nil {
		return err
	}
	words, err := next(n)
	if err != nil {
		return err
	}
	return rdb.XAdd(ctx, &redis.XAddArgs{Stream: stream, ID: head[0], Values: words}).Err()
}

// deliveredBefore turns "before <id>" into the id just below.
func deliveredBefore(id string) string {
	pending, found := strings.CutPrefix(id, "before ")
	if !found {
		return id
	}
	ms, seq, _ := strings.Cut(pending, "-")
	if n, err := strconv.ParseUint(seq, 10, 64); err == nil && n > 0 {
		return ms + "-" + strconv.FormatUint(n-1, 10)
	}
	m, err := strconv.ParseUint(ms, 10, 64)
	if err != nil || m == 0 {
		return "0-0"
	}
	return strconv.FormatUint(m-1, 10) + "-18446744073709551615"
}
