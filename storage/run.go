package storage

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// Trigger is why a run was made.
type Trigger string

// The triggers of decisions.md §7.
const (
	TriggerSchedule Trigger = "schedule"
	TriggerManual   Trigger = "manual"
	TriggerCatchUp  Trigger = "catchUp"
)

// Run is one refresh of a report's placements (decisions.md §7). Times are RFC 3339, UTC, with milliseconds.
type Run struct {
	ID                 string              `json:"id"`
	ReportID           int64               `json:"reportId"`
	PlacementID        string              `json:"placementId,omitempty"`        // the one asked for
	ExternalWorkbookID string              `json:"externalWorkbookId,omitempty"` // or those of one spreadsheet; neither: all
	RequestedBy        User                `json:"requestedBy"`
	Trigger            Trigger             `json:"trigger"`
	State              placements.RunState `json:"state"`
	FireTime           string              `json:"fireTime"`
	StartedAt          string              `json:"startedAt,omitempty"`
	EndedAt            string              `json:"endedAt,omitempty"`
	Attempt            int                 `json:"attempt"`
	NextAttemptAt      string              `json:"nextAttemptAt,omitempty"`
	ErrorClass         placements.Class    `json:"errorClass,omitempty"`
	Error              string              `json:"error,omitempty"` // a sentence for the user
	Tally
	Placements []RunPlacement `json:"placements"`
}

// Tally counts what a run did.
type Tally struct {
	Rows         int   `json:"rows"`
	Columns      int   `json:"columns"`
	RowsWritten  int   `json:"rowsWritten"`
	CellsWritten int   `json:"cellsWritten"`
	HostCalls    int   `json:"hostCalls"`
	QueryMs      int64 `json:"queryMs"`
	WriteMs      int64 `json:"writeMs"`
}

// RunPlacement is what a run did to one placement. Rows are counted from the block's header, which is 0.
type RunPlacement struct {
	PlacementID string              `json:"placementId"`
	State       placements.RunState `json:"state"`
	ErrorClass  placements.Class    `json:"errorClass,omitempty"`
	Error       string              `json:"error,omitempty"`
	Tally
	EditedRows  []int            `json:"editedRows,omitempty"`
	Overwritten []OverwrittenRow `json:"overwritten,omitempty"`
}

// OverwrittenRow keeps what a person had typed where a run then wrote.
type OverwrittenRow struct {
	Row    int   `json:"row"`
	Values []any `json:"values"`
}

// fieldRun is the field of a run's hash that holds its JSON.
const fieldRun = "run"

// createRunScript makes a run of a report that exists, once.
//
//	KEYS   report, run, runs of the report
//	ARGV   run JSON, run id, ms now
//	result 1; 0 when there is such a run already; -1 when there is no such report
var createRunScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
if redis.call('HSETNX', KEYS[2], '` + fieldRun + `', ARGV[1]) == 0 then return 0 end
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2])
return 1`)

// CreateRun records a new run of its report; ErrNotFound without such a report. Creating a run of the same id again changes nothing.
func (s *Store) CreateRun(ctx context.Context, d Deployment, run *Run) error {
	k := s.deployment(d)
	text, err := encode(run)
	if err != nil {
		return err
	}
	keys := []string{k.report(run.ReportID), k.run(run.ID), k.reportRuns(run.ReportID)}
	made, err := createRunScript.Run(ctx, s.rdb, keys, text, run.ID, s.now().UnixMilli()).Int()
	if err != nil {
		return fmt.Errorf("run %s: %w", run.ID, unavailable(err))
	}
	if made < 0 {
		return ErrNotFound
	}
	return nil
}

// SaveRun replaces the record of a run.
func (s *Store) SaveRun(ctx context.Context, d Deployment, run *Run) error {
	text, err := encode(run)
	if err != nil {
		return err
	}
	return unavailable(s.rdb.HSet(ctx, s.deployment(d).run(run.ID), fieldRun, text).Err())
}

// Run gives a run; ErrNotFound.
func (s *Store) Run(ctx context.Context, d Deployment, id string) (*Run, error) {
	text, ok, err := claimed(ctx, s.rdb, s.deployment(d).run(id), fieldRun)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNotFound
	}
	return readRun(id, text)
}

// Runs lists the runs of a report, the latest first.
func (s *Store) Runs(ctx context.Context, d Deployment, reportID int64) ([]*Run, error) {
	k := s.deployment(d)
	ids, err := s.rdb.ZRevRange(ctx, k.reportRuns(reportID), 0, -1).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	runs := make([]*Run, 0, len(ids))
	for _, id := range ids {
		run, err := s.Run(ctx, d, id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func readRun(id, text string) (*Run, error) {
	run := new(Run)
	if err := json.Unmarshal([]byte(text), run); err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	return run, nil
}
