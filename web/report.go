package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
)

// createReport makes a report; it needs ReportEdit in the token's own actions (decisions.md §3).
func createReport(s *Server, c *gin.Context, in *reportInput) (reportAnswer, error) {
	if err := in.inWorkbook(nil); err != nil {
		return reportAnswer{}, err
	}
	r, err := s.store.Reports().Create(c.Request.Context(), current(c).deployment(), in.ReportInput, current(c).Caller.Actor)
	return written(r, err)
}

// answerMadeReport answers as createReport did that made the report, with what it is now.
func answerMadeReport(s *Server, c *gin.Context, id int64) error {
	r, err := s.store.Reports().Get(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return absent(err, "report")
	}
	if err := mayReadReport(current(c).Caller, r); err != nil {
		return err
	}
	r.Effect = record.Created
	made, err := written(r, nil)
	if err != nil {
		return err
	}
	return reports.answer(s, c, made)
}

// updateReport sets the fields sent; it needs edit access.
func updateReport(s *Server, c *gin.Context, id int64, in *reportInput) (reportAnswer, error) {
	allow := func(r *storage.Report) error { return mayRedefine(c, r, in) }
	r, err := s.store.Reports().Update(c.Request.Context(), current(c).deployment(), id, in.ReportInput, current(c).Caller.Actor, allow)
	return written(r, err)
}

// upsertReport creates the report with the path's publicId or updates the one that has it (interface.md, Create or update a
// report by publicId).
func upsertReport(s *Server, c *gin.Context, in *reportInput) (reportAnswer, error) {
	allow := func(r *storage.Report) error {
		if r == nil {
			return mayStartReport(c, in)
		}
		return mayRedefine(c, r, in)
	}
	at, who := current(c).deployment(), current(c).Caller.Actor
	r, err := s.store.Reports().Upsert(c.Request.Context(), at, c.Param("publicId"), in.ReportInput, who, allow)
	return written(r, err)
}

// accessInput is the body of setAccess, which may be the report that has the list; an action that the service does not know is kept as it
// is (decisions.md §3).
type accessInput struct {
	roles    []record.RoleAccess
	expected placements.Optional[int64]
}

func (b *accessInput) members(o *bind.Object) {
	o.Required("rolesWithAccess")
	bind.Objects(o, "rolesWithAccess", &b.roles, members.MaxRoles, members.Role)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored(reportKeys...)
}

// setAccess replaces the roles that may do something with a report; it needs manage access.
func setAccess(s *Server, c *gin.Context, id int64, in *accessInput) (reportAnswer, error) {
	allow := func(r *storage.Report) error { return mayChangeReport(c, r, mayManage, in.expected) }
	r, err := s.store.Reports().UpdateAccess(c.Request.Context(), current(c).deployment(), id, in.roles, current(c).Caller.Actor, allow)
	return written(r, err)
}

// readable loads the path's report if the caller may read it.
func (s *Server) readable(c *gin.Context) (*storage.Report, error) {
	id, err := pathID(c, "reportId", "report")
	if err != nil {
		return nil, err
	}
	r, err := s.store.Reports().Get(c.Request.Context(), current(c).deployment(), id)
	if err != nil {
		return nil, absent(err, "report")
	}
	return r, mayReadReport(current(c).Caller, r)
}

// getReport answers with a report and its placements.
func (s *Server) getReport(c *gin.Context) error {
	r, err := s.readable(c)
	if err != nil {
		return err
	}
	return s.answerReport(c, reportAnswer{ReportView: r.View()})
}

// getReportByPublicID answers with the report that has the path's publicId, stored or synthesized.
func (s *Server) getReportByPublicID(c *gin.Context) error {
	publicID := c.Param("publicId")
	r, err := s.store.Reports().ByPublicID(c.Request.Context(), current(c).deployment(), publicID)
	if placements.CodeOf(err) == placements.CodeAmbiguous {
		return s.toldApart(c, publicID, err)
	}
	if err != nil {
		return absent(err, "report")
	}
	if err := mayReadReport(current(c).Caller, r); err != nil {
		return err
	}
	return s.answerReport(c, reportAnswer{ReportView: r.View()})
}

// toldApart is the conflict about several reports that show an id, for a caller who may read one of them; for others there is none.
func (s *Server) toldApart(c *gin.Context, publicID string, conflict error) error {
	caller := current(c).Caller
	visible := func(r *storage.Report) bool { return levelOn(caller, &r.Definition) >= mayRead }
	for _, err := range s.store.Reports().List(c.Request.Context(), current(c).deployment(), record.ListQuery{PublicID: publicID}, visible) {
		return cmp.Or(err, conflict)
	}
	return notFound("report")
}

// levelOn is the caller's level on the report with this definition.
func levelOn(c *auth.Caller, d *record.Definition) level {
	return c.OnReport(d.CreatedBy, d.RolesWithAccess)
}

// mayReadReport is the access check of operations that need only read access, asked with the report as stored.
func mayReadReport(c *auth.Caller, r *storage.Report) error {
	return demand(levelOn(c, &r.Definition), mayRead, "report")
}

func mayCreateReport(c *auth.Caller) error {
	if !c.MayCreateReport() {
		return placements.Errorf(placements.CodeForbidden,
			"Creating a report needs the action ReportEdit in the token itself: ask for a token with it.")
	}
	return nil
}

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
	allow := func(r *storage.Report) error { return mayChangeReport(c, r, mayManage, placements.Optional[int64]{}) }
	uses, err := s.deletable(c, id, allow)
	if err != nil {
		return err
	}
	if len(uses.Workbooks)+len(uses.Schedules) > 0 && !force {
		return s.inUse(c, id, uses)
	}
	who := current(c).Caller.Actor
	if err := s.store.Reports().Delete(c.Request.Context(), current(c).deployment(), id, who, allow, uses.Schedules...); err != nil {
		return absent(err, "report")
	}
	schedules := make([]int64, len(uses.Schedules))
	for i, one := range uses.Schedules {
		schedules[i] = one.ID
	}
	c.JSON(http.StatusOK, gin.H{"id": id, "deletedSchedules": schedules})
	return nil
}

// deletable holds a report that the caller may delete, and returns what uses it.
func (s *Server) deletable(c *gin.Context, id int64, allow func(*storage.Report) error) (uses record.Uses, err error) {
	ctx, at := c.Request.Context(), current(c).deployment()
	r, err := s.store.Reports().Get(ctx, at, id)
	if err != nil {
		return uses, absent(err, "report")
	}
	if err := allow(r); err != nil {
		return uses, err
	}
	if err := s.hold(c, id); err != nil {
		return uses, err
	}
	return s.store.Reports().Uses(ctx, at, id)
}

// inUse is the refusal to delete a report: it names what uses the report and the caller may read, and counts the rest.
func (s *Server) inUse(c *gin.Context, id int64, uses record.Uses) error {
	var by []placements.Detail
	hidden := 0
	name := func(readable bool, format string, args ...any) {
		if !readable {
			hidden++
			return
		}
		by = append(by, placements.Detail{Code: placements.CodeInUse, Message: fmt.Sprintf(format, args...)})
	}
	for _, wb := range uses.Workbooks {
		readable := current(c).Caller.OnWorkbook(wb.CreatedBy) >= mayRead
		name(readable, "The dashboard of workbook %d, %.80q, has a chart of it.", wb.ID, wb.Name)
	}
	for _, one := range uses.Schedules {
		have, err := s.onSchedule(c, one)
		if err != nil {
			return err
		}
		name(have >= mayRead, "Schedule %d, %.80q, refreshes it.", one.ID, one.Name)
	}
	if hidden > 0 {
		message := fmt.Sprintf("%d more that this token may not read.", hidden)
		by = append(by, placements.Detail{Code: placements.CodeInUse, Message: message})
	}
	f := placements.Errorf(placements.CodeInUse, "Report %d is used by %s: take it out of them first, or send force=true, "+
		"which deletes its schedules and leaves its charts empty.", id, counted(uses))
	f.Details = by[:min(len(by), placements.MaxDetails)]
	return f
}

// counted says how many dashboards and schedules there are.
func counted(uses record.Uses) string {
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

// listReports answers with the reports that the caller may read (decisions.md §4).
func (s *Server) listReports(c *gin.Context) error {
	q, shows, err := listQuery(c, includeMeta, includeChecksums)
	if err != nil {
		return err
	}
	if q.WorkbookID, err = queryID(c, "workbookId"); err != nil {
		return err
	}
	if q.PublicID = c.Query("publicId"); q.PublicID != "" && !record.IsPublicID(q.PublicID) {
		return placements.Errorf(placements.CodeParameter, "publicId must be 12 characters, each 0-9, A-Z or a-z.")
	}
	q.ExternalWorkbookID = c.Query("externalWorkbookId")
	caller := current(c).Caller
	items := s.store.Reports().List(c.Request.Context(), current(c).deployment(), q, func(r *storage.Report) bool {
		return levelOn(caller, &r.Definition) >= mayRead
	})
	return answerList(s, c, q.First, items, func(item list.Item[*storage.Report]) ([]byte, error) {
		if r := item.Asset; item.Err == nil {
			v := r.View()
			if !slices.Contains(shows, includeChecksums) {
				for i, p := range v.Placements {
					v.Placements[i] = p.WithoutChecksum()
				}
			}
			return appendReport(nil, v, levelOn(caller, &r.Definition))
		}
		return s.encodeUnreadable(c, item.Asset.Type, item.Asset.ID, item.Err)
	})
}
