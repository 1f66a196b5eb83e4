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

// wait gives the caller its turn at what; it must call done.
func (t *turns) wait(ctx context.Context, what ...string) (done func(), err error) {
	var h maphash.Hash
	h.SetSeed(t.seed)
	for _, part := range what {
		h.WriteString(part)
		h.WriteByte(0)
	}
	turn := t.free[h.Sum64()%uint64(len(t.free))]
	select {
	case <-turn:
		return func() { turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
