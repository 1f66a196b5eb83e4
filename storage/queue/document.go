package queue

import (
	"context"
	"time"

	"mooring/storage/redis"
)

// Agents and add-ins take turns with a document: each agent that has waited while an add-in had it goes before the next add-in of any user.
// The turn of the agents is a set of those that wait, by the token of each, with the moment when its turn ends. They go before agents that
// come later too, lest one of them waits, and add-ins with it, as long as others come.

// turnAge is how long the turn of an agent that waits is kept after its last try, many times its longest pause between two.
const turnAge = 2 * time.Second

// tryDocumentScript takes the lock of a document for an agent, or its turn behind an add-in.
//
//	KEYS   lock of the document, turn of the agents
//	ARGV   token, ttl ms, age of the turn in ms, what the token of an add-in begins with
//	result 1, or 0 when another has the document or has waited for it
var tryDocumentScript = redis.NewScript(redis.NowLua + `
local lock, turn = unpack(KEYS)
local token, ttl, age, client = unpack(ARGV)
local holder, at = redis.call('GET', lock), now()
redis.call('ZREMRANGEBYSCORE', turn, '-inf', at)
local waits = redis.call('ZSCORE', turn, token)
if not holder then
  if not waits and redis.call('ZCARD', turn) > 0 then return 0 end
  redis.call('SET', lock, token, 'PX', ttl)
  redis.call('ZREM', turn, token)
  return 1
end
if waits or string.sub(holder, 1, #client) == client then
  redis.call('ZADD', turn, string.format('%.0f', at + age), token)
  redis.call('PEXPIRE', turn, age)
end
return 0`)

// TryDocument takes the lock of a document for an agent, and reports whether it did. Where an add-in has the document, the agent goes before
// the next one, if it tries again soon, also after other agents.
func (q *Queue) TryDocument(ctx context.Context, lock Lock, turn string, ttl time.Duration) (taken bool, err error) {
	n, err := tryDocumentScript.Run(ctx, q.db.rdb, []string{lock.Key, turn},
		lock.Token, ttl.Milliseconds(), turnAge.Milliseconds(), clientOwner).Int()
	if err != nil {
		return false, redis.Unavailable(err)
	}
	return n == 1, nil
}
