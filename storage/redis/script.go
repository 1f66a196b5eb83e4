package redis

import (
	"context"
	_ "embed"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Pipelined is a client as scripts need it.
type Pipelined interface {
	redis.Scripter
	Process(ctx context.Context, cmd redis.Cmder) error
}

// Pipeline returns the client of the script that every request needs: one that sends what waits in one batch. The embedded server's pipes
// hold one command at a time. It is not inlined, for UniversalClient's reason.
//
//go:noinline
func Pipeline(rdb UniversalClient, embedded bool) (Pipelined, error) {
	if embedded {
		return rdb, nil
	}
	return rdb.(redis.UniversalClient).AutoPipeline()
}

// A command for RunScript has room for scriptHead arguments, then the keys, EndKeys, then the arguments of the script.
const scriptHead = 3

// Command begins a command with some keys.
func Command(keys ...string) []any {
	cmd := make([]any, scriptHead, 48)
	for _, key := range keys {
		cmd = append(cmd, key)
	}
	return cmd
}

// EndKeys notes that all keys are there.
func EndKeys(cmd []any) []any {
	cmd[2] = len(cmd) - scriptHead
	return cmd
}

// RunScript does what a script's Run does, for a command that was laid out in one piece: every connect needs one.
func RunScript(ctx context.Context, rdb Pipelined, script *redis.Script, cmd []any) (any, error) {
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

// Text is a bulk string of a script's reply, empty for nil.
func Text(v any) string {
	s, _ := v.(string)
	return s
}

// List is an array of bulk strings of a script's reply.
func List(v any) []string {
	values, _ := v.([]any)
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = Text(value)
	}
	return texts
}

// Pairs makes a map of a script's flat list of fields and values (RESP3 has maps, but not inside a script's reply).
func Pairs(flat any) map[string]string {
	list, _ := flat.([]any)
	m := make(map[string]string, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		field, _ := list[i].(string)
		m[field], _ = list[i+1].(string)
	}
	return m
}

// JoinLua returns the source of one script from files of the folder lua: parts that several scripts share, each before those that call it,
// and the script last. It panics if a file is not there.
func JoinLua(folder fs.FS, names ...string) string {
	var source strings.Builder
	for _, name := range names {
		text, err := fs.ReadFile(folder, "lua/"+name+".lua")
		if err != nil {
			panic(err) // at the start of every program and test
		}
		source.Write(text)
		source.WriteByte('\n')
	}
	return source.String()
}

// NowLua defines a function for scripts: now returns the time in ms by the clock that all share who use the storage.
const NowLua = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`

//go:embed walk.lua
var walkText string

// WalkLua returns the part of scripts that defines the function walk, which pages through what several lists have in common.
func WalkLua() string { return walkText + "\n" }

// Milliseconds is a time as it is stored; empty for the zero time.
func Milliseconds(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}
