package refresh

import (
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// A run goes no further than the token that asked for it or wrote its schedule: of dora, who made the report, that of a device for reading
// refreshes her own placements and overwrites no other's.
func TestARunGoesNoFurtherThanTheTokenThatAskedForIt(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d, _ := newMirror(t, s)
		d.place(ann, "ann", true)
		device := dora
		device.Bound = []string{record.ActionReportRead}
		d.ends(d.scheduled(device), "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SKIPPED"})
		d.ends(d.refreshed(device, Request{Options: onEdit(placements.Overwrite)}), "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SKIPPED"})
		device.Bound = []string{record.ActionReportEdit}
		d.ends(d.scheduled(device), "SUCCEEDED", map[string]string{"book": "SUCCEEDED", "ann": "SUCCEEDED"})
		d.quiet()
		device.Bound = []string{}
		d.ends(d.scheduled(device), "FAILED auth", map[string]string{})
	})
}
