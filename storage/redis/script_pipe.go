package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// ScriptCall is what a script is called with.
type ScriptCall struct {
	Keys []string
	Args []any
}

// CallAll calls a script several times in one round trip, and in a second one where a server does not know it yet: its text, which may be
// longer than all that it is called with, is not sent each time. Each command has its own error.
func CallAll(ctx context.Context, rdb UniversalClient, script *redis.Script, calls []ScriptCall) []*redis.Cmd {
	cmds := make([]*redis.Cmd, len(calls))
	p := rdb.Pipeline()
	for i, c := range calls {
		cmds[i] = script.EvalSha(ctx, p, c.Keys, c.Args...)
	}
	_, _ = p.Exec(ctx)
	p = rdb.Pipeline()
	for i, c := range calls {
		if redis.HasErrorPrefix(cmds[i].Err(), "NOSCRIPT") {
			cmds[i] = script.Eval(ctx, p, c.Keys, c.Args...)
		}
	}
	if p.Len() > 0 {
		_, _ = p.Exec(ctx)
	}
	return cmds
}
