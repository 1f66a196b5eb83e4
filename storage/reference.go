package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// ReportIDs gives the ids of the deployment's reports that store one of these publicIds. Those that none has, or one of another
// deployment, are left out.
func (s *Store) ReportIDs(ctx context.Context, d Deployment, publicIDs []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(publicIDs))
	if len(publicIDs) == 0 {
		return ids, nil
	}
	k := s.deployment(d)
	owners, err := s.rdb.HMGet(ctx, k.publicIDs(), publicIDs...).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	for i, owner := range owners {
		text, _ := owner.(string)
		if id, here := k.owned(text); here {
			ids[publicIDs[i]] = id
		}
	}
	return ids, nil
}

// ExistingReports tells which of these ids are reports of the deployment.
func (s *Store) ExistingReports(ctx context.Context, d Deployment, ids []int64) (map[int64]bool, error) {
	exist := make(map[int64]bool, len(ids))
	if len(ids) == 0 {
		return exist, nil
	}
	members := make([]string, len(ids))
	for i, id := range ids {
		members[i] = strconv.FormatInt(id, 10)
	}
	// A report's score is its id, which is at least 1; a missing member scores 0.
	scores, err := s.rdb.ZMScore(ctx, s.deployment(d).reports(), members...).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	for i, score := range scores {
		exist[ids[i]] = score > 0
	}
	return exist, nil
}

// Uses are what depends on a report: the workbooks whose dashboard, draft or published, has a chart of it, and the schedules that refresh
// it.
type Uses struct {
	Workbooks []*Workbook
	Schedules []*Schedule
}

// Uses goes through the workbooks and schedules of the deployment for those that use a report.
func (s *Store) Uses(ctx context.Context, d Deployment, report int64) (u Uses, err error) {
	k := s.deployment(d)
	for record, err := range s.records(ctx, k.workbooks(), 0, k.workbook) {
		if err != nil {
			return u, err
		}
		w, err := readWorkbook(k, record.id, record.fields)
		if err != nil {
			return u, err
		}
		if used, err := w.charts(report); err != nil {
			return u, err
		} else if used {
			u.Workbooks = append(u.Workbooks, w)
		}
	}
	for record, err := range s.records(ctx, k.schedules(), 0, k.schedule) {
		if err != nil {
			return u, err
		}
		c, err := readSchedule(k, record.id, record.fields)
		if err != nil {
			return u, err
		}
		if c.Target.ReportID == report {
			u.Schedules = append(u.Schedules, c)
		}
	}
	return u, nil
}

// dashboard is what of a dashboard names reports.
type dashboard struct {
	Widgets []struct {
		Type   string
		Config struct{ ReportID json.RawMessage }
	}
}

// charts reports whether one of w's dashboards has a chart of the report.
func (w *Workbook) charts(report int64) (bool, error) {
	id := strconv.FormatInt(report, 10)
	for _, text := range []json.RawMessage{w.DashboardDraft, w.DashboardPublished} {
		var d dashboard
		if len(text) == 0 {
			continue
		}
		if err := json.Unmarshal(text, &d); err != nil {
			return false, fmt.Errorf("workbook %d: dashboard: %w", w.ID, err)
		}
		for _, widget := range d.Widgets {
			if widget.Type == "CHART" && string(widget.Config.ReportID) == id {
				return true, nil
			}
		}
	}
	return false, nil
}
