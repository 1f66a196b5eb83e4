package tenants

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Settings returns the settings of a tenant; what was never written has its zero value.
func (r *Records) Settings(ctx context.Context, tenant string) (record.TenantSettings, error) {
	hash, err := r.rdb.HGetAll(ctx, r.keys(tenant).settings()).Result()
	if err != nil {
		return record.TenantSettings{}, redis.Unavailable(err)
	}
	return readSettings(hash)
}

// settingTries is how often a write of settings that another one overtook is decided again.
const settingTries = 10

// UpdateSettings writes the settings sent, as who asks for it, and returns all of them as they were and as they are.
func (r *Records) UpdateSettings(
	ctx context.Context, tenant string, in record.SettingsInput, who record.Actor,
) (before, after record.TenantSettings, err error) {
	sent, err := settingsSent(&in)
	if err != nil {
		return before, after, err
	}
	for range settingTries {
		was, err := r.rdb.HGetAll(ctx, r.keys(tenant).settings()).Result()
		if err != nil {
			return before, after, redis.Unavailable(err)
		}
		is, changed := maps.Clone(was), []string(nil)
		for name, one := range sent {
			if is[name] = one.text; cmp.Or(was[name], one.zero) != one.text {
				changed = append(changed, name)
			}
		}
		if done, err := r.saveSettings(ctx, tenant, was, is, changed, who); err != nil {
			return before, after, err
		} else if !done {
			continue
		}
		if before, err = readSettings(was); err == nil {
			after, err = readSettings(is)
		}
		return before, after, err
	}
	return before, after, placements.Errorf(placements.CodeUnavailable, "Others write the settings all the time: try again.")
}

// saveSettings writes the settings that changed. false: another writer came first.
func (r *Records) saveSettings(
	ctx context.Context, tenant string, was, is map[string]string, changed []string, who record.Actor,
) (bool, error) {
	if len(changed) == 0 {
		return true, nil
	}
	k, tx := r.keys(tenant), new(redis.Txn)
	e := journal.Of(who, journal.Update, journal.Asset{Kind: journal.Settings})
	slices.Sort(changed)
	for _, name := range changed {
		tx.If(was[name], "HGET", k.settings(), name)
		tx.Then("HSET", k.settings(), name, is[name])
		e.Pointers = append(e.Pointers, "/"+name)
	}
	if err := k.note(tx, e); err != nil {
		return false, err
	}
	return r.commit(ctx, tx)
}

// setting is the JSON of a setting that was sent, and of the one that was never written.
type setting struct{ text, zero string }

// settingsSent are those that were sent, by name.
func settingsSent(in *record.SettingsInput) (fields map[string]setting, err error) {
	fields = map[string]setting{}
	add := func(name string, sent bool, value any) {
		text, encodeErr := record.Encode(value)
		zero, zeroErr := record.Encode(reflect.Zero(reflect.TypeOf(value)).Interface())
		if err == nil {
			err = cmp.Or(encodeErr, zeroErr)
		}
		if sent {
			fields[name] = setting{text, zero}
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
