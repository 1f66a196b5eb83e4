package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrUnavailable: no server was reached, or none could answer; what was asked may or may not have happened.
	ErrUnavailable = errors.New("storage unavailable")
	// ErrLockLost: a lock ran out, or another one has it, before what was to be written under it; nothing was changed.
	ErrLockLost = errors.New("lock lost")
	// ErrFull: a server has no room for a write: it is at its memory limit, or cannot save to its disk. It is ErrUnavailable too.
	ErrFull = fmt.Errorf("%w: storage is full", ErrUnavailable)
)

// Unavailable classifies an error of the Redis client: nil and "no such key" stay, a caller that went away stays a cancelled
// context, what Redis will answer again later or a broken connection becomes ErrUnavailable, and the rest is a fault of ours.
func Unavailable(err error) error {
	if err == nil || errors.Is(err, redis.Nil) || errors.Is(err, ErrUnavailable) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	var reply redis.Error
	if errors.As(err, &reply) && !passing(reply.Error()) {
		return fmt.Errorf("redis: %w", err)
	}
	if reply != nil && full(reply.Error()) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// full reports whether a reply refuses a write for want of room. One from inside a script may have other text before it.
func full(reply string) bool {
	return strings.Contains(reply, "OOM command not allowed") || strings.HasPrefix(reply, "OOM") || strings.Contains(reply, "MISCONF ")
}

// passing tells the replies of a server that is starting, failing over, full or out of step from those to a wrong command.
func passing(reply string) bool {
	if full(reply) {
		return true
	}
	for _, prefix := range []string{
		"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "TRYAGAIN", "OOM", "MISCONF", "BUSY", "NOREPLICAS",
		"MOVED", "ASK", "NOAUTH", "WRONGPASS", "NOPERM", "UNBLOCKED", "ERR max number of clients",
	} {
		if strings.HasPrefix(reply, prefix) {
			return true
		}
	}
	return false
}
