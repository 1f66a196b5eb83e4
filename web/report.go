package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/web/access"
	"mooring/web/auth"
	"mooring/web/bind"
	"mooring/web/members"
	"mooring/web/request"
	"mooring/web/wire"
)

// reportRoutes are the operations of reports.
func (s *Server) reportRoutes() []request.Route {
	return []request.Route{
		s.of("GET", atDeployment+"/reports", (*Server).listReports, inDeployment),
		{
			Method: "POST", Path: atDeployment + "/reports", Scope: inDeployment,
			Operation: s.after(mayCreateReport, writing(reports, createReport)), Once: s.made(answerMadeReport),
		},
		s.of("GET", atDeployment+"/reports/by-public-id/:publicId", (*Server).getReportByPublicID, inDeployment),
		s.of("PUT", atDeployment+"/reports/by-public-id/:publicId", writing(reports, upsertReport), inDeployment),
		s.of("GET", atReport, (*Server).getReport, inDeployment),
		s.of("PUT", atReport, changing(reports, updateReport), inDeployment),
		s.of("DELETE", atReport, (*Server).deleteReport, inDeployment),
		s.of("PUT", atReport+"/access", changing(reports, setAccess), inDeployment),
		{
			Method: "POST", Path: atReport + "/result", Scope: inDeployment, Long: true,
			Operation: request.On(func(ctx context.Context, c *request.Call) (*storage.Report, error) {
				return access.Report(ctx, s.store, c)
			}, s.showResult),
		},
	}
}

// createReport makes a report; it needs ReportEdit in the token's own actions (decisions.md §3).
func createReport(s *Server, c *request.Call, in *reportInput) (wire.ReportAnswer, error) {
	if err := in.inWorkbook(nil); err != nil {
		return wire.ReportAnswer{}, err
	}
	r, err := s.store.CreateReport(c.Request.Context(), c.At, in.ReportInput, c.Caller.Actor)
	return written(r, err)
}

// answerMadeReport answers as createReport did that made the report, with what it is now.
func answerMadeReport(s *Server, c *request.Call, id int64) error {
	r, err := s.store.Report(c.Request.Context(), c.At, id)
	if err != nil {
		return request.Absent(err, "report")
	}
	if err := access.MayRead(c.Caller, r); err != nil {
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
func updateReport(s *Server, c *request.Call, id int64, in *reportInput) (wire.ReportAnswer, error) {
	allow := func(r *storage.Report) error { return mayRedefine(c, r, in) }
	r, err := s.store.UpdateReport(c.Request.Context(), c.At, id, in.ReportInput, c.Caller.Actor, allow)
	return written(r, err)
}

// upsertReport creates the report with the path's publicId or updates the one that has it (interface.md, Create or update a
// report by publicId).
func upsertReport(s *Server, c *request.Call, in *reportInput) (wire.ReportAnswer, error) {
	allow := func(r *storage.Report) error {
		if r == nil {
			return mayStartReport(c, in)
		}
		return mayRedefine(c, r, in)
	}
	at, who := c.At, c.Caller.Actor
	r, err := s.store.UpsertReport(c.Request.Context(), at, c.Param("publicId"), in.ReportInput, who, allow)
	return written(r, err)
}

// accessInput is the body of setAccess, which may be the report that has the list; an action that the service does not know is kept as it
// is (decisions.md §3).
type accessInput struct {
	roles    []record.RoleAccess
	expected placements.Optional[int64]
}

// Members implements request.Body.
func (b *accessInput) Members(o *bind.Object) {
	o.Required("rolesWithAccess")
	bind.Objects(o, "rolesWithAccess", &b.roles, members.MaxRoles, members.Role)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored(reportKeys...)
}

// setAccess replaces the roles that may do something with a report; it needs manage access.
func setAccess(s *Server, c *request.Call, id int64, in *accessInput) (wire.ReportAnswer, error) {
	allow := func(r *storage.Report) error { return mayChangeReport(c, r, record.MayManage, in.expected) }
	r, err := s.store.UpdateAccess(c.Request.Context(), c.At, id, in.roles, c.Caller.Actor, allow)
	return written(r, err)
}

// getReport answers with a report and its placements.
func (s *Server) getReport(c *request.Call) error {
	r, err := access.Report(c.Request.Context(), s.store, c)
	if err != nil {
		return err
	}
	return s.answerReport(c, wire.ReportAnswer{ReportView: r.View()})
}

// getReportByPublicID answers with the report that has the path's publicId, stored or synthesized.
func (s *Server) getReportByPublicID(c *request.Call) error {
	publicID := c.Param("publicId")
	r, err := s.store.ReportByPublicID(c.Request.Context(), c.At, publicID)
	if placements.CodeOf(err) == placements.CodeAmbiguous {
		return s.toldApart(c, publicID, err)
	}
	if err != nil {
		return request.Absent(err, "report")
	}
	if err := access.MayRead(c.Caller, r); err != nil {
		return err
	}
	return s.answerReport(c, wire.ReportAnswer{ReportView: r.View()})
}

// toldApart is the conflict about several reports that show an id, for a caller who may read one of them; for others there is none.
func (s *Server) toldApart(c *request.Call, publicID string, conflict error) error {
	caller := c.Caller
	visible := func(r *storage.Report) bool { return caller.Level(&r.Definition) >= record.MayRead }
	for _, err := range s.store.Reports(c.Request.Context(), c.At, record.ListQuery{PublicID: publicID}, visible) {
		return cmp.Or(err, conflict)
	}
	return request.NotFound("report")
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
func (s *Server) deleteReport(c *request.Call) error {
	id, err := c.PathID("reportId", "report")
	if err != nil {
		return err
	}
	force, err := c.Flag("force")
	if err != nil {
		return err
	}
	allow := func(r *storage.Report) error {
		return mayChangeReport(c, r, record.MayManage, placements.Optional[int64]{})
	}
	uses, err := s.deletable(c, id, allow)
	if err != nil {
		return err
	}
	if len(uses.Workbooks)+len(uses.Schedules) > 0 && !force {
		return s.inUse(c, id, uses)
	}
	who := c.Caller.Actor
	if err := s.store.DeleteReport(c.Request.Context(), c.At, id, who, allow, uses.Schedules...); err != nil {
		return request.Absent(err, "report")
	}
	schedules := make([]int64, len(uses.Schedules))
	for i, one := range uses.Schedules {
		schedules[i] = one.ID
	}
	c.JSON(http.StatusOK, map[string]any{"id": id, "deletedSchedules": schedules})
	return nil
}

// deletable holds a report that the caller may delete, and returns what uses it.
func (s *Server) deletable(c *request.Call, id int64, allow func(*storage.Report) error) (uses record.Uses, err error) {
	ctx, at := c.Request.Context(), c.At
	r, err := s.store.Report(ctx, at, id)
	if err != nil {
		return uses, request.Absent(err, "report")
	}
	if err := allow(r); err != nil {
		return uses, err
	}
	if err := access.Hold(c.Request.Context(), s.store, c, id); err != nil {
		return uses, err
	}
	return s.store.Uses(ctx, at, id)
}

// inUse is the refusal to delete a report: it names what uses the report and the caller may read, and counts the rest.
func (s *Server) inUse(c *request.Call, id int64, uses record.Uses) error {
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
		readable := c.Caller.OnWorkbook(wb.CreatedBy) >= record.MayRead
		name(readable, "The dashboard of workbook %d, %.80q, has a chart of it.", wb.ID, wb.Name)
	}
	for _, one := range uses.Schedules {
		have, err := access.ReferredBy(s.store, c).OnSchedule(c.Request.Context(), one)
		if err != nil {
			return err
		}
		name(have >= record.MayRead, "Schedule %d, %.80q, refreshes it.", one.ID, one.Name)
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
func (s *Server) listReports(c *request.Call) error {
	q, shows, err := c.ListQuery(request.IncludeMeta, request.IncludeChecksums)
	if err != nil {
		return err
	}
	if q.WorkbookID, err = c.QueryID("workbookId"); err != nil {
		return err
	}
	if q.PublicID = c.Query("publicId"); q.PublicID != "" && !record.IsPublicID(q.PublicID) {
		return placements.Errorf(placements.CodeParameter, "publicId must be 12 characters, each 0-9, A-Z or a-z.")
	}
	q.ExternalWorkbookID = c.Query("externalWorkbookId")
	caller := c.Caller
	items := s.store.Reports(c.Request.Context(), c.At, q, func(r *storage.Report) bool {
		return caller.Level(&r.Definition) >= record.MayRead
	})
	return sendList(c, q.First, items, func(item list.Item[*storage.Report]) ([]byte, error) {
		if r := item.Asset; item.Err == nil {
			v := r.View()
			if !slices.Contains(shows, request.IncludeChecksums) {
				for i, p := range v.Placements {
					v.Placements[i] = p.WithoutChecksum()
				}
			}
			return wire.AppendReport(nil, v, caller.Level(&r.Definition))
		}
		return access.Unreadable(s.log, c, item.Asset.Type, item.Asset.ID, item.Err)
	})
}
