package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// apiClient sends requests that tests write out, whatever the document says of them.
type apiClient struct {
	base  string // scheme, host and port
	token string
}

// do sends body, if there is one, as JSON and reads the answer into out, if there is one.
func (c apiClient) do(ctx context.Context, method, path string, body, out any) error {
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, payload)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// placedReport is what the demo needs of a report.
type placedReport struct {
	ID         int64                  `json:"id"`
	Placements []placements.Placement `json:"externalWorkbookPlacements"`
}

// refresh asks for a run of the report at path and waits for its end. A run that did not succeed is an error.
func (c apiClient) refresh(ctx context.Context, path string) (*record.Run, error) {
	var started struct{ RunID string }
	if err := c.do(ctx, http.MethodPost, path+"/refreshes", nil, &started); err != nil {
		return nil, err
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		run := new(record.Run)
		if err := c.do(ctx, http.MethodGet, path+"/refreshes/"+started.RunID, nil, run); err != nil {
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
