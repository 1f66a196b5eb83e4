package refresh

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mooring/placements"
)

// releaseFor is how long a run is left to other agents when this one does not see its file.
const releaseFor = 5 * time.Minute

// released is what f means for a placement: a file that an agent has written before, and this one does not see, may be there for another
// agent, or is just being replaced. The run goes back to the queue, for whichever agent takes it next, until releaseFor after its first
// attempt. One that is worked on here alone fails.
func (a *attempt) released(p placements.Placement, f *placements.Fault) *placements.Fault {
	first, err := time.Parse(time.RFC3339, a.run.StartedAt)
	if err != nil || a.alone || a.now().Sub(first) > releaseFor || p.QueryChecksum == "" || !errors.Is(f, fs.ErrNotExist) {
		return f
	}
	return &placements.Fault{
		Class: placements.Transient, Err: f,
		Message: fmt.Sprintf("The spreadsheet %q is not in the folder of this agent: the run is left to the others for %.0f minutes. "+
			"Put the file back, or give all agents the same folder.", p.WorkbookID, releaseFor.Minutes()),
	}
}
