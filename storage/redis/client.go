package redis

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// UniversalClient is the client library's own, less the methods that name the library's clients: the compiler would lay out the 700 methods of
// one, twice, in each package that knows one, which took a quarter of the time of the whole build.
type UniversalClient interface {
	redis.Cmdable
	AddHook(redis.Hook)
	Do(ctx context.Context, args ...any) *redis.Cmd
	Process(ctx context.Context, cmd redis.Cmder) error
	Close() error
}

// What the rest of storage says to a server, in the client library's own words: it is imported nowhere else.
type (
	Cmdable            = redis.Cmdable
	Pipeliner          = redis.Pipeliner
	Cmd                = redis.Cmd
	IntCmd             = redis.IntCmd
	StatusCmd          = redis.StatusCmd
	DurationCmd        = redis.DurationCmd
	ScanCmd            = redis.ScanCmd
	StringCmd          = redis.StringCmd
	SliceCmd           = redis.SliceCmd
	StringSliceCmd     = redis.StringSliceCmd
	ZSliceCmd          = redis.ZSliceCmd
	MapStringStringCmd = redis.MapStringStringCmd
	XMessageSliceCmd   = redis.XMessageSliceCmd
	XStreamSliceCmd    = redis.XStreamSliceCmd
	Z                  = redis.Z
	ZRangeArgs         = redis.ZRangeArgs
	ZRangeBy           = redis.ZRangeBy
	XMessage           = redis.XMessage
	XStream            = redis.XStream
	XAddArgs           = redis.XAddArgs
	XReadArgs          = redis.XReadArgs
	XReadGroupArgs     = redis.XReadGroupArgs
	XClaimArgs         = redis.XClaimArgs
	XPendingExtArgs    = redis.XPendingExtArgs
)

// Nil is the reply for a key that is not there.
const Nil = redis.Nil

// The library's constructors, see there.
var (
	NewScript             = redis.NewScript
	NewMapStringStringCmd = redis.NewMapStringStringCmd
	NewXMessageSliceCmd   = redis.NewXMessageSliceCmd
)
