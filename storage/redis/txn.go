package redis

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Txn is a transaction: if all its conditions hold, its changes and reads happen, in their order, as one step. The zero value is empty.
// All keys of one must lie in one slot.
//
// A lock is a condition and a change: it is taken if it is not there, and what is written under it is written if it still holds the
// writer's token.
type Txn struct {
	keys       []any // the first of them each once
	conditions operations
	steps      operations
	err        error // why it cannot be sent; nil: it can
}

// maxArguments is how many arguments a command of a transaction may have. Lua unpacks no more than some thousands, embedded about 5,000; where
// it cannot, what came before the command would have been carried out alone.
const maxArguments = 4000

// errArguments: a caller did not split what it writes into several commands.
var errArguments = fmt.Errorf("a command of a transaction has more than %d arguments", maxArguments)

// operations are commands in the form that txn.lua reads: every argument of a script costs about as much as a small command, so all that
// is said of the commands is one argument for all of them.
type operations struct {
	list []byte // six bytes of each: kind, index of its key, number of its arguments
	args []any  // of each: command, arguments
}

// The kinds of operations.
const (
	condition = '?'
	change    = '!'
	read      = '>'
	next      = ';' // another transaction

	ours = 0x80 // with change or read: the command is a function
)

// If adds the condition that the Redis command replies want; nil and no such key are the empty text. The command must change nothing.
func (t *Txn) If(want any, command, key string, args ...any) {
	t.add(&t.conditions, condition, key, len(args)+1)
	t.conditions.args = append(append(append(t.conditions.args, command), want), args...)
}

// Then adds a command whose reply is not wanted.
func (t *Txn) Then(command, key string, args ...any) {
	t.add(&t.steps, stepKind(change, command), key, len(args))
	t.steps.args = append(append(t.steps.args, command), args...)
}

// Read adds a command whose reply is wanted.
func (t *Txn) Read(command, key string, args ...any) {
	t.add(&t.steps, stepKind(read, command), key, len(args))
	t.steps.args = append(append(t.steps.args, command), args...)
}

// Idle reports whether the transaction has neither changes nor reads.
func (t *Txn) Idle() bool { return len(t.steps.list) == 0 }

// Err returns why the transaction cannot be run: a command has more than 4,000 arguments.
func (t *Txn) Err() error { return t.err }

// stepKind is the kind of a change or read.
func stepKind(kind byte, command string) byte {
	if command[0] >= 'a' {
		return kind | ours
	}
	return kind
}

func (t *Txn) add(o *operations, kind byte, key string, args int) {
	if args > maxArguments {
		t.err = errArguments
		return
	}
	if t.keys == nil { // room for most
		t.keys = make([]any, 0, 8)
	}
	if o.list == nil {
		o.list, o.args = make([]byte, 0, 64), make([]any, 0, 24)
	}
	k := t.index(key)
	o.list = append(o.list, kind, byte(k>>16), byte(k>>8), byte(k), byte(args>>8), byte(args))
}

// sought is how many keys are looked through for one that is there already.
const sought = 16

// index returns where key stands among the keys, counted from 1.
func (t *Txn) index(key string) int {
	for i, k := range t.keys[:min(len(t.keys), sought)] {
		if k.(string) == key {
			return i + 1
		}
	}
	t.keys = append(t.keys, key)
	return len(t.keys)
}

// Unmet is the error of a transaction in which a condition does not hold: its index among the conditions. Nothing was changed.
type Unmet int

func (u Unmet) Error() string {
	return fmt.Sprintf("condition %d of the transaction does not hold", int(u))
}

// TxnScript runs transactions.
type TxnScript struct{ script, staged *redis.Script }

//go:embed txn.lua
var txnText string

// Functions are what transactions may call like Redis commands: Lua defines each of the names, which begin with a small letter, as
// functions.name(key, argument…). A script makes its functions anew each time: these are made when one of them is called.
type Functions struct {
	Names []string
	Lua   string
}

// NewTxnScript returns a script whose transactions may call Redis commands, in capital letters, and functions.
func NewTxnScript(functions ...Functions) TxnScript {
	var define strings.Builder
	define.WriteString("local functions = {}\nlocal function define(name)\n")
	for _, f := range functions {
		fmt.Fprintf(&define, "if name == '%s' then\n%s\nend\n", strings.Join(f.Names, "' or name == '"), f.Lua)
	}
	define.WriteString("end\n")
	return TxnScript{redis.NewScript(define.String() + txnText), redis.NewScript(define.String() + stagedHead + txnText + stagedTail)}
}

// Run runs t and returns what its reads replied, in order. Errors: Unmet; those of Unavailable. A command with more than 4,000 arguments is
// an error, and then nothing is sent.
func (s TxnScript) Run(ctx context.Context, rdb Pipelined, t *Txn) ([]any, error) {
	if t.err != nil {
		return nil, t.err
	}
	outcomes, err := s.RunAll(ctx, rdb, []*Txn{t})
	if err != nil {
		return nil, Unavailable(err)
	}
	return Replies(outcomes[0])
}

// RunAll runs transactions of one slot one after the other, each as if it were alone, and returns what Replies reads of each. Where the server
// replies an error, the first of them may have been carried out.
func (s TxnScript) RunAll(ctx context.Context, rdb Pipelined, list []*Txn) ([]any, error) {
	size := 0
	for _, t := range list {
		size += len(t.keys) + len(t.conditions.args) + len(t.steps.args)
	}
	cmd, keys := make([]any, scriptHead, scriptHead+size+1), 0
	var operations []byte
	for i, t := range list {
		if i > 0 {
			operations = append(operations, next, 0, 0, 0, 0, 0)
		}
		operations = appendOperations(appendOperations(operations, t.conditions.list, keys), t.steps.list, keys)
		cmd, keys = append(cmd, t.keys...), keys+len(t.keys)
	}
	cmd = append(EndKeys(cmd), string(operations))
	for _, t := range list {
		cmd = append(append(cmd, t.conditions.args...), t.steps.args...)
	}
	reply, err := RunScript(ctx, rdb, s.script, cmd)
	outcomes, _ := reply.([]any)
	if err == nil && len(outcomes) != len(list) {
		err = fmt.Errorf("%d of %d transactions were answered", len(outcomes), len(list))
	}
	return outcomes, err
}

// appendOperations appends operations whose keys stand behind as many others.
func appendOperations(all, list []byte, before int) []byte {
	for i := 0; i < len(list); i += 6 {
		k := int(list[i+1])<<16 + int(list[i+2])<<8 + int(list[i+3]) + before
		all = append(all, list[i], byte(k>>16), byte(k>>8), byte(k), list[i+4], list[i+5])
	}
	return all
}

// Replies returns what the reads of a transaction replied, of which RunAll returned outcome. Unmet: it was not carried out.
func Replies(outcome any) ([]any, error) {
	if unmet, ok := outcome.(int64); ok {
		return nil, Unmet(unmet)
	}
	replies, _ := outcome.([]any)
	return replies, nil
}
