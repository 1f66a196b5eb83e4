package layout

import (
	"sync"
)

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
