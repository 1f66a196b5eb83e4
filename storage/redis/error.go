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
)

// Unavailable classifies an error of the Redis client: nil and "no such key" stay, a caller that went away stays a cancelled
// context, a *Refusal is named, what else Redis will answer later or a broken connection becomes ErrUnavailable, and the rest is a fault of
// ours.
func Unavailable(err error) error {
	if err == nil || errors.Is(err, redis.Nil) || errors.Is(err, ErrUnavailable) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	var reply redis.Error
	if !errors.As(err, &reply) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if refusal := refusalOf(reply.Error()); refusal != nil {
		return fmt.Errorf("%w: %w", refusal, err)
	}
	if passing(reply.Error()) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Errorf("redis: %w", err)
}

// passing reports whether a reply is that of a server that is busy or out of step, and not one to a wrong command.
func passing(reply string) bool {
	for _, prefix := range []string{"TRYAGAIN", "BUSY", "MOVED", "ASK", "UNBLOCKED", "ERR max number of clients"} {
		if strings.HasPrefix(reply, prefix) {
			return true
		}
	}
	return false
}
