package redis

import "github.com/redis/go-redis/v9"

// What the rest of storage says to a server, in the client library's own words: it is imported nowhere else.
type (
	UniversalClient    = redis.UniversalClient
	ClusterClient      = redis.ClusterClient
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
