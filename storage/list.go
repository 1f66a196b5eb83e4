package storage

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"mooring/storage/record"
	"mooring/storage/redis"
)

const (
	listChunk = 200     // ids of a list that one round trip loads
	listBytes = 8 << 20 // of the records that one round trip loads, if there are several
)

// Listed is one asset of a list. Err says why its record cannot be read; Asset has little more than its id then.
type Listed[T any] struct {
	Asset T
	Err   error
	at    record.Cursor
}

// Cursor continues the list behind the asset, as ListQuery.After.
func (l Listed[T]) Cursor() (string, error) { return l.at.Encode() }

// lister is one kind of list.
type lister[T any] interface {
	index() string                                         // the ids, scored by themselves
	key(id int64) string                                   // of a record
	fields() []string                                      // to load of a record; nil: all
	largest() []string                                     // fields that may be large
	read(id int64, record map[string]string) (T, error)    // makes an asset of its record
	unreadable(id int64) T                                 // the asset of a record that cannot be read
	wants(T) bool                                          // whether the list has it, for this caller
	place(T) record.Cursor                                 // in the order of the list
	complete(ctx context.Context, items []Listed[T]) error // loads what the record does not have
}

// walk goes through the assets that l wants, behind q's cursor, in q's order. In memory are the records of one round trip, and in an order
// other than that of creation the place of every asset.
//
// An asset that cannot be read is listed for callers that may read every asset, in lists that are not narrowed: whom else it
// concerns is not known.
func walk[T any](ctx context.Context, s *Store, q record.ListQuery, l lister[T]) iter.Seq2[Listed[T], error] {
	return func(yield func(Listed[T], error) bool) {
		after, err := q.Start()
		if err != nil {
			yield(Listed[T]{}, err)
			return
		}
		ids := s.idChunks(ctx, l.index(), q.FirstID())
		if q.SortBy != record.ByID || q.Descending {
			places, err := places(ctx, s, ids, l, after)
			if err != nil {
				yield(Listed[T]{}, err)
				return
			}
			ids = inOrder(places)
		}
		for chunk, err := range ids {
			if err != nil {
				yield(Listed[T]{}, err)
				return
			}
			if !each(ctx, s, chunk, l, true, yield) {
				return
			}
		}
	}
}

// places lists where the assets that l wants stand behind after, in order.
func places[T any](
	ctx context.Context, s *Store, ids iter.Seq2[[]int64, error], l lister[T], after *record.Cursor,
) (list []record.Cursor, err error) {
	for chunk, idsErr := range ids {
		if idsErr != nil {
			return nil, idsErr
		}
		each(ctx, s, chunk, l, false, func(item Listed[T], itemErr error) bool {
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
		for chunk := range slices.Chunk(places, listChunk) {
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
func each[T any](ctx context.Context, s *Store, ids []int64, l lister[T], whole bool, yield func(Listed[T], error) bool) bool {
	for len(ids) > 0 {
		n, err := s.fitting(ctx, ids, l.key, l.largest())
		if err != nil {
			return yield(Listed[T]{}, err) && false
		}
		items, err := some(ctx, s, ids[:n], l, whole)
		if err != nil {
			return yield(Listed[T]{}, err) && false
		}
		for i := range items {
			if !yield(items[i], nil) {
				return false
			}
			items[i] = Listed[T]{} // a large asset is not needed until the last one was sent
		}
		ids = ids[n:]
	}
	return true
}

// some loads the assets of these ids that l wants.
func some[T any](ctx context.Context, s *Store, ids []int64, l lister[T], whole bool) ([]Listed[T], error) {
	records, err := s.hashes(ctx, ids, l.key, l.fields())
	if err != nil {
		return nil, err
	}
	var items []Listed[T]
	for i, record := range records {
		if len(record.fields) == 0 && record.err == nil {
			continue
		}
		item := Listed[T]{Err: record.err}
		if item.Err == nil {
			item.Asset, item.Err = l.read(ids[i], record.fields)
		}
		if item.Err != nil {
			item.Asset = l.unreadable(ids[i])
		}
		records[i] = loaded{}
		if item.at = l.place(item.Asset); l.wants(item.Asset) {
			items = append(items, item)
		}
	}
	if len(items) == 0 || !whole {
		return items, nil
	}
	return items, l.complete(ctx, items)
}

// fitting is how many of the records can be loaded together.
func (s *Store) fitting(ctx context.Context, ids []int64, key func(int64) string, largest []string) (int, error) {
	if len(largest) == 0 || len(ids) == 1 {
		return len(ids), nil
	}
	replies := make([]*redis.IntCmd, 0, len(ids)*len(largest))
	_, err := s.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
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
		if bytes += int(reply.Val()); bytes > listBytes {
			return max(i/len(largest), 1), nil
		}
	}
	return len(ids), nil
}

// idsAfter returns the next ids of an index, in which every id is scored by itself.
func (s *Store) idsAfter(ctx context.Context, index string, after int64) ([]int64, error) {
	members, err := s.rdb.ZRangeArgs(ctx, redis.ZRangeArgs{
		Key: index, ByScore: true, Start: "(" + strconv.FormatInt(after, 10), Stop: "+inf", Count: listChunk,
	}).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	ids := make([]int64, len(members))
	for i, member := range members {
		if ids[i], err = parseID(member); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// idChunks yields the ids of an index above after, ascending.
func (s *Store) idChunks(ctx context.Context, index string, after int64) iter.Seq2[[]int64, error] {
	return func(yield func([]int64, error) bool) {
		for {
			ids, err := s.idsAfter(ctx, index, after)
			if len(ids) == 0 && err == nil || !yield(ids, err) || err != nil {
				return
			}
			after = ids[len(ids)-1]
		}
	}
}

// loaded is the hash of a record, or why it is none.
type loaded struct {
	fields map[string]string
	err    error
}

// hashes loads the hashes of these ids in one round trip; only those fields, if not nil.
func (s *Store) hashes(ctx context.Context, ids []int64, key func(int64) string, fields []string) ([]loaded, error) {
	hashes := make([]loaded, len(ids))
	replies, err := s.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
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
		hashes[i].err = reply.Err()
		switch reply := reply.(type) {
		case *redis.MapStringStringCmd:
			hashes[i].fields = reply.Val()
		case *redis.SliceCmd:
			hashes[i].fields = hashOf(fields, reply.Val())
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
