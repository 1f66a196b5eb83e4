package redis

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Observer is told of every exchange with a server, for metrics. Its method must be quick and safe for concurrent use.
type Observer interface {
	// Exchanged: an exchange of that kind has ended. The kinds are "command", "script" and "pipeline", several of either in one exchange;
	// "wait" is a command that waits at the server for news, as long as it says itself. failure is empty when the server answered as it
	// should, else "unreachable", "timeout", the name of a Refusal, "busy" (it fails over or refuses connections) or "other".
	Exchanged(kind string, took time.Duration, failure string)
}

// Observe tells o of what a client exchanges from now on. Hooks that are added later are observed too.
func Observe(rdb UniversalClient, o Observer) { rdb.AddHook(observed{o}) }

// observed is the hook of an Observer.
type observed struct{ Observer }

func (observed) DialHook(next redis.DialHook) redis.DialHook { return next }

func (o observed) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if greets(cmd) {
			return next(ctx, cmd)
		}
		began := time.Now()
		err := next(ctx, cmd)
		o.Exchanged(kindOf(cmd.Name()), time.Since(began), failureOf(ctx, err))
		return err
	}
}

func (o observed) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if len(cmds) == 0 || greets(cmds[0]) {
			return next(ctx, cmds)
		}
		began := time.Now()
		err := next(ctx, cmds)
		took, failure := time.Since(began), failureOf(ctx, err)
		for i := 0; i < len(cmds) && failure == ""; i++ { // err is the first one's, which may be none of the server's
			failure = failureOf(ctx, cmds[i].Err())
		}
		o.Exchanged("pipeline", took, failure)
		return err
	}
}

// greets reports whether the library says that command on a new connection; it goes on without what a server
// does not know.
func greets(cmd redis.Cmder) bool {
	switch cmd.Name() {
	case "hello", "auth", "client", "select", "readonly":
		return true
	}
	return false
}

func kindOf(command string) string {
	switch command {
	case "xread", "xreadgroup":
		return "wait"
	case "eval", "evalsha":
		return "script"
	}
	return "command"
}

// failureOf names what went wrong between us and a server, see Observer. That a key is missing, a script is not loaded yet or a consumer
// group exists already is an answer like any other, and a caller that went away no fault of the server's.
func failureOf(ctx context.Context, err error) string {
	if err == nil || errors.Is(err, redis.Nil) || errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, context.Canceled) {
		return ""
	}
	var reply redis.Error
	if errors.As(err, &reply) {
		return replied(reply.Error())
	}
	if isTimeout(err) || errors.Is(err, errSilent) {
		return "timeout"
	}
	return "unreachable"
}

// replied is failureOf for an error that the server replied.
func replied(reply string) string {
	refusal := refusalOf(reply)
	switch {
	case strings.HasPrefix(reply, "NOSCRIPT"), strings.HasPrefix(reply, "BUSYGROUP"):
		return ""
	case refusal != nil:
		return refusal.Name
	case passing(reply):
		return "busy"
	}
	return "other"
}
