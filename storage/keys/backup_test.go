package keys_test

import (
	"strings"
	"testing"

	"mooring/storage/keys"
	"mooring/storage/record"
)

func TestBackupOf(t *testing.T) {
	k := keys.Of(record.Deployment{Tenant: "a:b", ID: 12}, 16)
	for key, want := range map[string]keys.Backup{
		k.Report(7):                          keys.Whole,
		k.Placements(7):                      keys.Whole,
		k.Runs().Record("7:1000"):            keys.Whole,
		k.Blocks().WriteAheadRows(7, "p"):    keys.Whole, // rows that may stand in a block
		k.Blocks().Edits(7, "x:active"):      keys.Whole,
		k.Schedule(3):                        keys.Whole,
		k.Schedules():                        keys.Whole,
		k.ReportSchedules(7):                 keys.Whole,
		k.SchedulesOf(5):                     keys.Whole,
		k.Audit():                            keys.Whole,
		k.TenantKeys.Audit():                 keys.Whole,
		k.Document("book"):                   keys.Whole,
		k.PublicIDs():                        keys.Whole,
		k.Runs().Lateness("20000"):           keys.Whole,
		k.TenantKeys.Prefix + "hook:x":       keys.Whole, // whatever is new
		k.TenantKeys.Prefix + "settings":     keys.Whole,
		k.DocumentLock("book"):               keys.LeftOut,
		k.Locks().Report(7):                  keys.LeftOut,
		k.Runs().ActiveRuns(7):               keys.LeftOut,
		k.AuditUse("source.preview:5"):       keys.LeftOut,
		k.Runs().ScheduleWaiting(3):          keys.LeftOut,
		k.Runs().ClientPlan("r"):             keys.LeftOut,
		k.Plan("x"):                          keys.LeftOut,
		k.PlansOf(5):                         keys.LeftOut,
		k.TenantKeys.PlansKept():             keys.LeftOut,
		k.TenantKeys.Prefix + "rate:x":       keys.LeftOut,
		k.TenantKeys.Prefix + "device:x":     keys.SignedIn,
		k.TenantKeys.Prefix + "revoked:told": keys.Merged,
		k.TenantKeys.Prefix + "keys":         keys.Merged,
		k.TenantKeys.Prefix + "keys:used":    keys.Merged,
		k.TenantKeys.Prefix + "users":        keys.Counter,
		k.IDs():                              keys.Counter,
		k.Runs().List("open"):                keys.Index,
		k.Standing():                         keys.Index,
		k.Placed("all"):                      keys.Index,
		k.Documents():                        keys.Index,
		k.DocumentList("all"):                keys.Index,
	} {
		name, of := strings.CutPrefix(key, k.TenantKeys.Prefix)
		if got := keys.BackupOf(name); !of || got != want {
			t.Errorf("%s: %d, want %d", key, got, want)
		}
	}
	if got := keys.DeploymentOf(strings.TrimPrefix(k.IDs(), k.TenantKeys.Prefix)); got != "12" {
		t.Errorf("deployment %q", got)
	}
}
