package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/bind"
)

// chartRef is a chart of a draft and the report that it names: by portable id, which wins, or by numeric id.
type chartRef struct {
	widget   int
	config   map[string]any
	publicID string
	id       int64
}

// resolveCharts makes every chart of d name a report of the deployment by its numeric id: config.reportPublicId is looked up and written
// to config.reportId (decisions.md §5). Faults go to f, their pointers begin at the draft. A report that the caller may not read is a fault
// in the same words as one that does not exist, unless the workbook's draft shows it to the caller already: a draft can be sent back.
func (s *Server) resolveCharts(c *gin.Context, d draft, f *bind.Faults) error {
	refs := chartRefs(d, f)
	if len(refs) == 0 {
		return nil
	}
	ctx, at, caller := c.Request.Context(), current(c).deployment(), current(c).Caller
	publicIDs, ids := wanted(refs)
	byPublicID, err := s.store.ReportIDs(ctx, at, publicIDs)
	if err != nil {
		return err
	}
	ids = slices.AppendSeq(ids, maps.Values(byPublicID))
	if err := s.hold(c, ids...); err != nil {
		return err
	}
	readable, err := s.store.ReadableReports(ctx, at, ids, func(createdBy int64, roles []record.RoleAccess) bool {
		return caller.onReport(createdBy, roles) >= mayRead
	})
	if err == nil && slices.Contains(slices.Collect(maps.Values(readable)), false) {
		err = s.admitDrawn(c, readable)
	}
	if err != nil {
		return err
	}
	for _, ref := range refs {
		ref.resolve(byPublicID, readable, f)
	}
	return nil
}

// admitDrawn makes those reports readable that are in the draft of the path's workbook already, if the caller may read that.
func (s *Server) admitDrawn(c *gin.Context, readable map[int64]bool) error {
	wb, err := s.pathWorkbook(c)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil || len(wb.DashboardDraft) == 0 || current(c).Caller.onWorkbook(wb.CreatedBy) < mayRead {
		return err
	}
	drawn, err := parseDraft(wb.DashboardDraft)
	if err != nil {
		return err
	}
	for _, ref := range chartRefs(drawn, &bind.Faults{}) {
		if id, ok := whole(ref.config["reportId"]); ok {
			if _, exists := readable[id]; exists {
				readable[id] = true
			}
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

// chartRefs collects the charts of d. A chart that names no report, or not by a string or an integer, is a fault.
func chartRefs(d draft, f *bind.Faults) []chartRef {
	var refs []chartRef
	for i, w := range d.widgets() {
		if w["type"] != chart {
			continue
		}
		config, _ := w["config"].(map[string]any)
		ref := chartRef{widget: i, config: config}
		if ref.read(f) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// read takes the reference from the chart's config; false when it is a fault.
func (ref *chartRef) read(f *bind.Faults) (ok bool) {
	switch publicID, id := ref.config["reportPublicId"], ref.config["reportId"]; {
	case publicID != nil:
		ref.publicID, ok = publicID.(string)
		if ok = ok && publicIDPattern.MatchString(ref.publicID); !ok {
			ref.fault(f, placements.CodeInvalid, "reportPublicId", "must be the publicId of a report")
		}
	case id == nil:
		ref.fault(f, placements.CodeInvalid, "reportId", "is required: a chart names its report")
	default:
		if ref.id, ok = whole(id); !ok {
			ref.fault(f, placements.CodeInvalid, "reportId", "must be an integer")
		}
	}
	return ok
}

func wanted(refs []chartRef) (publicIDs []string, ids []int64) {
	for _, ref := range refs {
		if ref.publicID != "" {
			publicIDs = append(publicIDs, ref.publicID)
		} else {
			ids = append(ids, ref.id)
		}
	}
	return publicIDs, ids
}

func (ref chartRef) resolve(byPublicID map[string]int64, readable map[int64]bool, f *bind.Faults) {
	const unknown = "names no report of this deployment that this token may read: create that report first, or name another one"
	switch {
	case ref.publicID == "" && !readable[ref.id]:
		ref.fault(f, placements.CodeNoReport, "reportId", unknown)
	case ref.publicID == "":
	case !readable[byPublicID[ref.publicID]]:
		ref.fault(f, placements.CodeNoReport, "reportPublicId", unknown)
	default:
		ref.config["reportId"] = json.Number(strconv.FormatInt(byPublicID[ref.publicID], 10))
	}
}

// whole reads an integer; 3.0 and 3e0 are none.
func whole(v any) (int64, bool) {
	number, ok := v.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	return n, ok && err == nil
}

// fault notes what is wrong with a key of the chart's config.
func (ref chartRef) fault(f *bind.Faults, code placements.Code, key, message string) {
	f.Add(placements.Detail{Pointer: fmt.Sprintf("/widgets/%d/config/%s", ref.widget, key), Code: code, Message: message})
}
