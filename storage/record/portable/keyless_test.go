package portable

import (
	"maps"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

// scheduleOf is a schedule of a report.
func scheduleOf(id int64, name, key string, report int64) *record.Schedule {
	c := &record.Schedule{ID: id}
	c.Name, c.Key, c.Target.ReportID = name, key, report
	return c
}

func TestMadeKeys(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tt := range []struct {
		name string
		all  []*record.Schedule
		want map[int64]string
	}{
		{"what the name says", []*record.Schedule{scheduleOf(1, "Every Night, at 3!", "", 1)}, map[int64]string{1: "every-night-at-3"}},
		{"a key that is stored is taken", []*record.Schedule{scheduleOf(2, "Daily", "", 1), scheduleOf(9, "", "daily", 1)}, map[int64]string{2: "daily-2"}},
		{
			"of one name the oldest has it, in any order",
			[]*record.Schedule{scheduleOf(7, "daily", "", 1), scheduleOf(3, "Daily", "", 1), scheduleOf(5, "Daily 2", "", 1)},
			map[int64]string{3: "daily", 5: "daily-2", 7: "daily-3"},
		},
		{"without a name", []*record.Schedule{scheduleOf(1, "", "", 1), scheduleOf(2, "日次", "", 1)}, map[int64]string{1: "schedule", 2: "schedule-2"}},
		{"a long name leaves room", []*record.Schedule{scheduleOf(1, long, "", 1), scheduleOf(2, long, "", 1)}, map[int64]string{1: long[:100], 2: long[:100] + "-2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := MadeKeys(tt.all)
			if !maps.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			for _, key := range got {
				if wrong := KeyFault(key); wrong != "" {
					t.Errorf("%q: %s", key, wrong)
				}
			}
		})
	}
}

// A bundle means a schedule without a key if it is of the same report, or if it is named by its number.
func TestLeaveOthers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		held   *record.Schedule
		bundle Bundle
		meant  bool
	}{
		{"of the same report", scheduleOf(17, "Daily", "", 1), Bundle{}, true},
		{"of another report", scheduleOf(17, "Daily", "", 2), Bundle{}, false},
		{"of another report, adopted", scheduleOf(17, "Daily", "", 2), Bundle{Adopt: []string{"schedule:#17"}}, true},
		{"of another report, taken over", scheduleOf(17, "Daily", "", 2), Bundle{TakeOver: []string{"schedule:#17"}}, true},
		{"another is adopted", scheduleOf(17, "Daily", "", 2), Bundle{Adopt: []string{"schedule:#1"}}, false},
		{"one with the key", scheduleOf(17, "Daily", "daily", 2), Bundle{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &ScheduleDeclaration{Target: placements.Sent(ScheduleTarget{PublicID: "RevByRegion1"})}
			tt.bundle.Assets = []Asset{{Ref: "daily", Definition: d}}
			held := &Holdings{Schedules: map[string]*record.Schedule{"daily": tt.held}, PublicIDs: map[int64]string{1: "RevByRegion1", 2: "Another00001"}}
			tt.bundle.LeaveOthers(held)
			if got := held.Schedules["daily"] != nil; got != tt.meant {
				t.Errorf("meant: %v, want %v", got, tt.meant)
			}
		})
	}
}
