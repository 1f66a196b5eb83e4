package record

import (
	"cmp"
	"encoding/json"

	"mooring/placements"
)

// KeptSchedule is a schedule as it is stored: beside what is shown, it says that shiftRows was said. Records from before there was a way
// not to say it hold false where no one had asked for shifts: without shiftRowsSaid, false is read as not said, so that the placements of
// such a schedule have their own say. A run needs no such mark: it is stored as it was asked for, soon runs, and is not edited.
//
// There may be very many, so that what its key says, what was not chosen and what stands there already is left out. A record with all of it, of
// earlier versions, is read as well.
type KeptSchedule struct {
	*Schedule
	ShiftRowsSaid bool `json:"shiftRowsSaid,omitempty"`

	ID            int64      `json:"id,omitempty"`           // never kept
	DeploymentID  int64      `json:"deploymentId,omitempty"` // never kept
	CatchUp       string     `json:"catchUp,omitempty"`      // "": CatchUpLatest
	Overlap       string     `json:"overlap,omitempty"`      // "": OverlapSkip
	JitterSeconds int        `json:"jitterSeconds,omitempty"`
	Paused        bool       `json:"paused,omitempty"`
	UpdatedAt     string     `json:"updatedAt,omitempty"` // "": when it was created
	UpdatedBy     *keptMaker `json:"updatedBy,omitempty"`
	Version       int64      `json:"version,omitempty"` // 0: 1
}

// keptMaker is a user as a schedule keeps who changed it last.
type keptMaker struct {
	ID *int64 `json:"id,omitempty"` // nil: of who created it
	User
}

// KeepSchedule returns c as it is stored.
func KeepSchedule(c *Schedule) KeptSchedule {
	k := KeptSchedule{
		Schedule: c, ShiftRowsSaid: c.ShiftRows.Sent, JitterSeconds: c.JitterSeconds, Paused: c.Paused,
		CatchUp: unless(c.CatchUp, CatchUpLatest), Overlap: unless(c.Overlap, OverlapSkip), UpdatedAt: unless(c.UpdatedAt, c.CreatedAt), Version: unless(c.Version, 1),
	}
	if c.UpdatedBy != nil {
		k.UpdatedBy = &keptMaker{User: *c.UpdatedBy}
		if c.UpdatedBy.ID != c.CreatedBy {
			k.UpdatedBy.ID = &c.UpdatedBy.ID
		}
	}
	return k
}

// unless returns v, or nothing if it is what is read where nothing is kept.
func unless[T comparable](v, usual T) (kept T) {
	if v == usual {
		return kept
	}
	return v
}

// ReadSchedule reads the JSON of a schedule as it is stored, without what its key says.
func ReadSchedule(text string) (*Schedule, error) {
	c := new(Schedule)
	k := KeptSchedule{Schedule: c}
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return nil, err
	}
	if !k.ShiftRowsSaid && !c.ShiftRows.Or(false) {
		c.ShiftRows = placements.Optional[bool]{}
	}
	c.CatchUp, c.Overlap = cmp.Or(k.CatchUp, CatchUpLatest), cmp.Or(k.Overlap, OverlapSkip)
	c.JitterSeconds, c.Paused, c.UpdatedAt, c.Version = k.JitterSeconds, k.Paused, cmp.Or(k.UpdatedAt, c.CreatedAt), cmp.Or(k.Version, 1)
	if k.UpdatedBy != nil {
		c.UpdatedBy = new(k.UpdatedBy.User)
		c.UpdatedBy.ID = c.CreatedBy
		if id := k.UpdatedBy.ID; id != nil {
			c.UpdatedBy.ID = *id
		}
	}
	return c, nil
}
