package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// CreatePlan asks for a plan.
func (c *ClientWithResponses) CreatePlan(ctx context.Context, deployment int64, body io.Reader) ([]byte, error) {
	return c.send(ctx, http.MethodPost, fmt.Sprintf("/api/v1/deployments/%d/plans", deployment), body)
}

// GetPlan reads a plan again.
func (c *ClientWithResponses) GetPlan(ctx context.Context, deployment int64, id string) ([]byte, error) {
	return c.send(ctx, http.MethodGet, fmt.Sprintf("/api/v1/deployments/%d/plans/%s", deployment, url.PathEscape(id)), nil)
}

// ApplyPlan applies a plan.
func (c *ClientWithResponses) ApplyPlan(ctx context.Context, deployment int64, id string) ([]byte, error) {
	return c.send(ctx, http.MethodPost, fmt.Sprintf("/api/v1/deployments/%d/plans/%s/apply", deployment, url.PathEscape(id)), nil)
}

// ListManaged lists what a project manages.
func (c *ClientWithResponses) ListManaged(ctx context.Context, deployment int64, project string, adopt []string, after string) ([]byte, error) {
	query := url.Values{"project": {project}, "adopt": adopt}
	if after != "" {
		query.Set("after", after)
	}
	return c.send(ctx, http.MethodGet, fmt.Sprintf("/api/v1/deployments/%d/managed?%s", deployment, query.Encode()), nil)
}

func (c *ClientWithResponses) send(ctx context.Context, method, path string, body io.Reader) ([]byte, error) {
	api := c.ClientInterface.(*Client)
	req, err := http.NewRequestWithContext(ctx, method, api.Server+path[1:], body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for _, edit := range api.RequestEditors {
		if err := edit(ctx, req); err != nil {
			return nil, err
		}
	}
	resp, err := api.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}
