package overview

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/request"
)

// agent is the wire form of an agent. Agents work for all tenants: of what one does, only the caller's own is told.
type agent struct {
	ID        string          `json:"id"`
	Host      string          `json:"host"`
	Version   string          `json:"version"`
	StartedAt string          `json:"startedAt"`
	SeenAt    string          `json:"seenAt"`
	State     record.Presence `json:"state"`
	Capacity  int             `json:"capacity"`
	Working   int             `json:"working"`
	Runs      []agentRun      `json:"runs"`
}

// agentRun is the wire form of a run at work.
type agentRun struct {
	DeploymentID int64  `json:"deploymentId"`
	RunID        string `json:"runId"`
	ReportID     int64  `json:"reportId"`
	StartedAt    string `json:"startedAt"`
}

// fleet is the wire form of all agents.
type fleet struct {
	Items   []agent `json:"items"`
	Waiting int64   `json:"waiting"`
}

// presences are the order in which agents are shown.
var presences = []record.Presence{record.AgentAlive, record.AgentDraining, record.AgentGone}

// Agents returns the agents, and how many runs of the caller's deployments wait.
func (o *API) Agents(ctx context.Context, c *request.Call) (any, error) {
	if err := demandAll(c, "The agents"); err != nil {
		return nil, err
	}
	list, err := o.Store.Queue().Agents.List(ctx)
	if err != nil {
		return nil, err
	}
	out := fleet{Items: []agent{}}
	for _, a := range list {
		out.Items = append(out.Items, shownAgent(c, a))
	}
	slices.SortFunc(out.Items, func(a, b agent) int {
		return cmp.Or(cmp.Compare(slices.Index(presences, a.State), slices.Index(presences, b.State)), strings.Compare(a.ID, b.ID))
	})
	out.Waiting, err = o.Store.Queue().Agents.Waiting(ctx, o.deployments(c))
	return out, err
}

func shownAgent(c *request.Call, a *record.Agent) agent {
	runs := []agentRun{}
	for _, r := range a.Runs {
		if r.Tenant == c.Caller.Tenant && c.Caller.InDeployment(r.Deployment) {
			runs = append(runs, agentRun{r.Deployment, r.RunID, r.ReportID, r.StartedAt})
		}
	}
	return agent{
		ID: a.ID, Host: a.Host, Version: a.Version, StartedAt: placements.Time(a.StartedAt), SeenAt: placements.Time(a.SeenAt),
		State: a.State, Capacity: a.Capacity, Working: len(runs), Runs: runs,
	}
}

// deployments lists those of the caller's tenant that the caller's token is for.
func (o *API) deployments(c *request.Call) (list []record.Deployment) {
	for _, id := range o.Gate.Deployments(c.Caller.Tenant) {
		if c.Caller.InDeployment(id) {
			list = append(list, record.Deployment{Tenant: c.Caller.Tenant, ID: id})
		}
	}
	return list
}

// demandAll refuses a caller without the action All.
func demandAll(c *request.Call, what string) error {
	if c.Caller.IsAdmin() {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden, "%s are shown to tokens with the action All: ask for one.", what)
}
