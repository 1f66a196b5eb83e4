package tenants

import (
	"context"
	"encoding/json"
	"fmt"

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

// UpdateSettings writes the settings sent and returns all of them as they were and as they are.
func (r *Records) UpdateSettings(
	ctx context.Context, tenant string, in record.SettingsInput,
) (before, after record.TenantSettings, err error) {
	fields, err := settingsFields(&in)
	if err != nil {
		return before, after, err
	}
	if len(fields) == 0 {
		before, err = r.Settings(ctx, tenant)
		return before, before, err
	}
	key := r.keys(tenant).settings()
	var was, is *redis.MapStringStringCmd
	_, err = r.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
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
