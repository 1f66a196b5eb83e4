package web

import (
	"encoding/base64"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// listDeploymentRuns answers with the runs of the deployment that the caller may read, the latest first. A page may be short, even empty,
// and have a next one: the storage looks at so many runs at a time.
func (s *Server) listDeploymentRuns(c *gin.Context) error {
	first, err := pageSize(c)
	if err != nil {
		return err
	}
	filter, err := runFilter(c)
	if err != nil {
		return err
	}
	after, err := base64.RawURLEncoding.DecodeString(c.Query("after"))
	if err != nil || len(after) > 0 && !record.CheckRunPlace(string(after)) {
		return placements.Errorf(placements.CodeCursor, "after is not a cursor of this list: send the endCursor of the page before.")
	}
	caller := current(c).Caller
	everything := caller.OnReport(0, nil) >= mayManage
	page, err := s.store.Queue().List(c.Request.Context(), current(c).deployment(), filter, string(after), first, !everything)
	if err != nil {
		return err
	}
	runs := page.Runs
	if !everything {
		runs = slices.DeleteFunc(runs, func(run *record.Run) bool {
			d := page.Definitions[run.ReportID]
			if d == nil || levelOn(caller, d) < mayRead {
				return true
			}
			hideValues(caller, run, &storage.Report{ReportHead: record.ReportHead{Definition: *d}})
			return false
		})
	}
	info := pageInfo{HasNextPage: page.HasNextPage}
	if page.HasNextPage || len(runs) > 0 {
		end := base64.RawURLEncoding.EncodeToString([]byte(page.End))
		info.EndCursor = &end
	}
	if runs == nil {
		runs = []*record.Run{}
	}
	c.JSON(http.StatusOK, gin.H{"items": runs, "pageInfo": info})
	return nil
}

// The values of the filters of runs.
var (
	runStates = []placements.RunState{
		"", placements.RunQueued, placements.RunRunning, placements.RunSucceeded, placements.RunFailed,
		placements.RunSkipped, placements.RunStopped,
	}
	hostKinds = []placements.Host{"", placements.SheetsA, placements.SheetsB}
)

// runFilter reads the filters of a list of runs.
func runFilter(c *gin.Context) (f record.RunFilter, err error) {
	if f.State = placements.RunState(c.Query("state")); !slices.Contains(runStates, f.State) {
		return f, placements.Errorf(placements.CodeParameter,
			"state must be one of QUEUED, RUNNING, SUCCEEDED, FAILED, SKIPPED, STOPPED.")
	}
	if f.Host = placements.Host(c.Query("host")); !slices.Contains(hostKinds, f.Host) {
		return f, placements.Errorf(placements.CodeParameter, "host must be SHEETS_A or SHEETS_B.")
	}
	f.Document = c.Query("document")
	for name, id := range map[string]*int64{"report": &f.Report, "owner": &f.Owner} {
		sent, err := queryID(c, name)
		if err != nil {
			return f, err
		}
		if sent != nil {
			*id = *sent
		}
	}
	if since := c.Query("since"); since != "" {
		if f.Since, err = time.Parse(time.RFC3339, since); err != nil {
			return f, placements.Errorf(placements.CodeParameter, "since must be a time such as 2026-11-22T07:00:00Z.").Because(err)
		}
	}
	return f, nil
}
