package redis

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// rightsScript asks whether the login may run commands. A server before 7 cannot say.
//
//	KEYS   a key such as all have
//	ARGV   names of commands whose first argument is a key
//	result those that it may not run
var rightsScript = redis.NewScript(`
local denied = {}
for _, command in ipairs(redis.acl_check_cmd and ARGV or {}) do
  if not redis.acl_check_cmd(command, KEYS[1], KEYS[1], KEYS[1], KEYS[1]) then denied[#denied + 1] = command end
end
return denied`)

// rightsKey is a key of no data.
const rightsKey = "mooring:{p0}:ready"

// neededCommands lists those on keys that scripts run, of every type that is stored.
func neededCommands() []any {
	names := strings.Fields("DEL EXISTS GET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HSET HSETNX HSTRLEN INCR LINDEX LLEN LPOP LRANGE " +
		"PEXPIRE PEXPIREAT PTTL RPUSH SADD SCARD SET SISMEMBER SMEMBERS SREM TYPE XACK XADD XAUTOCLAIM XCLAIM XDEL XPENDING XRANGE ZADD ZCARD " +
		"ZLEXCOUNT ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZREM ZREMRANGEBYLEX ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYLEX ZREVRANGEBYSCORE ZSCORE")
	commands := make([]any, len(names))
	for i, name := range names {
		commands[i] = name
	}
	return commands
}

// checkRights is ErrDenied when the login may run some commands and not others.
func checkRights(ctx context.Context, rdb redis.Scripter) error {
	denied, err := rightsScript.Run(ctx, rdb, []string{rightsKey}, neededCommands()...).StringSlice()
	if err != nil {
		return Unavailable(err)
	}
	if len(denied) > 0 {
		return fmt.Errorf("%w: the login may not run %s on keys mooring:*", ErrDenied, strings.Join(denied, ", "))
	}
	return nil
}
