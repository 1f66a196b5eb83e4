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
	return s.store.UpdateDashboard(c.Request.Context(), current(c).deployment(), id, in.draft.OrZero(), who, may)
}

// publishDashboard makes the draft visible; publishing it again changes nothing (interface.md, States and transitions).
func publishDashboard(s *Server, c *gin.Context, id int64, in *versionInput) (*record.Workbook, error) {
	who, may := current(c).Caller.Actor, mayChangeWorkbook(c, mayEdit, in.expected)
	return s.store.Publish(c.Request.Context(), current(c).deployment(), id, who, may)
}

// dashboards are how the operations on a workbook's dashboards answer.
var dashboards = resource[*record.Workbook]{"workbookId", "workbook", answerDashboards}

// answerDashboards answers with both dashboards of a workbook; one that does not exist yet is null.
func answerDashboards(s *Server, c *gin.Context, wb *record.Workbook) error {
	if err := s.store.NameReports(c.Request.Context(), current(c).deployment(), wb); err != nil {
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

// resolveCharts makes every chart of d name a report of the deployment by its numeric id: config.reportPublicId is looked up and written
// to config.reportId (decisions.md §5). A report that the caller may not read is a fault in the same words as one that does not exist,
// unless the workbook's draft shows it to the caller already: a draft can be sent back. The pointers of faults begin at the draft.
func (s *Server) resolveCharts(c *gin.Context, d dashboard.Draft) ([]placements.Detail, error) {
	charts, faults := d.Charts()
	if len(charts) == 0 {
		return faults, nil
	}
	byPublicID, readable, err := s.reportsOf(c, charts)
	if err == nil && slices.Contains(slices.Collect(maps.Values(readable)), false) {
		err = s.admitDrawn(c, readable)
	}
	if err != nil {
		return nil, err
	}
	for _, chart := range charts {
		faults = append(faults, chart.Resolve(byPublicID, readable)...)
	}
	return faults, nil
}

// reportsOf holds the reports that charts name, and returns the ids of those named by publicId and which of them all the caller may read.
func (s *Server) reportsOf(c *gin.Context, charts []dashboard.Chart) (byPublicID map[string]int64, readable map[int64]bool, err error) {
	var publicIDs []string
	var ids []int64
	for _, chart := range charts {
		if chart.PublicID != "" {
			publicIDs = append(publicIDs, chart.PublicID)
		} else {
			ids = append(ids, chart.ReportID)
		}
	}
	ctx, at, caller := c.Request.Context(), current(c).deployment(), current(c).Caller
	if byPublicID, err = s.store.ReportIDs(ctx, at, publicIDs); err != nil {
		return nil, nil, err
	}
	ids = slices.AppendSeq(ids, maps.Values(byPublicID))
	if err := s.hold(c, ids...); err != nil {
		return nil, nil, err
	}
	readable, err = s.store.ReadableReports(ctx, at, ids, func(createdBy int64, roles []record.RoleAccess) bool {
		return caller.OnReport(createdBy, roles) >= mayRead
	})
	return byPublicID, readable, err
}

// admitDrawn makes those reports readable that are in the draft of the path's workbook already, if the caller may read that.
func (s *Server) admitDrawn(c *gin.Context, readable map[int64]bool) error {
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
	for _, id := range drawn.ReportIDs() {
		if _, asked := readable[id]; asked {
			readable[id] = true
		}
	}
	return nil
}

// pathWorkbook reads the workbook that the path names by id or slug; ErrNotFound, also where it names none.
func (s *Server) pathWorkbook(c *gin.Context) (*record.Workbook, error) {
	ctx, at := c.Request.Context(), current(c).deployment()
	if slug, _ := record.NormalSlug(c.Param("slug")); slug != "" {
		return s.store.WorkbookBySlug(ctx, at, slug)
	}
	id, err := pathID(c, "workbookId", "workbook")
	if err != nil {
		return nil, storage.ErrNotFound
	}
	return s.store.Workbook(ctx, at, id)
}
