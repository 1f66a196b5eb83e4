package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/storage"
)

func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		got, err := s.Settings(t.Context(), "acme")
		if err != nil || got != (storage.TenantSettings{}) {
			t.Errorf("a new tenant has %+v, %v", got, err)
		}
		all := storage.SettingsInput{
			AuditLogEnabled: storage.Sent(true), AuditLogEnabledCurrent: storage.Sent(true), AuditLogEnabledTimestamp: storage.Sent[int64](1_760_000_000_000),
			HasSupportAccess: storage.Sent(true), UseAIBIUserInterface: storage.Sent(true), MaintenanceWindowEnabled: storage.Sent(true),
			MaintenanceWindowDay: storage.Sent("SUNDAY"), MaintenanceWindowTime: storage.Sent("02:00"), OIDCEnabled: storage.Sent(true),
		}
		want := storage.TenantSettings{
			AuditLogEnabled: true, AuditLogEnabledCurrent: true, AuditLogEnabledTimestamp: 1_760_000_000_000, HasSupportAccess: true,
			UseAIBIUserInterface: true, MaintenanceWindowEnabled: true, MaintenanceWindowDay: "SUNDAY", MaintenanceWindowTime: "02:00", OIDCEnabled: true,
		}
		steps := []struct {
			name string
			in   storage.SettingsInput
			edit func()
		}{
			{"all are written", all, func() {}},
			{"what is not sent stays", storage.SettingsInput{OIDCEnabled: storage.Sent(false)}, func() { want.OIDCEnabled = false }},
			{"null gives the zero value", storage.SettingsInput{MaintenanceWindowDay: storage.Null[string]()}, func() { want.MaintenanceWindowDay = "" }},
			{"nothing sent changes nothing", storage.SettingsInput{}, func() {}},
		}
		for _, step := range steps {
			step.edit()
			_, written, err := s.UpdateSettings(t.Context(), "acme", step.in)
			if diff := cmp.Diff(want, written); diff != "" || err != nil {
				t.Errorf("%s: %s %v", step.name, diff, err)
			}
			if read, err := s.Settings(t.Context(), "acme"); read != want || err != nil {
				t.Errorf("%s, read back: %+v %v", step.name, read, err)
			}
		}
		if got, _ := s.Settings(t.Context(), "globex"); got != (storage.TenantSettings{}) {
			t.Errorf("another tenant has %+v", got)
		}
	})
}
