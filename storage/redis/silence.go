package redis

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// probeEvery is how often a server that keeps silent is asked again.
const probeEvery = 500 * time.Millisecond

// errSilent is the error of a command that was not sent.
var errSilent = errors.New("the server has not answered for some seconds, and is asked again in a moment")

// silence is a hook for the client of one server that bounds what a server costs that accepts commands and does not answer. A command
// takes at most limit, the wait for a free connection included. After one that took that long, while no other was answered, others fail at
// once, but for a probe now and then, until the server answers: so requests that wait for each other's turn do not each find out for
// themselves. Where others were answered meanwhile, a connection is stuck, and not the server.
type silence struct {
	limit    time.Duration
	answered atomic.Int64 // how many commands were
	askedAt  atomic.Int64 // when the silent server was last asked, in Unix milliseconds; 0: it is not silent
}

// listen adds a silence of that limit to the client of each server.
func listen(rdb UniversalClient, limit time.Duration) {
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		cluster.OnNewNode(func(node *redis.Client) { node.AddHook(&silence{limit: limit}) })
		return
	}
	rdb.AddHook(&silence{limit: limit})
}

func (*silence) DialHook(next redis.DialHook) redis.DialHook { return next }

func (s *silence) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if name := cmd.Name(); name == "xread" || name == "xreadgroup" {
			return next(ctx, cmd) // they say themselves how long they wait
		}
		err := s.bound(ctx, func(ctx context.Context) error { return next(ctx, cmd) })
		if errors.Is(err, errSilent) {
			cmd.SetErr(err)
		}
		return err
	}
}

func (s *silence) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := s.bound(ctx, func(ctx context.Context) error { return next(ctx, cmds) })
		if errors.Is(err, errSilent) {
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
		}
		return err
	}
}

// bound calls send, unless the server is silent and was just asked.
func (s *silence) bound(ctx context.Context, send func(context.Context) error) error {
	if at := s.askedAt.Load(); at != 0 {
		now := time.Now().UnixMilli()
		if now-at < probeEvery.Milliseconds() || !s.askedAt.CompareAndSwap(at, now) {
			return errSilent
		}
	}
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	before := s.answered.Load()
	err := send(limited)
	switch {
	case over(ctx): // the caller's own limit says nothing of the server
	case !isTimeout(err):
		s.answered.Add(1)
		if s.askedAt.Load() != 0 {
			s.askedAt.Store(0)
		}
	case s.answered.Load() == before:
		s.askedAt.Store(time.Now().UnixMilli())
	}
	return err
}

// over reports whether ctx has ended, or is about to: a connection may notice its deadline first.
func over(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}
