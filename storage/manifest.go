package storage

import (
	"context"

	"mooring/storage/keys"
	"mooring/storage/redis"
)

// ManifestVersion is how the versions of the add-in's manifest are counted.
type ManifestVersion struct {
	Template int64 // the highest of the programs that had one
	Number   int64 // grows with every change, from 1
}

// manifestScript answers with the version of a manifest. A process that knows the version of its own is told that again when another one has
// begun with another manifest since: the two would count on in turn.
var manifestScript = redis.NewScript(`
local hash, template, known, number = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local was = redis.call('HMGET', KEYS[1], 'hash', 'template', 'number')
if was[1] == hash then return {tonumber(was[2]), tonumber(was[3])} end
if was[1] and number > 0 then return {known, number} end
template = math.max(template, known, tonumber(was[2] or 0))
number = math.max(number, tonumber(was[3] or 0) + 1)
redis.call('HSET', KEYS[1], 'hash', hash, 'template', template, 'number', number)
return {template, number}
`)

// CountManifest returns the version of the add-in's manifest whose contents have a hash, made of a template. It grows when they are others
// than those that were counted last. known is what the process was told before; a process that begins knows none.
func (s *Store) CountManifest(ctx context.Context, hash string, template int64, known ManifestVersion) (ManifestVersion, error) {
	told, err := manifestScript.Run(ctx, s.db.Redis, []string{keys.Manifest}, hash, template, known.Template, known.Number).Int64Slice()
	if err != nil {
		return ManifestVersion{}, redis.Unavailable(err)
	}
	return ManifestVersion{Template: told[0], Number: told[1]}, nil
}
