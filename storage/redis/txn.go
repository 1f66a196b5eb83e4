package redis

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"
)

// Txn is a transaction: if all its conditions hold, its changes and reads happen, in their order, as one step. The zero value is empty.
// All keys of one must lie in one slot.
//
// A lock is a condition and a change: it is taken if it is not there, and what is written under it is written if it still holds the
// writer's token.
type Txn struct {
	keys       []any          // each once
	places     map[string]int // of the keys, once there are many
	conditions operations
	steps      operations
}

// operations are commands in the form that txn.lua reads: every argument of a script costs about as much as a small command, so what
// the commands are is one argument for all of them.
type operations struct {
	list []byte
	args []any
}

// The kinds of operations.
const (
	condition = '?'
	change    = '!'
	read      = '>'
)

// If adds the condition that the command replies want; nil and no such key are the empty text. The command must change nothing.
func (t *Txn) If(want any, command, key string, args ...any) {
	t.add(&t.conditions, condition, command, key, len(args)+1)
	t.conditions.args = append(append(t.conditions.args, want), args...)
}

// Then adds a command whose reply is not wanted.
func (t *Txn) Then(command, key string, args ...any) {
	t.add(&t.steps, change, command, key, len(args))
	t.steps.args = append(t.steps.args, args...)
}

// Read adds a command whose reply is wanted.
func (t *Txn) Read(command, key string, args ...any) {
	t.add(&t.steps, read, command, key, len(args))
	t.steps.args = append(t.steps.args, args...)
}

// Idle reports whether the transaction has neither changes nor reads.
func (t *Txn) Idle() bool { return len(t.steps.list) == 0 }

func (t *Txn) add(o *operations, kind byte, command, key string, args int) {
	if t.keys == nil { // room for most
		t.keys = make([]any, 0, 8)
	}
	if o.list == nil {
		o.list, o.args = make([]byte, 0, 128), make([]any, 0, 32)
	}
	o.list = append(append(o.list, kind), command...)
	o.list = strconv.AppendInt(o.list, int64(t.index(key)), 10)
	o.list = strconv.AppendInt(append(o.list, ' '), int64(args), 10)
}

// index returns where key stands among the keys, counted from 1.
func (t *Txn) index(key string) int {
	if t.places != nil {
		return t.place(key)
	}
	for i, k := range t.keys {
		if k.(string) == key {
			return i + 1
		}
	}
	if t.keys = append(t.keys, key); len(t.keys) > fewKeys {
		t.places = make(map[string]int, 4*fewKeys)
		for i, k := range t.keys {
			t.places[k.(string)] = i + 1
		}
	}
	return len(t.keys)
}

// fewKeys is up to how many keys looking at each is faster than a map.
const fewKeys = 32

// place is index for many keys.
func (t *Txn) place(key string) int {
	at, known := t.places[key]
	if !known {
		t.keys = append(t.keys, key)
		at = len(t.keys)
		t.places[key] = at
	}
	return at
}

// Unmet is the error of a transaction in which a condition does not hold: its index among the conditions. Nothing was changed.
type Unmet int

func (u Unmet) Error() string {
	return fmt.Sprintf("condition %d of the transaction does not hold", int(u))
}

// TxnScript runs transactions.
type TxnScript struct{ script *redis.Script }

//go:embed txn.lua
var txnText string

// NewTxnScript returns a script whose transactions may call, as commands, Redis commands and functions in Lua: functions defines them as
// functions.name(key, argument…). A name has letters only.
func NewTxnScript(functions string) TxnScript {
	return TxnScript{redis.NewScript("local functions = {}\n" + functions + txnText)}
}

// Run runs t and returns what its reads replied, in order. Errors: Unmet; those of Unavailable.
func (s TxnScript) Run(ctx context.Context, rdb Pipelined, t *Txn) ([]any, error) {
	cmd := make([]any, scriptHead, scriptHead+len(t.keys)+1+len(t.conditions.args)+len(t.steps.args))
	cmd = EndKeys(append(cmd, t.keys...))
	cmd = append(cmd, string(append(t.conditions.list, t.steps.list...)))
	cmd = append(append(cmd, t.conditions.args...), t.steps.args...)
	reply, err := RunScript(ctx, rdb, s.script, cmd)
	if err != nil {
		return nil, Unavailable(err)
	}
	if unmet, ok := reply.(int64); ok {
		return nil, Unmet(unmet)
	}
	replies, _ := reply.([]any)
	return replies, nil
}
