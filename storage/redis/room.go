package redis

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// unsaved is a hook for the clients of an embedded server that refuses writes while the server cannot be saved, as a Redis does that is
// full. Reads go on, and so does what frees room. A script is run so that it may only read: one that would write is refused before it has
// written anything.
type unsaved struct {
	why   atomic.Pointer[unsavedError] // nil: it is saved
	sent  atomic.Int64                 // bytes, since the last snapshot
	most  atomic.Int64                 // of them, from which on the next snapshot is due
	isDue chan struct{}                // nil: nothing is kept
}

// count adds up what commands say, so that no more comes between two snapshots than there is room for.
func (u *unsaved) count(cmds ...redis.Cmder) {
	size := 0
	for _, cmd := range cmds {
		for _, arg := range cmd.Args() {
			switch arg := arg.(type) {
			case string:
				size += len(arg)
			case []byte:
				size += len(arg)
			}
		}
	}
	if u.sent.Add(int64(size)) < u.most.Load() {
		return
	}
	select {
	case u.isDue <- struct{}{}:
	default: // it is known, or nothing is kept
	}
}

// unsavedError is the reply of an embedded server that cannot be saved.
type unsavedError struct{ text string }

func (e *unsavedError) Error() string { return e.text }

// RedisError makes it a reply, as the client's own are.
func (*unsavedError) RedisError() {}

var (
	errNoRoom  = &unsavedError{"NOROOM the disk of the data directory is full"}
	errNotKept = &unsavedError{"NOTKEPT the snapshot cannot be written"}
)

// unsavedFor returns the reply to writes while saving fails with err, nil for nil.
func unsavedFor(err error) *unsavedError {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return errNoRoom
	}
	return errNotKept
}

func (*unsaved) DialHook(next redis.DialHook) redis.DialHook { return next }

func (u *unsaved) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		refusal := u.why.Load()
		if refusal == nil {
			u.count(cmd)
			return next(ctx, cmd)
		}
		if adds(cmd) {
			cmd.SetErr(refusal)
			return refusal
		}
		mayOnlyRead(cmd)
		err := next(ctx, cmd)
		if wouldWrite(err) {
			cmd.SetErr(refusal)
			return refusal
		}
		return err
	}
}

func (u *unsaved) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		refusal := u.why.Load()
		if refusal == nil {
			u.count(cmds...)
			return next(ctx, cmds)
		}
		if slices.ContainsFunc(cmds, adds) {
			for _, cmd := range cmds {
				cmd.SetErr(refusal)
			}
			return refusal
		}
		for _, cmd := range cmds {
			mayOnlyRead(cmd)
		}
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			if wouldWrite(cmd.Err()) {
				cmd.SetErr(refusal)
			}
		}
		if wouldWrite(err) {
			return refusal
		}
		return err
	}
}

// adding are the commands that take room.
var adding = map[string]bool{
	"append": true, "decr": true, "decrby": true, "getset": true, "hincrby": true, "hincrbyfloat": true, "hmset": true, "hset": true, "hsetnx": true,
	"incr": true, "incrby": true, "incrbyfloat": true, "linsert": true, "lpush": true, "lset": true, "mset": true, "msetnx": true, "psetex": true,
	"rename": true, "rpush": true, "sadd": true, "set": true, "setex": true, "setnx": true, "xadd": true, "xgroup": true, "zadd": true, "zincrby": true,
}

func adds(cmd redis.Cmder) bool { return adding[cmd.Name()] }

// mayOnlyRead makes a script one that is refused when it writes.
func mayOnlyRead(cmd redis.Cmder) {
	if name := cmd.Name(); name == "eval" || name == "evalsha" {
		cmd.Args()[0] = name + "_ro"
	}
}

// wouldWrite reports whether a script was refused because it would have written.
func wouldWrite(err error) bool {
	return err != nil && strings.Contains(err.Error(), "not allowed in read-only scripts")
}
