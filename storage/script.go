package storage

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// hot is a client as scripts need it.
type hot interface {
	redis.Scripter
	Process(ctx context.Context, cmd redis.Cmder) error
}

// newHot gives the client of the script that every request needs: one that sends what waits in one batch. The embedded server's pipes hold one
// command at a time.
func newHot(rdb redis.UniversalClient, embedded bool) (hot, error) {
	if embedded {
		return rdb, nil
	}
	return rdb.AutoPipeline()
}

// A command for runScript has room for scriptHead arguments, then the keys, endKeys, then the arguments of the script.
const scriptHead = 3

// scriptCommand begins a command with some keys.
func scriptCommand(keys ...string) []any {
	cmd := make([]any, scriptHead, 48)
	for _, key := range keys {
		cmd = append(cmd, key)
	}
	return cmd
}

// endKeys notes that all keys are there.
func endKeys(cmd []any) []any {
	cmd[2] = len(cmd) - scriptHead
	return cmd
}

// runScript does what a script's Run does, for a command that was laid out in one piece: every connect needs one.
func runScript(ctx context.Context, rdb hot, script *redis.Script, cmd []any) (any, error) {
	cmd[0], cmd[1] = "evalsha", script.Hash()
	c := redis.NewCmd(ctx, cmd...)
	c.SetFirstKeyPos(scriptHead)
	if err := rdb.Process(ctx, c); !redis.HasErrorPrefix(err, "NOSCRIPT") {
		return c.Result()
	}
	keys := make([]string, cmd[2].(int))
	for i := range keys {
		keys[i] = cmd[scriptHead+i].(string)
	}
	return script.Eval(ctx, rdb, keys, cmd[scriptHead+len(keys):]...).Result()
}

// text is a bulk string of a script's reply, empty for nil.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// list is an array of bulk strings of a script's reply.
func list(v any) []string {
	values, _ := v.([]any)
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = text(value)
	}
	return texts
}

// pairs makes a map of a script's flat list of fields and values (RESP3 has maps, but not inside a script's reply).
func pairs(flat any) map[string]string {
	list, _ := flat.([]any)
	m := make(map[string]string, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		field, _ := list[i].(string)
		m[field], _ = list[i+1].(string)
	}
	return m
}
