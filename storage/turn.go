package storage

import (
	"context"
	"hash/maphash"
)

// turns let the writers of this process that want the same thing go one after the other, so that none overtakes another between its decision
// and its script. What they want is hashed: different things may share a turn, which costs them a moment and nothing else.
type turns struct {
	seed maphash.Seed
	free []chan struct{} // each holds one token
}

func newTurns() *turns {
	t := &turns{seed: maphash.MakeSeed(), free: make([]chan struct{}, 1024)}
	for i := range t.free {
		t.free[i] = make(chan struct{}, 1)
		t.free[i] <- struct{}{}
	}
	return t
}

// wait gives the caller its turn at what of a report; it must call done.
func (t *turns) wait(ctx context.Context, r reportRef, what string) (done func(), err error) {
	turn := t.free[(maphash.Comparable(t.seed, r)^maphash.String(t.seed, what))%uint64(len(t.free))]
	select {
	case <-turn:
		return func() { turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
