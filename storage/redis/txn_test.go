package redis_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/storage/redis"
	"mooring/storage/storagetest"
)

// counted counts in a key and returns how often it has, with what it was told.
var counted = redis.Functions{Names: []string{"tell", "count"}, Lua: `
local calls = 0
function functions.count(key, told)
  calls = calls + 1
  return {redis.call('INCR', key), told, calls}
end
function functions.tell(key, told) return told end
`}

func TestTxn(t *testing.T) {
	tests := map[string]struct {
		build   func(t *redis.Txn)
		want    []any
		unmet   redis.Unmet // -1: all conditions hold
		changed bool
	}{
		"without conditions": {func(t *redis.Txn) {
			t.Then("SET", "{a}:new", "x")
		}, []any{}, -1, true},
		"reads see what came before them, and only that": {func(t *redis.Txn) {
			t.Read("HGET", "{a}:hash", "field")
			t.Then("HSET", "{a}:hash", "field", "later", "other", 7)
			t.Read("HMGET", "{a}:hash", "field", "other")
		}, []any{"value", []any{"later", "7"}}, -1, true},
		"a key that is not there replies nil and is the empty text": {func(t *redis.Txn) {
			t.If("", "GET", "{a}:none")
			t.If("", "HGET", "{a}:hash", "none")
			t.Read("GET", "{a}:none")
			t.Read("GET", "{a}:text")
		}, []any{nil, "text"}, -1, false},
		"conditions compare texts, numbers and counts": {func(t *redis.Txn) {
			t.If("text", "GET", "{a}:text")
			t.If(7, "HGET", "{a}:hash", "seven")
			t.If(2, "ZLEXCOUNT", "{a}:index", "[b", "(d")
			t.If(1, "EXISTS", "{a}:text")
			t.If(0, "EXISTS", "{a}:none")
			t.Then("DEL", "{a}:text")
		}, []any{}, -1, true},
		"conditions come first wherever they are added": {func(t *redis.Txn) {
			t.Then("DEL", "{a}:text")
			t.If("text", "GET", "{a}:text")
			t.If("", "GET", "{a}:text")
			t.If(0, "EXISTS", "{a}:none")
		}, nil, 1, false},
		"the first condition does not hold": {func(t *redis.Txn) {
			t.If("another", "GET", "{a}:text")
			t.Then("DEL", "{a}:text")
			t.Read("GET", "{a}:text")
		}, nil, 0, false},
		"a function changes and replies": {func(t *redis.Txn) {
			t.Then("count", "{a}:count", "once")
			t.Read("tell", "{a}:count", "told")
			t.Read("count", "{a}:count", "twice")
		}, []any{"told", []any{int64(2), "twice", int64(2)}}, -1, true},
		"texts that look like operations are arguments": {func(t *redis.Txn) {
			t.If("text", "GET", "{a}:text")
			t.Then("SET", "{a}:text", "!\x00\x00\x01\x00\x00DEL")
			t.Read("GET", "{a}:text")
		}, []any{"!\x00\x00\x01\x00\x00DEL"}, -1, true},
		"more keys and arguments than a byte counts": {func(t *redis.Txn) {
			many := make([]any, 600)
			for i := range many {
				many[i] = i
				t.Then("SET", fmt.Sprintf("{a}:many:%d", i), i)
			}
			t.Read("GET", "{a}:many:299")
			t.Then("RPUSH", "{a}:list", many...)
			t.Read("LINDEX", "{a}:list", 599)
		}, []any{"299", "599"}, -1, false},
	}
	script := redis.NewTxnScript(counted)
	eachServer(t, func(t *testing.T, rdb redis.UniversalClient) {
		for name, tc := range tests {
			t.Run(name, func(t *testing.T) {
				before := fill(t, rdb)
				var txn redis.Txn
				tc.build(&txn)
				got, err := script.Run(t.Context(), rdb, &txn)
				if tc.unmet >= 0 {
					if unmet, ok := errors.AsType[redis.Unmet](err); !ok || unmet != tc.unmet {
						t.Errorf("error %v, want %v", err, tc.unmet)
					}
				} else if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("replies (-want +got):\n%s", diff)
				}
				after := contents(t, rdb)
				if changed := !cmp.Equal(before, after); changed != tc.changed {
					t.Errorf("changed: %v, want %v", changed, tc.changed)
				}
				fill(t, rdb)
				const stage = "{a}:stage:x"
				err = script.RunStaged(t.Context(), rdb, &txn, stage, func(context.Context) error { return nil })
				if unmet, ok := errors.AsType[redis.Unmet](err); ok != (tc.unmet >= 0) || ok && unmet != tc.unmet || !ok && err != nil {
					t.Errorf("on a stage: %v, want %v", err, tc.unmet)
				}
				if ttl := rdb.PTTL(t.Context(), stage).Val(); ttl <= 0 {
					t.Errorf("the stage does not expire: %s", ttl)
				}
				rdb.Del(t.Context(), stage)
				if diff := cmp.Diff(after, contents(t, rdb)); diff != "" {
					t.Errorf("on a stage (-whole +staged):\n%s", diff)
				}
			})
		}
	})
}

// A lock is taken by one of two, and what is written under it needs it.
func TestTxnHoldsALock(t *testing.T) {
	script := redis.NewTxnScript()
	eachServer(t, func(t *testing.T, rdb redis.UniversalClient) {
		take := func(token string) error {
			var txn redis.Txn
			txn.If("", "GET", "{a}:lock")
			txn.Then("SET", "{a}:lock", token, "PX", 60_000)
			_, err := script.Run(t.Context(), rdb, &txn)
			return err
		}
		commit := func(token string) error {
			var txn redis.Txn
			txn.If(token, "GET", "{a}:lock")
			txn.Then("SET", "{a}:written", token)
			txn.Then("DEL", "{a}:lock")
			_, err := script.Run(t.Context(), rdb, &txn)
			return err
		}
		for fact, step := range map[string][2]error{
			"the first takes it":               {take("first"), nil},
			"the second does not":              {take("second"), redis.Unmet(0)},
			"the second cannot write under it": {commit("second"), redis.Unmet(0)},
			"the first can":                    {commit("first"), nil},
			"but not again":                    {commit("first"), redis.Unmet(0)},
		} {
			if !errors.Is(step[0], step[1]) {
				t.Errorf("%s: %v, want %v", fact, step[0], step[1])
			}
		}
	})
}

func TestTxnThatCannotRun(t *testing.T) {
	script := redis.NewTxnScript()
	eachServer(t, func(t *testing.T, rdb redis.UniversalClient) {
		var idle, wrong redis.Txn
		if !idle.Idle() {
			t.Error("a transaction without steps is not idle")
		}
		wrong.Then("NOSUCHCOMMAND", "{a}:key")
		if _, err := script.Run(t.Context(), rdb, &wrong); err == nil || wrong.Idle() {
			t.Errorf("a command that Redis does not have: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := script.Run(ctx, rdb, &wrong); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that has left: %v", err)
		}
		if err := rdb.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := script.Run(t.Context(), rdb, &wrong); !errors.Is(err, redis.ErrUnavailable) {
			t.Errorf("a closed connection: %v", err)
		}
	})
}

// fill makes the server hold what TestTxn begins with, and returns it.
func fill(t *testing.T, rdb redis.UniversalClient) map[string]string {
	t.Helper()
	p := rdb.TxPipeline()
	p.FlushDB(t.Context())
	p.Set(t.Context(), "{a}:text", "text", 0)
	p.HSet(t.Context(), "{a}:hash", "field", "value", "seven", 7)
	p.ZAdd(t.Context(), "{a}:index", redis.Z{Member: "a"}, redis.Z{Member: "b"}, redis.Z{Member: "c"}, redis.Z{Member: "d"})
	if _, err := p.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	return contents(t, rdb)
}

// A command has no more arguments than a script can hand on: one with more is refused before anything of its transaction is carried out.
func TestTxnWithManyArguments(t *testing.T) {
	script := redis.NewTxnScript()
	eachServer(t, func(t *testing.T, rdb redis.UniversalClient) {
		for _, tt := range []struct {
			n       int
			refused bool
		}{{4000, false}, {4001, true}, {65_536, true}, {65_537, true}} {
			ctx, members := t.Context(), make([]any, tt.n)
			for i := range members {
				members[i] = i
			}
			build := func(key string) *redis.Txn {
				var tx redis.Txn
				tx.Then("SET", key+":before", "x")
				tx.Then("SADD", key+":set", members...)
				tx.Then("SET", key+":after", "x")
				return &tx
			}
			_, err := script.Run(ctx, rdb, build("{a}:run"))
			staged := script.RunStaged(ctx, rdb, build("{a}:staged"), "{a}:stage", func(context.Context) error { return nil })
			for key, err := range map[string]error{"{a}:run": err, "{a}:staged": staged} {
				got := []int64{rdb.Exists(ctx, key+":before").Val(), rdb.SCard(ctx, key+":set").Val(), rdb.Exists(ctx, key+":after").Val()}
				want := []int64{1, int64(tt.n), 1}
				if tt.refused {
					want = []int64{0, 0, 0}
				}
				if diff := cmp.Diff(want, got); diff != "" || (err != nil) != tt.refused {
					t.Errorf("%s with %d arguments: %v\n%s", key, tt.n, err, diff)
				}
			}
			for _, key := range []string{"{a}:run", "{a}:staged"} {
				rdb.Del(ctx, key+":before", key+":set", key+":after")
			}
			rdb.Del(ctx, "{a}:stage")
		}
	})
}

// contents is what the server holds but for the index, which nothing changes.
func contents(t *testing.T, rdb redis.UniversalClient) map[string]string {
	t.Helper()
	held := rdb.HGetAll(t.Context(), "{a}:hash").Val()
	for _, key := range []string{"{a}:text", "{a}:new", "{a}:count"} {
		held[key] = rdb.Get(t.Context(), key).Val()
	}
	return held
}

// eachServer runs test on the embedded server and on a real one, each empty.
func eachServer(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient)) {
	t.Run("embedded", func(t *testing.T) {
		server, err := redis.StartEmbedded("", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		rdb := server.Client()
		t.Cleanup(func() { _, _ = rdb.Close(), server.Close() })
		test(t, rdb)
	})
	t.Run("redis", func(t *testing.T) {
		rdb, err := redis.Dial(storagetest.Redis(t), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = rdb.Close() })
		test(t, rdb)
	})
}
