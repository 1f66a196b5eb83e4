package record_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage/record"
)

// TestAScheduleSaysShiftRowsOnlyWhenItWasAsked reads schedules of today, and those from before shiftRows could be left out.
func TestAScheduleSaysShiftRowsOnlyWhenItWasAsked(t *testing.T) {
	for _, tc := range []struct {
		fact, stored string
		want         placements.Optional[bool]
	}{
		{"false of before is not said", `{"id":1,"name":"S","shiftRows":false,"jitterSeconds":0}`, placements.Optional[bool]{}},
		{"true of before is said", `{"id":1,"name":"S","shiftRows":true}`, placements.Sent(true)},
		{"not said", kept(t, placements.Optional[bool]{}), placements.Optional[bool]{}},
		{"false", kept(t, placements.Sent(false)), placements.Sent(false)},
		{"true", kept(t, placements.Sent(true)), placements.Sent(true)},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			c, err := record.ReadSchedule(tc.stored)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Options; !got.Equal(placements.Options{ShiftRows: tc.want}) || c.Name != "S" {
				t.Errorf("schedule %q says %+v, want %+v", c.Name, got.ShiftRows, tc.want)
			}
		})
	}
}

// kept returns the stored form of a schedule that says so.
func kept(t *testing.T, shiftRows placements.Optional[bool]) string {
	t.Helper()
	c := record.Schedule{ScheduleSpec: record.ScheduleSpec{Name: "S"}}
	c.ShiftRows = shiftRows
	text, err := record.Encode(record.KeepSchedule(&c))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAScheduleIsReadAsItWasKept reads schedules from which much was left out, nothing could be, and one of earlier versions.
func TestAScheduleIsReadAsItWasKept(t *testing.T) {
	usual := record.Schedule{
		ScheduleSpec: record.ScheduleSpec{Name: "S", CatchUp: record.CatchUpLatest, Overlap: record.OverlapSkip},
		CreatedAt:    "2026-01-02T03:04:05.678Z", UpdatedAt: "2026-01-02T03:04:05.678Z", CreatedBy: 7, UpdatedBy: &record.User{ID: 7, FirstName: "A"}, Version: 1,
	}
	other := usual
	other.CatchUp, other.Overlap, other.JitterSeconds, other.Paused = record.CatchUpAll, record.OverlapQueue, 5, true
	other.UpdatedAt, other.UpdatedBy, other.Version = "2026-01-03T03:04:05.678Z", &record.User{ID: 0, Email: "b@example.com"}, 2
	unknown := usual
	unknown.UpdatedBy = nil
	for name, want := range map[string]record.Schedule{"usual": usual, "other": other, "by whom was not kept": unknown} {
		short, err := record.Encode(record.KeepSchedule(&want))
		full, err2 := record.Encode(&want)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if len(short) >= len(full) {
			t.Errorf("%s: %d bytes are kept of %d", name, len(short), len(full))
		}
		for _, text := range []string{short, full} {
			got, err := record.ReadSchedule(text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Errorf("%s: read from %s (-want +got):\n%s", name, text, diff)
			}
		}
	}
}
