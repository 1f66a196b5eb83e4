package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/client"
)

// demoPoll is how often the demo asks whether its run has ended.
const demoPoll = 50 * time.Millisecond

// runReport asks for a run of the report and waits for its end. A run that did not succeed is an error.
func (d *demo) runReport(ctx context.Context) (*record.Run, error) {
	started, err := d.api.StartRunWithResponse(ctx, demoDeployment, d.report, nil, client.RunInput{})
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(demoPoll)
	defer tick.Stop()
	for {
		answer, err := d.api.GetRunWithResponse(ctx, demoDeployment, d.report, started.JSON202.RunID)
		if err != nil {
			return nil, err
		}
		run := new(record.Run)
		if err := json.Unmarshal(answer.Body, run); err != nil {
			return nil, err
		}
		if run.EndedAt != "" {
			if run.State != placements.RunSucceeded {
				return nil, fmt.Errorf("the run ended %s: %s", run.State, run.Error)
			}
			return run, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}
