package record

import (
	"encoding/json"

	"mooring/placements"
)

// KeptSchedule is a schedule as it is stored: beside what is shown, it says that shiftRows was said. Records from before there was a way
// not to say it hold false where no one had asked for shifts: without shiftRowsSaid, false is read as not said, so that the placements of
// such a schedule have their own say. A run needs no such mark: it is stored as it was asked for, soon runs, and is not edited.
type KeptSchedule struct {
	*Schedule
	ShiftRowsSaid bool `json:"shiftRowsSaid,omitempty"`
}

// KeepSchedule returns c as it is stored.
func KeepSchedule(c *Schedule) KeptSchedule {
	return KeptSchedule{Schedule: c, ShiftRowsSaid: c.ShiftRows.Sent}
}

// ReadSchedule reads the JSON of a schedule as it is stored.
func ReadSchedule(text string) (*Schedule, error) {
	kept := KeptSchedule{Schedule: new(Schedule)}
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, err
	}
	if !kept.ShiftRowsSaid && !kept.ShiftRows.Or(false) {
		kept.ShiftRows = placements.Optional[bool]{}
	}
	return kept.Schedule, nil
}
