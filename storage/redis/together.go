package redis

import (
	"context"
	"errors"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Together asks a server in one exchange what several callers ask of one partition: while an exchange is under way, what else is asked
// waits for the next one. It is safe for concurrent use.
type Together[Q, A any] struct {
	// Ask asks all of list, which is of one partition, and returns as many answers.
	Ask func(ctx context.Context, list []Q) ([]A, error)
	// Weigh returns the weight of a question: one exchange has at most Most, unless one question is more.
	Weigh func(Q) int
	Most  int

	mu      sync.Mutex
	waiting map[string][]*question[Q, A] // by partition; there is a list, empty or not, while an exchange is under way
}

// question is what one caller asks.
type question[Q, A any] struct {
	asks   Q
	answer A
	err    error
	done   chan struct{}
}

// One asks a question of a partition. When ctx ends it is unknown what the server does; one that had ended before asks nothing.
func (t *Together[Q, A]) One(ctx context.Context, partition string, asks Q) (A, error) {
	if err := ctx.Err(); err != nil {
		var none A
		return none, err
	}
	q := &question[Q, A]{asks: asks, done: make(chan struct{})}
	t.mu.Lock()
	if t.waiting == nil {
		t.waiting = map[string][]*question[Q, A]{}
	}
	list, busy := t.waiting[partition]
	t.waiting[partition] = append(list, q)
	t.mu.Unlock()
	if !busy {
		go t.askAll(context.WithoutCancel(ctx), partition)
	}
	select {
	case <-q.done:
		return q.answer, q.err
	case <-ctx.Done():
		var none A
		return none, ctx.Err()
	}
}

// askAll asks what waits for a partition until nothing does. Each exchange is bounded by the client.
func (t *Together[Q, A]) askAll(ctx context.Context, partition string) {
	for list := t.next(partition); len(list) > 0; list = t.next(partition) {
		t.ask(ctx, list)
	}
}

// next takes the questions of the next exchange off those that wait. There is none any more if it returns none.
func (t *Together[Q, A]) next(partition string) []*question[Q, A] {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.waiting[partition]
	n, weight := 0, 0
	for n < len(list) {
		if weight += t.Weigh(list[n].asks); n > 0 && weight > t.Most {
			break
		}
		n++
	}
	if t.waiting[partition] = list[n:]; n == 0 {
		delete(t.waiting, partition)
	}
	return list[:n:n]
}

// ask asks questions in one exchange. Where the server replies an error it may be that of one of them: then each is asked alone.
func (t *Together[Q, A]) ask(ctx context.Context, list []*question[Q, A]) {
	asks := make([]Q, len(list))
	for i, q := range list {
		asks[i] = q.asks
	}
	answers, err := t.Ask(ctx, asks)
	if _, replied := errors.AsType[redis.Error](err); replied && len(list) > 1 {
		for _, q := range list {
			t.ask(ctx, []*question[Q, A]{q})
		}
		return
	}
	for i, q := range list {
		if q.err = err; err == nil {
			q.answer = answers[i]
		}
		close(q.done)
	}
}
