package refresh

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mooring/placements"
)

// missingHorizon is how long a file that was written before is waited for.
const missingHorizon = 24 * time.Hour

// released is what f means for a placement: a file that an agent has written before, and this one does not see, or whose folder it does
// not see, may be there for another agent, may be just being replaced, or be on a disk that is not mounted now. The run goes back to the
// queue, for whichever agent takes it next, until missingHorizon after its first attempt. One that is worked on here alone fails.
func (a *attempt) released(p placements.Placement, f *placements.Fault) *placements.Fault {
	first, err := time.Parse(time.RFC3339, a.run.StartedAt)
	if err != nil || a.alone || a.now().Sub(first) > missingHorizon || p.QueryChecksum == "" || !errors.Is(f, fs.ErrNotExist) {
		return f
	}
	return &placements.Fault{
		Class: placements.Transient, Err: f,
		Message: fmt.Sprintf("The spreadsheet %q, which was written before, is not in the folder of this agent, or the folder is missing: "+
			"it is looked for again until %s, by any agent. Put the file back, or give all agents the same folder.",
			p.WorkbookID, placements.Time(first.Add(missingHorizon))),
	}
}
