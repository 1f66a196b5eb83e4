package main

import (
	"fmt"
	"os"

	"mooring/cmd/mooring/ascode"
)

// showCommand shows a plan again.
type showCommand struct {
	Plan string `arg:"" help:"A file that mooring plan -o wrote, or the id of a plan of the last 24 hours."`
	folderFlags
	planFormat
}

// Run reads the plan and shows it.
func (c *showCommand) Run(s *session) error {
	f, err := s.openFolder(c.Dir, c.Env)
	if err != nil {
		return err
	}
	plan, err := c.find(s, f)
	if err != nil {
		return err
	}
	plan.Locate(f.Folder)
	return c.show(s, plan, f)
}

// find reads the plan from its file, else from the server.
func (c *showCommand) find(s *session, f *folder) (*ascode.Plan, error) {
	if _, err := os.Stat(c.Plan); err == nil {
		saved, err := loadPlan(c.Plan)
		if err != nil {
			return nil, err
		}
		return saved.Plan, nil
	}
	r, err := s.remote(f.Project.Server, f.Project.Environment.Deployment)
	if err != nil {
		return nil, err
	}
	answer, err := r.api.GetPlanWithResponse(s.ctx, r.deployment, c.Plan)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", c.Plan, remoteError(err))
	}
	return ascode.ParsePlan(answer.Body)
}
