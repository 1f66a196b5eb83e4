package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/storage"
)

// deleteReport removes a report and its placements from every index; it needs manage access. One that dashboards show or schedules refresh
// stays, unless force=true is sent, which deletes the schedules too (decisions.md §4).
func (s *Server) deleteReport(c *gin.Context) error {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return err
	}
	force, err := queryFlag(c, "force")
	if err != nil {
		return err
	}
	ctx, at := c.Request.Context(), current(c).deployment()
	allow := func(r *storage.Report) error { return mayChangeReport(c, r, mayManage, storage.Optional[int64]{}) }
	r, err := s.store.Report(ctx, at, id)
	if err != nil {
		return absent(err, "report")
	}
	if err := allow(r); err != nil {
		return err
	}
	uses, err := s.store.Uses(ctx, at, id)
	if err != nil {
		return err
	}
	if len(uses.Workbooks)+len(uses.Schedules) > 0 && !force {
		return s.inUse(c, id, uses)
	}
	if err := s.store.DeleteReport(ctx, at, id, allow, uses.Schedules...); err != nil {
		return absent(err, "report")
	}
	schedules := make([]int64, len(uses.Schedules))
	for i, one := range uses.Schedules {
		schedules[i] = one.ID
	}
	c.JSON(http.StatusOK, gin.H{"id": id, "deletedSchedules": schedules})
	return nil
}

// inUse is the refusal to delete a report: it names what uses the report and the caller may read, and counts the rest.
func (s *Server) inUse(c *gin.Context, id int64, uses storage.Uses) error {
	var by []detail
	hidden := 0
	name := func(readable bool, format string, args ...any) {
		if !readable {
			hidden++
			return
		}
		by = append(by, detail{Code: codeInUse, Message: fmt.Sprintf(format, args...)})
	}
	for _, wb := range uses.Workbooks {
		name(current(c).Caller.onWorkbook(wb.CreatedBy) >= mayRead, "The dashboard of workbook %d, %.80q, has a chart of it.", wb.ID, wb.Name)
	}
	for _, one := range uses.Schedules {
		have, err := s.onSchedule(c, one)
		if err != nil {
			return err
		}
		name(have >= mayRead, "Schedule %d, %.80q, refreshes it.", one.ID, one.Name)
	}
	if hidden > 0 {
		by = append(by, detail{Code: codeInUse, Message: fmt.Sprintf("%d more that this token may not read.", hidden)})
	}
	f := refuse(codeInUse, "Report %d is used by %s: take it out of them first, or send force=true, "+
		"which deletes its schedules and leaves its charts empty.", id, counted(uses))
	f.details = ordered(by)
	return f
}

// counted says how many dashboards and schedules there are.
func counted(uses storage.Uses) string {
	var parts []string
	for _, one := range []struct {
		n    int
		noun string
	}{{len(uses.Workbooks), "dashboard"}, {len(uses.Schedules), "schedule"}} {
		switch one.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+one.noun)
		default:
			parts = append(parts, strconv.Itoa(one.n)+" "+one.noun+"s")
		}
	}
	return strings.Join(parts, " and ")
}
