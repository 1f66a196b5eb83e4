package list

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Chunk is how many ids of a list one round trip loads.
const Chunk = 200

// bytesAtOnce bounds the records that one round trip loads, if there are several.
const bytesAtOnce = 8 << 20

// Item is one asset of a list. Err says why its record cannot be read; Asset has little more than its id then.
type Item[T any] struct {
	Asset T
	Err   error
	at    record.Cursor
}

// Cursor continues the list behind the asset, as ListQuery.After.
func (i Item[T]) Cursor() (string, error) { return i.at.Encode() }

// Listing is one kind of list.
type Listing[T any] interface {
	Index() string                                       // the key of the ids, scored by themselves
	Key(id int64) string                                 // of a record
	Fields() []string                                    // to load of a record; nil: all
	Largest() []string                                   // fields that may be large
	Read(id int64, record map[string]string) (T, error)  // makes an asset of its record
	Unreadable(id int64) T                               // the asset of a record that cannot be read
	Wants(T) bool                                        // whether the list has it, for this caller
	Place(T) record.Cursor                               // in the order of the list
	Complete(ctx context.Context, items []Item[T]) error // loads what the record does not have
}

// Walk goes through the assets that l wants, behind q's cursor, in q's order. In memory are the records of one round trip, and in an order
// other than that of creation the place of every asset.
//
// An asset that cannot be read is listed for callers that may read every asset, in lists that are not narrowed: whom else it
// concerns is not known.
func Walk[T any](ctx context.Context, rdb redis.UniversalClient, q record.ListQuery, l Listing[T]) iter.Seq2[Item[T], error] {
	return func(yield func(Item[T], error) bool) {
		after, err := q.Start()
		if err != nil {
			yield(Item[T]{}, err)
			return
		}
		ids := IDs(ctx, rdb, l.Index(), q.FirstID())
		if q.SortBy != record.ByID || q.Descending {
			places, err := places(ctx, rdb, ids, l, after)
			if err != nil {
				yield(Item[T]{}, err)
				return
			}
			ids = inOrder(places)
		}
		for chunk, err := range ids {
			if err != nil {
				yield(Item[T]{}, err)
				return
			}
			if !each(ctx, rdb, chunk, l, true, yield) {
				return
			}
		}
	}
}

// places lists where the assets that l wants stand behind after, in order.
func places[T any](
	ctx context.Context, rdb redis.UniversalClient, ids iter.Seq2[[]int64, error], l Listing[T], after *record.Cursor,
) (list []record.Cursor, err error) {
	for chunk, idsErr := range ids {
		if idsErr != nil {
			return nil, idsErr
		}
		each(ctx, rdb, chunk, l, false, func(item Item[T], itemErr error) bool {
			if err = itemErr; err == nil && (after == nil || item.at.Compare(*after) > 0) {
				list = append(list, item.at)
			}
			return err == nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, record.Cursor.Compare)
	return list, nil
}

// inOrder yields the ids of places, few at a time: of what is sorted only a page is read.
func inOrder(places []record.Cursor) iter.Seq2[[]int64, error] {
	return func(yield func([]int64, error) bool) {
		for chunk := range slices.Chunk(places, Chunk) {
			ids := make([]int64, len(chunk))
			for i, at := range chunk {
				ids[i] = at.ID
			}
			if !yield(ids, nil) {
				return
			}
		}
	}
}

// each yields the assets of these ids that l wants, whole or as they were recorded. It reports whether to go on. Those deleted meanwhile
// are left out.
func each[T any](ctx context.Context, rdb redis.UniversalClient, ids []int64, l Listing[T], whole bool, yield func(Item[T], error) bool) bool {
	for len(ids) > 0 {
		n, err := fitting(ctx, rdb, ids, l.Key, l.Largest())
		if err != nil {
			return yield(Item[T]{}, err) && false
		}
		items, err := some(ctx, rdb, ids[:n], l, whole)
		if err != nil {
			return yield(Item[T]{}, err) && false
		}
		for i := range items {
			if !yield(items[i], nil) {
				return false
			}
			items[i] = Item[T]{} // a large asset is not needed until the last one was sent
		}
		ids = ids[n:]
	}
	return true
}

// some loads the assets of these ids that l wants.
func some[T any](ctx context.Context, rdb redis.UniversalClient, ids []int64, l Listing[T], whole bool) ([]Item[T], error) {
	records, err := Hashes(ctx, rdb, ids, l.Key, l.Fields())
	if err != nil {
		return nil, err
	}
	var items []Item[T]
	for i, record := range records {
		if len(record.Fields) == 0 && record.Err == nil {
			continue
		}
		item := Item[T]{Err: record.Err}
		if item.Err == nil {
			item.Asset, item.Err = l.Read(ids[i], record.Fields)
		}
		if item.Err != nil {
			item.Asset = l.Unreadable(ids[i])
		}
		records[i] = Hash{}
		if item.at = l.Place(item.Asset); l.Wants(item.Asset) {
			items = append(items, item)
		}
	}
	if len(items) == 0 || !whole {
		return items, nil
	}
	return items, l.Complete(ctx, items)
}

// fitting is how many of the records can be Hash together.
func fitting(ctx context.Context, rdb redis.UniversalClient, ids []int64, key func(int64) string, largest []string) (int, error) {
	if len(largest) == 0 || len(ids) == 1 {
		return len(ids), nil
	}
	replies := make([]*redis.IntCmd, 0, len(ids)*len(largest))
	_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, id := range ids {
			for _, field := range largest {
				replies = append(replies, p.HStrLen(ctx, key(id), field))
			}
		}
		return nil
	})
	if err != nil && !wrongType(err) {
		return 0, redis.Unavailable(err)
	}
	bytes := 0
	for i, reply := range replies {
		if bytes += int(reply.Val()); bytes > bytesAtOnce {
			return max(i/len(largest), 1), nil
		}
	}
	return len(ids), nil
}

// idsAfter returns the next ids of an index, in which every id is scored by itself.
func idsAfter(ctx context.Context, rdb redis.UniversalClient, index string, after int64) ([]int64, error) {
	members, err := rdb.ZRangeArgs(ctx, redis.ZRangeArgs{
		Key: index, ByScore: true, Start: "(" + strconv.FormatInt(after, 10), Stop: "+inf", Count: Chunk,
	}).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	ids := make([]int64, len(members))
	for i, member := range members {
		if ids[i], err = strconv.ParseInt(member, 10, 64); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// IDs yields the ids of an index above after, ascending.
func IDs(ctx context.Context, rdb redis.UniversalClient, index string, after int64) iter.Seq2[[]int64, error] {
	return func(yield func([]int64, error) bool) {
		for {
			ids, err := idsAfter(ctx, rdb, index, after)
			if len(ids) == 0 && err == nil || !yield(ids, err) || err != nil {
				return
			}
			after = ids[len(ids)-1]
		}
	}
}
