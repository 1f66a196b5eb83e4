package storage

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"sync"

	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// txn is what a write does in one step, and the first of its values that had no JSON.
type txn struct {
	redis.Txn
	err error
}

// transactions runs what is written to records.
var transactions = redis.NewTxnScript(queue.Lua("publish") + lua("echo", "overlapping", "functions"))

// run runs t and returns what its reads replied. Errors: redis.Unmet for a condition that does not hold.
func (e *engine) run(ctx context.Context, t *txn) ([]any, error) {
	if t.err != nil {
		return nil, t.err
	}
	return transactions.Run(ctx, e.hot, &t.Txn)
}

// write is run for what was decided without a lock. errOvertaken: something that it was decided on has changed, and nothing was written.
func (e *engine) write(ctx context.Context, t *txn) ([]any, error) {
	replies, err := e.run(ctx, t)
	if unmet(err) {
		return nil, errOvertaken
	}
	return replies, err
}

// unmet reports whether err says that a condition does not hold, so that nothing was changed.
func unmet(err error) bool {
	_, ok := errors.AsType[redis.Unmet](err)
	return ok
}

// enlist adds members to a sorted set that serves as an index: all its scores are 0.
func (t *txn) enlist(key string, members ...string) {
	args := make([]any, 0, 4)
	for _, m := range members {
		args = append(args, 0, m)
	}
	t.Then("ZADD", key, args...)
}

// delist takes members out of a sorted set.
func (t *txn) delist(key string, members ...string) {
	args := make([]any, len(members))
	for i, m := range members {
		args[i] = m
	}
	t.Then("ZREM", key, args...)
}

// unpacked is how many arguments a change may have: Lua unpacks no more than some thousands.
const unpacked = 1000

// set puts v's JSON into a field of the hash at key.
func (t *txn) set(key, field string, v any) {
	t.Then("HSET", key, field, t.encode(field, v))
}

// encode returns the JSON of what goes into a field.
func (t *txn) encode(field string, v any) string {
	text, err := record.Encode(v)
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("%s: %w", field, err)
	}
	return text
}

// basis is what a try of a write is decided on.
type basis int

const (
	onMemory basis = iota // what this process last saw
	onRead                // what was read for it
	onLock                // what was read under a lock
)

// readTries is how often a write is decided on what was read for it.
const readTries = 3

// errOvertaken: what a write was decided on has changed; nothing was written.
var errOvertaken = errors.New("overtaken by another writer")

// optimistic calls try until it is not overtaken: on memory, where a refusal may be wrong and is decided again, some times on what is
// read, at last under a lock.
func optimistic(try func(basis) error) error {
	if err := try(onMemory); err == nil || errors.Is(err, ErrUnavailable) {
		return err
	}
	for range readTries {
		if err := try(onRead); !errors.Is(err, errOvertaken) {
			return err
		}
	}
	err := try(onLock)
	if errors.Is(err, errOvertaken) {
		return ErrLockLost
	}
	return err
}

// The scripts of 15 lines and more, and the parts that several scripts share. A script begins with its keys and arguments by name; a part
// defines functions only.
//
//go:embed lua/*.lua
var luaFiles embed.FS

// lua joins files of the folder lua.
func lua(names ...string) string { return redis.JoinLua(luaFiles, names...) }

// cache holds values within a bound on their sizes. Arbitrary ones make room for new ones. What is in it may be out of date: who uses it
// checks that, and must not change it.
type cache[K comparable, V any] struct {
	most int // sum of the sizes

	mu     sync.RWMutex
	values map[K]sized[V]
	held   int
}

type sized[V any] struct {
	value V
	size  int
}

func newCache[K comparable, V any](most int) *cache[K, V] {
	return &cache[K, V]{most: most, values: map[K]sized[V]{}}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.values[key]
	return v.value, ok
}

// put holds a value, unless its size is such that it would displace many.
func (c *cache[K, V]) put(key K, value V, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	if size > c.most/16 {
		return
	}
	for old := range c.values {
		if c.held+size <= c.most {
			break
		}
		c.drop(old)
	}
	c.values[key] = sized[V]{value, size}
	c.held += size
}

func (c *cache[K, V]) remove(keys ...K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		c.drop(key)
	}
}

func (c *cache[K, V]) drop(key K) {
	c.held -= c.values[key].size
	delete(c.values, key)
}
