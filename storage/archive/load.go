package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/backup"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
	"mooring/storage/tenants"
)

// Loader writes what a file has into a storage in which its tenants are not, or not any more: see Clear. It is a backup.Handler.
type Loader struct {
	ctx        context.Context
	rdb        redis.UniversalClient
	partitions int
	at         time.Time
	progress   func(tenant string, c backup.Counts)
	tenant     keys.TenantKeys
	pipe       redis.Pipeliner
	bytes      int
	text       int64 // how much of the present text was written
	devices    int   // of which tokens were revoked
}

// NewLoader returns a loader for a storage with that many partitions, which restores at that time. progress is told of each tenant that is
// there. What it revokes, and when, counts for as long as the loader's ctx lasts.
func NewLoader(
	ctx context.Context, rdb redis.UniversalClient, partitions int, at time.Time, progress func(tenant string, c backup.Counts),
) *Loader {
	return &Loader{ctx: ctx, rdb: rdb, partitions: partitions, at: at, progress: progress, pipe: rdb.Pipeline()}
}

// Devices is how many devices the loader has signed out.
func (l *Loader) Devices() int { return l.devices }

// Tenant begins a tenant.
func (l *Loader) Tenant(name string) error {
	l.tenant = keys.OfTenant(name, l.partitions)
	return nil
}

// Drop takes out a key.
func (l *Loader) Drop(key string) error {
	if keys.BackupOf(key) == keys.Whole {
		l.pipe.Del(l.ctx, l.tenant.Prefix+key)
	}
	return l.flushed(0)
}

// Tail ends a tenant.
func (l *Loader) Tail(c backup.Counts) error {
	if err := l.flush(); err != nil {
		return err
	}
	l.progress(l.tenant.Name, c)
	return nil
}

// Piece writes a part of a key.
func (l *Loader) Piece(p backup.Piece) error {
	var err error
	size := 0
	for _, item := range p.Items {
		size += len(item)
	}
	key := l.tenant.Prefix + p.Key
	switch keys.BackupOf(p.Key) {
	case keys.Whole:
		err = l.write(key, p)
	case keys.Counter:
		l.count(key, p.Items)
	case keys.Merged:
		err = l.merge(key, p)
	case keys.SignedIn:
		err = l.signOut(p)
	case keys.LeftOut, keys.Index: // of a version that kept them
	}
	return cmp.Or(err, l.flushed(size))
}

// write writes what is in p behind what came before.
func (l *Loader) write(key string, p backup.Piece) error {
	if p.First {
		l.pipe.Del(l.ctx, key)
	}
	if len(p.Items) == 0 {
		return nil
	}
	switch p.Kind {
	case backup.String:
		l.writeText(key, p)
	case backup.Hash:
		l.pipe.HSet(l.ctx, key, anys(p.Items)...)
	case backup.Set:
		l.pipe.SAdd(l.ctx, key, anys(p.Items)...)
	case backup.List:
		l.pipe.RPush(l.ctx, key, anys(p.Items)...)
	case backup.Sorted:
		members, err := scored(p.Items)
		if err != nil {
			return err
		}
		l.pipe.ZAdd(l.ctx, key, members...)
	case backup.Stream:
		if err := l.writeEntries(key, p.Items); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%w: key %s is of a kind that this version does not know", backup.ErrRefused, p.Key)
	}
	if p.Expires != 0 {
		l.pipe.PExpireAt(l.ctx, key, time.UnixMilli(p.Expires))
	}
	return nil
}

// writeText writes a part of a text at its place: the client sends a pipeline again when a node of a cluster breaks off, and a part that
// was appended twice would be there twice.
func (l *Loader) writeText(key string, p backup.Piece) {
	if p.First {
		l.text = 0
		l.pipe.Set(l.ctx, key, p.Items[0], 0)
	} else {
		l.pipe.SetRange(l.ctx, key, l.text, p.Items[0])
	}
	l.text += int64(len(p.Items[0]))
}

func anys(items []string) []any {
	all := make([]any, len(items))
	for i, item := range items {
		all[i] = item
	}
	return all
}

// scored reads members and their scores.
func scored(items []string) ([]redis.Z, error) {
	members := make([]redis.Z, 0, len(items)/2)
	for pair := range slices.Chunk(items, 2) {
		score, err := strconv.ParseFloat(pair[len(pair)-1], 64)
		if err != nil || len(pair) < 2 {
			return nil, fmt.Errorf("%w: a score is no number", backup.ErrRefused)
		}
		members = append(members, redis.Z{Member: pair[0], Score: score})
	}
	return members, nil
}

func (l *Loader) writeEntries(key string, items []string) error {
	for len(items) > 0 {
		if len(items) < 2 {
			return errEntry
		}
		n, err := strconv.Atoi(items[1])
		if err != nil || n < 0 || n > len(items)-2 {
			return errEntry
		}
		l.pipe.XAdd(l.ctx, &redis.XAddArgs{Stream: key, ID: items[0], Values: anys(items[2 : 2+n])})
		items = items[2+n:]
	}
	return nil
}

var errEntry = fmt.Errorf("%w: an entry of a stream is damaged", backup.ErrRefused)

// count writes fields of a hash that counts: a number is not replaced by a lower one.
func (l *Loader) count(key string, items []string) {
	countScript.Eval(l.ctx, l.pipe, []string{key}, anys(items)...)
}

// countScript keeps the higher of numbers.
//
//	KEYS   hash
//	ARGV   field, value; and so on
var countScript = redis.NewScript(`
for i = 1, #ARGV, 2 do
  local was = redis.call('HGET', KEYS[1], ARGV[i])
  if not was or tonumber(was) < tonumber(ARGV[i + 1]) then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 1`)

// merge adds what was revoked to what is revoked, and keys that were made to those that are there.
func (l *Loader) merge(key string, p backup.Piece) error {
	if p.Kind == backup.Hash {
		for pair := range slices.Chunk(p.Items, 2) {
			l.pipe.HSetNX(l.ctx, key, pair[0], pair[len(pair)-1])
		}
		return nil
	}
	members, err := scored(p.Items)
	if len(members) > 0 {
		l.pipe.ZAddGT(l.ctx, key, members...)
	}
	return err
}

// signOut revokes the tokens of a device, which has to be paired again: since the backup it may have got others, or was signed out.
func (l *Loader) signOut(p backup.Piece) error {
	if !p.First || len(p.Items) == 0 {
		return nil
	}
	l.devices++
	return signOut(l.ctx, l.pipe, l.tenant, p.Items[0], l.at)
}

func signOut(ctx context.Context, p redis.Pipeliner, k keys.TenantKeys, stored string, at time.Time) error {
	var d record.Device
	if err := json.Unmarshal([]byte(stored), &d); err != nil {
		return fmt.Errorf("device of tenant %s: %w", k.Name, err)
	}
	return tenants.StayRevoked(ctx, p, k, d.ID, d.Expires, record.Revocation{At: placements.Time(at)})
}

// What is sent in one round trip.
const (
	mostCommands = 500
	mostBytes    = 1 << 20
)

func (l *Loader) flushed(size int) error {
	if l.bytes += size; l.bytes < mostBytes && l.pipe.Len() < mostCommands {
		return nil
	}
	return l.flush()
}

func (l *Loader) flush() error {
	l.bytes = 0
	if l.pipe.Len() == 0 {
		return nil
	}
	_, err := l.pipe.Exec(l.ctx)
	return redis.Unavailable(err)
}
