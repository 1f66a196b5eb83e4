package record_test

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

// TestAScheduleSaysShiftRowsOnlyWhenItWasAsked reads schedules of today, and those from before shiftRows could be left out.
func TestAScheduleSaysShiftRowsOnlyWhenItWasAsked(t *testing.T) {
	for _, tc := range []struct {
		fact, stored string
		want         placements.Optional[bool]
	}{
		{"false of before is not said", `{"id":1,"shiftRows":false,"jitterSeconds":0}`, placements.Optional[bool]{}},
		{"true of before is said", `{"id":1,"shiftRows":true}`, placements.Sent(true)},
		{"not said", kept(t, placements.Optional[bool]{}), placements.Optional[bool]{}},
		{"false", kept(t, placements.Sent(false)), placements.Sent(false)},
		{"true", kept(t, placements.Sent(true)), placements.Sent(true)},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			c, err := record.ReadSchedule(tc.stored)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Options; !got.Equal(placements.Options{ShiftRows: tc.want}) || c.ID != 1 {
				t.Errorf("schedule %d says %+v, want %+v", c.ID, got.ShiftRows, tc.want)
			}
		})
	}
}

// kept returns the stored form of a schedule that says so.
func kept(t *testing.T, shiftRows placements.Optional[bool]) string {
	t.Helper()
	c := record.Schedule{ID: 1}
	c.ShiftRows = shiftRows
	text, err := record.Encode(record.KeepSchedule(&c))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
