package web

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/dashboard"
	"mooring/web/members"
)

// updateDashboard replaces the draft of a workbook's dashboard; viewers keep seeing the published one (interface.md, Update
// workbook dashboard).
func updateDashboard(s *Server, c *gin.Context, id int64, in *dashboardInput) (*record.Workbook, error) {
	who, may := current(c).Caller.Actor, mayChangeWorkbook(c, mayEdit, in.expected)
	return s.store.Workbooks().UpdateDashboard(c.Request.Context(), current(c).deployment(), id, in.draft.OrZero(), who, may)
}

// publishDashboard makes the draft visible; publishing it again changes nothing (interface.md, States and transitions).
func publishDashboard(s *Server, c *gin.Context, id int64, in *versionInput) (*record.Workbook, error) {
	who, may := current(c).Caller.Actor, mayChangeWorkbook(c, mayEdit, in.expected)
	return s.store.Workbooks().Publish(c.Request.Context(), current(c).deployment(), id, who, may)
}

// dashboards are how the operations on a workbook's dashboards answer.
var dashboards = resource[*record.Workbook]{"workbookId", "workbook", answerDashboards}

// answerDashboards answers with both dashboards of a workbook; one that does not exist yet is null.
func answerDashboards(s *Server, c *gin.Context, wb *record.Workbook) error {
	if err := s.nameReports(c, wb); err != nil {
		return err
	}
	body, err := encode(struct {
		Draft     json.RawMessage `json:"dashboardDraft"`
		Published json.RawMessage `json:"dashboardPublished"`
	}{wb.DashboardDraft, wb.DashboardPublished})
	if err != nil {
		return err
	}
	sayEffect(c, wb.Effect)
	return answerTagged(c, workbookEdition(wb), body)
}

// drawing is a handler that answers with dashboards: include=reportPublicId makes their charts name reports by publicId as well.
func drawing(next handler) handler {
	return func(s *Server, c *gin.Context) error {
		if _, err := included(c, includePublicIDs); err != nil {
			return err
		}
		return next(s, c)
	}
}

// nameReports makes the charts of wb, which a handler of drawing answers with, name reports as the request asks.
func (s *Server) nameReports(c *gin.Context, wb *record.Workbook) error {
	if c.Query("include") == "" {
		return nil
	}
	return s.store.Workbooks().NameReports(c.Request.Context(), current(c).deployment(), wb)
}

// dashboardInput is the body of the update-dashboard operation (interface.md, Update workbook dashboard).
type dashboardInput struct {
	draft    placements.Optional[json.RawMessage]
	expected placements.Optional[int64]
}

func (b *dashboardInput) members(o *bind.Object) {
	o.Required("dashboardDraft")
	o.JSON("dashboardDraft", &b.draft, members.Draft)
	o.OptionalWhole("expectedVersion", &b.expected, 1)
	o.Ignored(workbookKeys...)
}

func (b *dashboardInput) rules(s *Server, c *gin.Context, f *bind.Faults) error {
	if b.draft.Value == nil {
		return nil
	}
	draft, err := s.completeDraft(c, *b.draft.Value, "/dashboardDraft", f)
	b.draft = placements.Sent(draft)
	return err
}

// versionInput is the body of publishing a dashboard.
type versionInput struct {
	mayBeMissing
	expected placements.Optional[int64]
}

func (b *versionInput) members(o *bind.Object) { o.OptionalWhole("expectedVersion", &b.expected, 1) }

// completeDraft returns a draft, which stands at that pointer of the body, with what the server says and its charts resolved. What is wrong
// with it joins f.
func (s *Server) completeDraft(c *gin.Context, text []byte, at string, f *bind.Faults) (json.RawMessage, error) {
	d, wrong, err := dashboard.Read(text)
	if err != nil {
		return nil, err
	}
	unresolved, err := s.resolveCharts(c, d)
	if err != nil {
		return nil, err
	}
	for _, one := range append(wrong, unresolved...) {
		f.Join(placements.Detail{Pointer: at + one.Pointer, Code: one.Code, Message: one.Message})
	}
	return encode(d)
}

// setMember returns a JSON object with that value of a member.
func setMember(object json.RawMessage, name string, value json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, err
	}
	members[name] = value
	return encode(members)
}

// resolveCharts makes every chart of d name a report of the deployment by its numeric id alone: config.reportPublicId is looked up
// (decisions.md §5). A report that the caller may not read is a fault in the same words as one that does not exist, unless the workbook's
// draft shows it to the caller already: a draft can be sent back. The pointers of faults begin at the draft.
func (s *Server) resolveCharts(c *gin.Context, d dashboard.Draft) ([]placements.Detail, error) {
	charts, faults := d.Charts()
	if len(charts) == 0 {
		return faults, nil
	}
	known, err := s.reportsOf(c, charts)
	if err == nil && slices.ContainsFunc(charts, known.Unclear) {
		err = s.admitDrawn(c, &known)
	}
	if err != nil {
		return nil, err
	}
	for _, chart := range charts {
		faults = append(faults, chart.Resolve(&known)...)
	}
	return faults, nil
}

// reportsOf holds the reports that charts name, and returns what is known of them without the workbook.
func (s *Server) reportsOf(c *gin.Context, charts []dashboard.Chart) (known dashboard.Reports, err error) {
	var publicIDs []string
	var ids []int64
	for _, chart := range charts {
		if chart.PublicID != "" {
			publicIDs = append(publicIDs, chart.PublicID)
		}
		if chart.ReportID != nil {
			ids = append(ids, *chart.ReportID)
		}
	}
	ctx, at, caller := c.Request.Context(), current(c).deployment(), current(c).Caller
	if known.ByPublicID, err = s.store.Reports().IDs(ctx, at, publicIDs); err != nil {
		return known, err
	}
	ids = slices.AppendSeq(ids, maps.Values(known.ByPublicID))
	if err := s.hold(c, ids...); err != nil {
		return known, err
	}
	known.Readable, err = s.store.Reports().Readable(ctx, at, ids, func(createdBy int64, roles []record.RoleAccess) bool {
		return caller.OnReport(createdBy, roles) >= mayRead
	})
	return known, err
}

// admitDrawn adds the reports that the draft of the path's workbook shows already, if the caller may read that: they may be sent back.
func (s *Server) admitDrawn(c *gin.Context, known *dashboard.Reports) error {
	wb, err := s.pathWorkbook(c)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil || len(wb.DashboardDraft) == 0 || current(c).Caller.OnWorkbook(wb.CreatedBy) < mayRead {
		return err
	}
	drawn, err := dashboard.Parse(wb.DashboardDraft)
	if err != nil {
		return err
	}
	known.Drawn = drawn.Drawn()
	for _, id := range known.Drawn {
		if _, exists := known.Readable[id]; exists {
			known.Readable[id] = true
		}
	}
	return nil
}

// pathWorkbook reads the workbook that the path names by id or slug; ErrNotFound, also where it names none.
func (s *Server) pathWorkbook(c *gin.Context) (*record.Workbook, error) {
	ctx, at := c.Request.Context(), current(c).deployment()
	if slug, _ := record.NormalSlug(c.Param("slug")); slug != "" {
		return s.store.Workbooks().BySlug(ctx, at, slug)
	}
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return nil, storage.ErrNotFound
	}
	return s.store.Workbooks().Get(ctx, at, id)
}
