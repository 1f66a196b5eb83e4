package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		got, err := s.Tenants().Settings(t.Context(), "acme")
		if err != nil || got != (record.TenantSettings{}) {
			t.Errorf("a new tenant has %+v, %v", got, err)
		}
		all := record.SettingsInput{
			AuditLogEnabled: placements.Sent(true), AuditLogEnabledCurrent: placements.Sent(true), AuditLogEnabledTimestamp: placements.Sent[int64](1_760_000_000_000),
			HasSupportAccess: placements.Sent(true), UseAIBIUserInterface: placements.Sent(true), MaintenanceWindowEnabled: placements.Sent(true),
			MaintenanceWindowDay: placements.Sent("SUNDAY"), MaintenanceWindowTime: placements.Sent("02:00"), OIDCEnabled: placements.Sent(true),
		}
		want := record.TenantSettings{
			AuditLogEnabled: true, AuditLogEnabledCurrent: true, AuditLogEnabledTimestamp: 1_760_000_000_000, HasSupportAccess: true,
			UseAIBIUserInterface: true, MaintenanceWindowEnabled: true, MaintenanceWindowDay: "SUNDAY", MaintenanceWindowTime: "02:00", OIDCEnabled: true,
		}
		steps := []struct {
			name string
			in   record.SettingsInput
			edit func()
		}{
			{"all are written", all, func() {}},
			{"what is not sent stays", record.SettingsInput{OIDCEnabled: placements.Sent(false)}, func() { want.OIDCEnabled = false }},
			{"null gives the zero value", record.SettingsInput{MaintenanceWindowDay: placements.Null[string]()}, func() { want.MaintenanceWindowDay = "" }},
			{"nothing sent changes nothing", record.SettingsInput{}, func() {}},
		}
		for _, step := range steps {
			step.edit()
			_, written, err := s.Tenants().UpdateSettings(t.Context(), "acme", step.in, ada)
			if diff := cmp.Diff(want, written); diff != "" || err != nil {
				t.Errorf("%s: %s %v", step.name, diff, err)
			}
			if read, err := s.Tenants().Settings(t.Context(), "acme"); read != want || err != nil {
				t.Errorf("%s, read back: %+v %v", step.name, read, err)
			}
		}
		if got, _ := s.Tenants().Settings(t.Context(), "globex"); got != (record.TenantSettings{}) {
			t.Errorf("another tenant has %+v", got)
		}
	})
}
