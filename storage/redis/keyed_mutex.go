package redis

import (
	"context"
	"hash/maphash"
)

// KeyedMutex lets those of this process that hold the same key go one after the other. Keys are hashed: different ones may share a mutex,
// which costs their holders a moment and nothing else.
type KeyedMutex[K comparable] struct {
	seed maphash.Seed
	free []chan struct{} // each holds one token
}

func NewKeyedMutex[K comparable]() *KeyedMutex[K] {
	m := &KeyedMutex[K]{seed: maphash.MakeSeed(), free: make([]chan struct{}, 1024)}
	for i := range m.free {
		m.free[i] = make(chan struct{}, 1)
		m.free[i] <- struct{}{}
	}
	return m
}

// Lock waits for the mutex of key; the caller must call unlock. The error is ctx's.
func (m *KeyedMutex[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	token := m.free[maphash.Comparable(m.seed, key)%uint64(len(m.free))]
	select {
	case <-token:
		return func() { token <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
