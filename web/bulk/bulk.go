package bulk

import (
	"net/http"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/request"
)

// Max is how many assets one request may act on.
const Max = 1000

// May refuses a caller who may not read every report of the deployment: what a filter matches would be more than they see.
func May(caller *auth.Caller) error {
	if caller.OnReport(0, nil) >= record.MayRead {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"A filter may match what all reports have, and your token shows you some: ask for a token with the action ReportRead.")
}

// CheckCount refuses an action on so many assets when the caller expected another number, or when they are too many.
func CheckCount(count, expected int) error {
	if count > Max {
		return placements.Errorf(placements.CodeInvalid,
			"The filter matches more than %d, the most that one request acts on: narrow it.", Max)
	}
	if count == expected {
		return nil
	}
	e := placements.Errorf(placements.CodeCountChanged,
		"The filter matches %d now, not %d: look at the list again, and send what it counts as expectedCount.", count, expected)
	e.Count = &count
	return e
}

// Effects is what became of the assets of an action.
type Effects[ID any] struct {
	Count   int           `json:"count"`
	Done    int           `json:"done"`
	Refused []Refused[ID] `json:"refused"` // the first ones
}

// Refused says why an asset is as it was.
type Refused[ID any] struct {
	ID      ID              `json:"id"`
	Code    placements.Code `json:"code"`
	Message string          `json:"message"`
}

// NewEffects begins the outcome of an action on so many assets: all are done that are not refused.
func NewEffects[ID any](count int) *Effects[ID] {
	return &Effects[ID]{Count: count, Done: count, Refused: []Refused[ID]{}}
}

// Refuse notes why one asset is as it was. An error that says nothing about the asset is returned.
func (o *Effects[ID]) Refuse(id ID, err error) error {
	why := request.Classified(err)
	if why == nil || request.Status(why.Code) >= http.StatusInternalServerError {
		return err
	}
	o.Done--
	if len(o.Refused) < placements.MaxDetails {
		o.Refused = append(o.Refused, Refused[ID]{id, why.Code, why.Message})
	}
	return nil
}
