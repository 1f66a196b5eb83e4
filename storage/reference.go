package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// IDs returns the ids of the deployment's reports that store one of these publicIds. Those that none has, or one of another
// deployment, are left out.
func (s *Reports) IDs(ctx context.Context, d record.Deployment, publicIDs []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(publicIDs))
	if len(publicIDs) == 0 {
		return ids, nil
	}
	k := s.db.Deployment(d)
	owners, err := s.db.Redis.HMGet(ctx, k.PublicIDs(), publicIDs...).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	for i, owner := range owners {
		text, _ := owner.(string)
		if id, here := k.Owned(text); here {
			ids[publicIDs[i]] = id
		}
	}
	return ids, nil
}

// NameReports makes the charts of workbooks name their reports by publicId as well, where the report stores one.
func (s *Workbooks) NameReports(ctx context.Context, d record.Deployment, list ...*record.Workbook) error {
	return layout.NameCharts(ctx, s.db, s.db.Deployment(d), list...)
}

// referenced is how many reports are read at once for a draft that names them: their definitions may be large.
const referenced = 20

// Readable says of those of these ids that are reports of the deployment whether may admits them, which is told who created a report
// and which roles may do something with it. Ids of no report are left out.
func (s *Reports) Readable(
	ctx context.Context, d record.Deployment, ids []int64, may func(createdBy int64, roles []record.RoleAccess) bool,
) (map[int64]bool, error) {
	k, readable := s.db.Deployment(d), make(map[int64]bool, len(ids))
	for some := range slices.Chunk(ids, referenced) {
		p := s.db.Redis.Pipeline()
		texts := make([]*redis.StringCmd, len(some))
		for i, id := range some {
			texts[i] = p.HGet(ctx, k.Report(id), layout.FieldDefinition)
		}
		if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
			return nil, redis.Unavailable(err)
		}
		for i, id := range some {
			if errors.Is(texts[i].Err(), redis.Nil) {
				continue
			}
			def, err := s.reader.Definition(k.Report(id), texts[i].Val())
			if err != nil {
				return nil, fmt.Errorf("report %d: %w", id, err)
			}
			readable[id] = may(def.CreatedBy, def.RolesWithAccess)
		}
	}
	return readable, nil
}

// HoldReferences keeps others from deleting reports and from referring to them until release is called: what refers to them is found under
// it, and a reference is stored under it. ErrBusy: others hold one of them for too long.
func (s *Reports) HoldReferences(ctx context.Context, d record.Deployment, reports ...int64) (release func(), err error) {
	k := s.db.Deployment(d)
	reports = slices.Compact(slices.Sorted(slices.Values(reports)))
	locks := make([]string, len(reports))
	for i, id := range reports {
		locks[i] = k.Locks().Reference(id)
	}
	h, _, err := s.db.LockLoad(ctx, locks, nil)
	return func() { s.db.Unlock(ctx, h) }, err
}

// Uses goes through the workbooks of the deployment for those that use a report, and finds its schedules. Records that cannot be read are
// left out.
func (s *Reports) Uses(ctx context.Context, d record.Deployment, report int64) (u record.Uses, err error) {
	all := func(*record.Workbook) bool { return true }
	for found, err := range layout.WalkWorkbooks(ctx, s.db, d, record.ListQuery{Meta: true}, all) {
		if err != nil {
			return u, err
		}
		if w := found.Asset; found.Err == nil && charts(w, report) {
			u.Workbooks = append(u.Workbooks, &record.Workbook{ID: w.ID, WorkbookDefinition: w.WorkbookDefinition})
		}
	}
	u.Schedules, err = layout.SchedulesOf(ctx, s.db, s.db.Deployment(d), report)
	return u, err
}

// dashboard is what of a dashboard names reports.
type dashboard struct {
	Widgets []struct {
		Type   string
		Config struct{ ReportID json.RawMessage }
	}
}

// charts reports whether one of w's dashboards has a chart of the report. One that cannot be read has none.
func charts(w *record.Workbook, report int64) bool {
	id := strconv.FormatInt(report, 10)
	for _, text := range []json.RawMessage{w.DashboardDraft, w.DashboardPublished} {
		var d dashboard
		if len(text) == 0 || json.Unmarshal(text, &d) != nil {
			continue
		}
		for _, widget := range d.Widgets {
			if widget.Type == "CHART" && string(widget.Config.ReportID) == id {
				return true
			}
		}
	}
	return false
}
