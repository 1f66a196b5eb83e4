package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// ReportIDs returns the ids of the deployment's reports that store one of these publicIds. Those that none has, or one of another
// deployment, are left out.
func (s *Store) ReportIDs(ctx context.Context, d record.Deployment, publicIDs []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(publicIDs))
	if len(publicIDs) == 0 {
		return ids, nil
	}
	k := s.deployment(d)
	owners, err := s.rdb.HMGet(ctx, k.PublicIDs(), publicIDs...).Result()
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
func (s *Store) NameReports(ctx context.Context, d record.Deployment, list ...*record.Workbook) error {
	var ids []int64
	for _, w := range list {
		ids = append(ids, w.ChartReports()...)
	}
	if len(ids) == 0 {
		return nil
	}
	publicIDs, err := s.storedPublicIDs(ctx, s.deployment(d), slices.Compact(slices.Sorted(slices.Values(ids))))
	if err != nil {
		return err
	}
	for _, w := range list {
		if err := w.NameReports(publicIDs); err != nil {
			return fmt.Errorf("workbook %d: %w", w.ID, err)
		}
	}
	return nil
}

// storedPublicIDs returns the publicIds of those of these reports that store one.
func (s *Store) storedPublicIDs(ctx context.Context, k deploymentKeys, reports []int64) (map[int64]string, error) {
	p := s.rdb.Pipeline()
	texts := make([]*redis.StringCmd, len(reports))
	for i, id := range reports {
		texts[i] = p.HGet(ctx, k.Report(id), fieldPublicID)
	}
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, redis.Unavailable(err)
	}
	publicIDs := make(map[int64]string, len(reports))
	for i, id := range reports {
		if text := texts[i].Val(); text != "" {
			publicIDs[id] = text
		}
	}
	return publicIDs, nil
}

// referenced is how many reports are read at once for a draft that names them: their definitions may be large.
const referenced = 20

// ReadableReports says of those of these ids that are reports of the deployment whether may admits them, which is told who created a report
// and which roles may do something with it. Ids of no report are left out.
func (s *Store) ReadableReports(
	ctx context.Context, d record.Deployment, ids []int64, may func(createdBy int64, roles []record.RoleAccess) bool,
) (map[int64]bool, error) {
	k, readable := s.deployment(d), make(map[int64]bool, len(ids))
	for some := range slices.Chunk(ids, referenced) {
		p := s.rdb.Pipeline()
		texts := make([]*redis.StringCmd, len(some))
		for i, id := range some {
			texts[i] = p.HGet(ctx, k.Report(id), fieldDefinition)
		}
		if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
			return nil, redis.Unavailable(err)
		}
		for i, id := range some {
			if errors.Is(texts[i].Err(), redis.Nil) {
				continue
			}
			def, err := s.readDefinition(k.Report(id), texts[i].Val())
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
func (s *Store) HoldReferences(ctx context.Context, d record.Deployment, reports ...int64) (release func(), err error) {
	k := s.deployment(d)
	reports = slices.Compact(slices.Sorted(slices.Values(reports)))
	locks := make([]string, len(reports))
	for i, id := range reports {
		locks[i] = k.ReferenceLock(id)
	}
	h, _, err := s.lockLoad(ctx, locks, nil)
	return func() { s.unlock(ctx, h) }, err
}

// Uses goes through the workbooks of the deployment for those that use a report, and finds its schedules. Records that cannot be read are
// left out.
func (s *Store) Uses(ctx context.Context, d record.Deployment, report int64) (u record.Uses, err error) {
	all := func(*record.Workbook) bool { return true }
	for found, err := range s.Workbooks(ctx, d, record.ListQuery{Meta: true}, all) {
		if err != nil {
			return u, err
		}
		if w := found.Asset; found.Err == nil && charts(w, report) {
			u.Workbooks = append(u.Workbooks, &record.Workbook{ID: w.ID, WorkbookDefinition: w.WorkbookDefinition})
		}
	}
	u.Schedules, err = s.schedulesOf(ctx, s.deployment(d), report)
	return u, err
}

// schedulesOf returns the schedules of reports, by id.
func (s *Store) schedulesOf(ctx context.Context, k deploymentKeys, reports ...int64) (found []*record.Schedule, err error) {
	p := s.rdb.Pipeline()
	listed := make([]*redis.StringSliceCmd, len(reports))
	for i, report := range reports {
		listed[i] = p.ZRange(ctx, k.ReportSchedules(report), 0, -1)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	var ids []int64
	for _, members := range listed {
		for _, member := range members.Val() {
			id, err := parseID(member)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	elsewhere := func(c *record.Schedule) bool { return !slices.Contains(reports, c.Target.ReportID) } // aimed there meanwhile
	for chunk := range slices.Chunk(ids, list.Chunk) {
		some, err := s.readableSchedules(ctx, k, chunk)
		if err != nil {
			return nil, err
		}
		found = append(found, slices.DeleteFunc(some, elsewhere)...)
	}
	return found, nil
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

// deletable are the publicIds of the reports that a project applied and its bundle no longer has.
func deletable(b *portable.Bundle, applied map[portable.AssetKey]*portable.Applied) map[string]bool {
	gone := map[string]bool{}
	for _, a := range applied {
		if a.Kind == portable.KindReport {
			gone[a.Ref] = true
		}
	}
	for i := range b.Assets {
		if a := &b.Assets[i]; a.Kind() == portable.KindReport {
			delete(gone, a.Ref)
		}
	}
	return gone
}

// loadUses finds what depends on reports that may be deleted.
func (s *Store) loadUses(ctx context.Context, k deploymentKeys, h *holdings, publicIDs map[string]bool) error {
	uses := map[int64]*portable.HeldReport{}
	for publicID := range publicIDs {
		if r := h.Reports[publicID]; r != nil {
			uses[r.ID] = r
		}
	}
	if len(uses) == 0 {
		return nil
	}
	use := func(report int64, u portable.Use) {
		if r := uses[report]; r != nil && !slices.Contains(r.Uses, u) {
			r.Uses = append(r.Uses, u)
		}
	}
	all := func(*record.Workbook) bool { return true }
	for one, err := range s.Workbooks(ctx, k.At(), record.ListQuery{Meta: true}, all) {
		if err != nil {
			return err
		}
		for _, report := range portable.ChartReports(one.Asset.DashboardDraft) {
			use(report, portable.Use{Kind: portable.KindWorkbook, ID: one.Asset.ID})
		}
		for _, report := range portable.ChartReports(one.Asset.DashboardPublished) {
			use(report, portable.Use{Kind: portable.KindWorkbook, ID: one.Asset.ID, Published: true})
		}
	}
	schedules, err := s.schedulesOf(ctx, k, slices.Collect(maps.Keys(uses))...)
	for _, c := range schedules {
		use(c.Target.ReportID, portable.Use{Kind: portable.KindSchedule, ID: c.ID})
	}
	return err
}
