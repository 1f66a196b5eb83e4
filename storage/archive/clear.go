package archive

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"mooring/storage/keys"
	"mooring/storage/redis"
)

// Clear takes tenants out of a storage, but for what was revoked, the keys that people have made, and what counts. The tokens of their devices are revoked.
func Clear(ctx context.Context, rdb redis.UniversalClient, partitions int, names []string, at time.Time) error {
	return redis.EachKey(ctx, rdb, "mooring:{p*}:t:*", "", func(found []string) error {
		var devices []deviceKey
		p := rdb.Pipeline()
		for _, key := range found {
			tenant, rest, _ := splitKey(key)
			if !slices.Contains(names, tenant) {
				continue
			}
			switch keys.BackupOf(rest) {
			case keys.Merged:
			case keys.Counter:
				forgetScript.Eval(ctx, p, []string{key}, "last")
			case keys.SignedIn:
				devices = append(devices, deviceKey{keys.OfTenant(tenant, partitions), key})
			default:
				p.Unlink(ctx, key)
			}
		}
		if err := clearDevices(ctx, rdb, p, devices, at); err != nil || p.Len() == 0 {
			return err
		}
		_, err := p.Exec(ctx)
		return redis.Unavailable(err)
	})
}

// deviceKey is the key of a device of a tenant.
type deviceKey struct {
	tenant keys.TenantKeys
	key    string
}

// clearDevices adds to p that devices are revoked, and then gone.
func clearDevices(ctx context.Context, rdb redis.UniversalClient, p redis.Pipeliner, devices []deviceKey, at time.Time) error {
	for _, d := range devices {
		stored, err := rdb.Get(ctx, d.key).Result()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			return redis.Unavailable(err)
		}
		if err := signOut(ctx, p, d.tenant, stored, at); err != nil {
			return err
		}
		p.Unlink(ctx, d.key)
	}
	return nil
}

// forgetScript takes out of a hash that counts all that does not: numbers of persons may be those of others in the file.
//
//	KEYS   hash
//	ARGV   the field that counts, if there is one; else all do
var forgetScript = redis.NewScript(`
local last = redis.call('HGET', KEYS[1], ARGV[1])
if not last then return 0 end
redis.call('DEL', KEYS[1])
return redis.call('HSET', KEYS[1], ARGV[1], last)`)

// splitKey takes the key of a tenant apart.
func splitKey(key string) (tenant, rest string, ok bool) {
	part := tenantKey.FindStringSubmatch(key)
	if part == nil {
		return "", "", false
	}
	tenant, err := url.QueryUnescape(part[1])
	return tenant, part[2], err == nil
}

// tenantsOf returns the names of the tenants of which a storage has anything.
func tenantsOf(ctx context.Context, rdb redis.UniversalClient) ([]string, error) {
	var mu sync.Mutex
	var names []string
	seen := map[string]bool{}
	err := redis.EachKey(ctx, rdb, "mooring:{p*}:t:*", "", func(found []string) error {
		mu.Lock()
		defer mu.Unlock()
		for _, key := range found {
			tenant, rest, ok := splitKey(key)
			if is := keys.BackupOf(rest); ok && is != keys.LeftOut && is != keys.Index && !seen[tenant] {
				seen[tenant], names = true, append(names, tenant)
			}
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}
