package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// The bounds of what is sent at once, but for a single larger argument, and how long what was sent waits for the rest.
const (
	pieceBytes = 256 << 10
	pieceItems = 1000
	stageLife  = 10 * time.Minute
)

// How long RunStaged asks a server that does not answer, and the pause before it asks again.
const (
	stagePatience = time.Minute
	stagePause    = 100 * time.Millisecond
)

// Size is about how many bytes t sends.
func (t *Txn) Size() (bytes int) {
	for _, list := range [][]any{t.keys, t.conditions.args, t.steps.args} {
		for _, arg := range list {
			bytes += sizeOf(arg)
		}
	}
	return bytes + len(t.conditions.list) + len(t.steps.list)
}

// sizeOf is about how many bytes an argument has on the wire.
func sizeOf(arg any) int {
	switch arg := arg.(type) {
	case string:
		return len(arg) + 16
	case []byte:
		return len(arg) + 16
	}
	return 32
}

// FirstKey is a key of t, empty for none.
func (t *Txn) FirstKey() string {
	if len(t.keys) == 0 {
		return ""
	}
	return t.keys[0].(string)
}

// pieceScript appends a piece to a stage, once.
//
//	KEYS   stage
//	ARGV   number of items before the piece, ms until the stage expires; the items
//	result 1; 0 when the stage has expired
var pieceScript = redis.NewScript(`
local stage, before = KEYS[1], tonumber(ARGV[1])
local have = redis.call('LLEN', stage)
if have == before then
  redis.call('RPUSH', stage, unpack(ARGV, 3))
  redis.call('PEXPIRE', stage, ARGV[2])
elseif have ~= before + #ARGV - 2 then
  return 0
end
return 1`)

//go:embed staged.lua
var stagedHead string

// stagedTail ends the script that carries out what is on a stage.
const stagedTail = `
end
return ended(transaction()[1])`

// errStageLost: a stage expired, or the server lost it, before all was on it. Nothing was changed.
var errStageLost = fmt.Errorf("%w: what was sent of a large write is not there any more", ErrUnavailable)

// RunStaged runs t as Run does, but for the replies of its reads, however large it is and however slow the server. It is sent in pieces to
// a stage, a list in the slot of its keys that nothing else uses, where it waits and expires; then one small command carries it out in one
// step, and leaves on the stage that it did. So that command is repeated until it is answered. keep is called before each of the commands.
func (s TxnScript) RunStaged(ctx context.Context, rdb UniversalClient, t *Txn, stage string, keep func(context.Context) error) error {
	if t.err != nil {
		return t.err
	}
	operations := string(append(t.conditions.list, t.steps.list...))
	items := append([]any(nil), t.keys...)
	for ; len(operations) > pieceBytes; operations = operations[pieceBytes:] {
		items = append(items, operations[:pieceBytes])
	}
	items = append(items, operations)
	heads := len(items)
	items = append(append(items, t.conditions.args...), t.steps.args...)
	for sent := 0; sent < len(items); {
		n := pieceOf(items[sent:])
		argv := append([]any{sent, stageLife.Milliseconds()}, items[sent:sent+n]...)
		if reply, err := repeated(ctx, keep, func() (int64, error) { return pieceScript.Run(ctx, rdb, []string{stage}, argv...).Int64() }); err != nil {
			return err
		} else if reply == 0 {
			return errStageLost
		}
		sent += n
	}
	unmet, err := repeated(ctx, keep, func() (int64, error) {
		return s.staged.Run(ctx, rdb, []string{stage}, len(t.keys), heads, len(items), stageLife.Milliseconds()).Int64()
	})
	switch {
	case err != nil:
		return err
	case unmet == -2:
		return errStageLost
	case unmet >= 0:
		return Unmet(unmet)
	}
	return nil
}

// pieceOf is how many of the items make a piece.
func pieceOf(items []any) int {
	bytes := 0
	for n, item := range items[:min(len(items), pieceItems)] {
		if bytes += sizeOf(item); n > 0 && bytes > pieceBytes {
			return n
		}
	}
	return min(len(items), pieceItems)
}

// repeated asks until the server answers, for at most stagePatience. What it asks may be carried out already.
func repeated(ctx context.Context, keep func(context.Context) error, ask func() (int64, error)) (int64, error) {
	for since := time.Now(); ; {
		var reply int64
		err := keep(ctx)
		if err == nil {
			reply, err = ask()
			err = Unavailable(err)
		}
		_, refused := errors.AsType[*Refusal](err)
		if err == nil || refused || !errors.Is(err, ErrUnavailable) || time.Since(since) > stagePatience {
			return reply, err
		}
		select {
		case <-ctx.Done():
			return 0, err
		case <-time.After(stagePause):
		}
	}
}
