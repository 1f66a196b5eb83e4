package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Settings returns the settings of a tenant; what was never written has its zero value.
func (s *Store) Settings(ctx context.Context, tenant string) (record.TenantSettings, error) {
	hash, err := s.rdb.HGetAll(ctx, s.tenant(tenant).settings()).Result()
	if err != nil {
		return record.TenantSettings{}, redis.Unavailable(err)
	}
	return readSettings(hash)
}

// UpdateSettings writes the settings sent and returns all of them as they were and as they are.
func (s *Store) UpdateSettings(
	ctx context.Context, tenant string, in record.SettingsInput,
) (before, after record.TenantSettings, err error) {
	fields, err := settingsFields(&in)
	if err != nil {
		return before, after, err
	}
	if len(fields) == 0 {
		before, err = s.Settings(ctx, tenant)
		return before, before, err
	}
	key := s.tenant(tenant).settings()
	var was, is *redis.MapStringStringCmd
	_, err = s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		was = p.HGetAll(ctx, key)
		p.HSet(ctx, key, fields...)
		is = p.HGetAll(ctx, key)
		return nil
	})
	if err != nil {
		return before, after, redis.Unavailable(err)
	}
	if before, err = readSettings(was.Val()); err == nil {
		after, err = readSettings(is.Val())
	}
	return before, after, err
}

// settingsFields lists name and JSON of what was sent.
func settingsFields(in *record.SettingsInput) (fields []any, err error) {
	add := func(name string, sent bool, value any) {
		text, encodeErr := record.Encode(value)
		if err == nil {
			err = encodeErr
		}
		if sent {
			fields = append(fields, name, text)
		}
	}
	add("auditLogEnabled", in.AuditLogEnabled.Sent, in.AuditLogEnabled.OrZero())
	add("auditLogEnabledCurrent", in.AuditLogEnabledCurrent.Sent, in.AuditLogEnabledCurrent.OrZero())
	add("auditLogEnabledTimestamp", in.AuditLogEnabledTimestamp.Sent, in.AuditLogEnabledTimestamp.OrZero())
	add("hasSupportAccess", in.HasSupportAccess.Sent, in.HasSupportAccess.OrZero())
	add("useAIBIUserInterface", in.UseAIBIUserInterface.Sent, in.UseAIBIUserInterface.OrZero())
	add("maintenanceWindowEnabled", in.MaintenanceWindowEnabled.Sent, in.MaintenanceWindowEnabled.OrZero())
	add("maintenanceWindowDay", in.MaintenanceWindowDay.Sent, in.MaintenanceWindowDay.OrZero())
	add("maintenanceWindowTime", in.MaintenanceWindowTime.Sent, in.MaintenanceWindowTime.OrZero())
	add("oidcEnabled", in.OIDCEnabled.Sent, in.OIDCEnabled.OrZero())
	return fields, err
}

// readSettings puts the fields, each a JSON value, into one object and reads that.
func readSettings(hash map[string]string) (t record.TenantSettings, err error) {
	members := make(map[string]json.RawMessage, len(hash))
	for name, text := range hash {
		members[name] = json.RawMessage(text)
	}
	object, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(object, &t)
	}
	if err != nil {
		return record.TenantSettings{}, fmt.Errorf("tenant settings: %w", err)
	}
	return t, nil
}

// Revoke makes a tenant's token invalid by its id (jti). It is remembered until the token would have expired by itself; what
// has expired already is forgotten on the way.
func (s *Store) Revoke(ctx context.Context, tenant, tokenID string, until time.Time) error {
	key := s.tenant(tenant).revoked()
	_, err := s.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.ZRemRangeByScore(ctx, key, "-inf", "("+seconds(s.now()))
		p.ZAdd(ctx, key, redis.Z{Score: float64(until.Unix()), Member: tokenID})
		return nil
	})
	return redis.Unavailable(err)
}

// Revoked lists a tenant's revoked tokens that have not expired yet, those that are forgotten first at the front.
func (s *Store) Revoked(ctx context.Context, tenant string) ([]record.Revocation, error) {
	unexpired := redis.ZRangeBy{Min: seconds(s.now()), Max: "+inf"}
	list, err := s.rdb.ZRangeByScoreWithScores(ctx, s.tenant(tenant).revoked(), &unexpired).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	revoked := make([]record.Revocation, len(list))
	for i, z := range list {
		revoked[i].TokenID, _ = z.Member.(string)
		revoked[i].Until = time.Unix(int64(z.Score), 0).UTC()
	}
	return revoked, nil
}

func seconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// TakeQuota takes n requests out of the perMinute of an account with another service, which all that use this storage share, and returns 0;
// or takes none and returns how long to wait until it could. A minute's requests may be made at once; more than that at once count as that.
// It makes s what package host calls a Limiter.
func (s *Store) TakeQuota(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	sum := sha256.Sum256([]byte(account)) // an account's name may say more than keys should
	cost := float64(time.Minute.Microseconds()) / float64(perMinute)
	key := quotaKey(hex.EncodeToString(sum[:16]))
	wait, _, err := redis.TakeTokens(ctx, s.rdb, key, cost*float64(min(n, perMinute)), float64(time.Minute.Microseconds()))
	return wait, err
}

// TakeRequest counts a request of a bearer token (by its id) against rate.
func (s *Store) TakeRequest(ctx context.Context, tenant, token string, rate record.Rate) (record.Taken, error) {
	cost := 1e6 / rate.PerSecond
	wait, full, err := redis.TakeTokens(ctx, s.rdb, s.tenant(tenant).rate(token), cost, cost*float64(rate.Burst))
	if err != nil {
		return record.Taken{}, err
	}
	return record.Taken{Wait: wait, Left: max(0, rate.Burst-int(math.Ceil(float64(full.Microseconds())/cost))), Full: full}, nil
}

// scheduleLocks are the locks that a write of a schedule takes: with limits also the one under which schedules are counted, so that of
// writers at the same time none counts without the others.
func (s *Store) scheduleLocks(k deploymentKeys, id int64) []string {
	if s.schedules == (record.ScheduleLimits{}) {
		return []string{k.scheduleLock(id)}
	}
	return []string{k.scheduleLock(id), k.schedulesLock()}
}

// roomFor checks that c, new or changed, is within the limits, see Admit; the caller holds the scheduleLocks.
func (s *Store) roomFor(ctx context.Context, k deploymentKeys, c *record.Schedule) error {
	if s.schedules == (record.ScheduleLimits{}) {
		return nil
	}
	p := s.rdb.Pipeline()
	tenant, user := p.ZCard(ctx, k.schedulesOfTenant()), p.ZRangeWithScores(ctx, k.schedulesOf(c.CreatedBy), 0, -1)
	if _, err := p.Exec(ctx); err != nil {
		return redis.Unavailable(err)
	}
	before, others := c.PerHour, []int(nil) // one that is not listed was stored when there were no limits
	for _, one := range user.Val() {
		if one.Member == k.owner(c.ID) {
			before = int(one.Score)
		} else {
			others = append(others, int(one.Score))
		}
	}
	return s.schedules.Admit(c, before, others, int(tenant.Val()))
}
