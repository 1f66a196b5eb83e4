package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"mooring/cmd/mooring/ascode"
)

// applyCommand makes the server have what a folder says.
type applyCommand struct {
	From   string `arg:"" optional:"" name:"dir" default:"." help:"The project's folder, or a file that mooring plan -o wrote; without it, this folder."`
	Folder string `arg:"" optional:"" default:"." help:"Of a plan's file, the folder whose mooring.lock is written; without it, this one."`
	environmentFlag
	bundleFlags
	Approve bool `help:"Apply without asking."`
}

// applied is the answer to an apply.
type applied struct {
	AppliedAt string           `json:"appliedAt"`
	Summary   ascode.Summary   `json:"summary"`
	Assets    []ascode.Applied `json:"assets"`
}

// Run shows the plan, asks, and applies exactly that.
func (c *applyCommand) Run(s *session) error {
	if !c.Approve && !isTerminal(s.stdin) {
		return &usageError{"apply has no terminal to ask at: add --approve"}
	}
	if info, err := os.Stat(c.From); err == nil && !info.IsDir() {
		return c.applySaved(s)
	}
	if c.Folder != "." {
		return &usageError{fmt.Sprintf("%s is no plan that mooring plan -o wrote: only with one a second folder is named", c.From)}
	}
	f, r, err := s.project(c.From, c.Env)
	if err != nil {
		return err
	}
	plan, err := r.plan(s, f, c.bundleFlags)
	if err != nil {
		return err
	}
	fmt.Fprint(s.stdout, plan.Text(s.colour()))
	if err := f.refused(plan); err != nil || plan.Empty() {
		return err
	}
	done, err := c.apply(s, r, plan)
	if err != nil {
		return err
	}
	return f.RecordApply(f.Sent(), done.Assets)
}

// applySaved applies a plan of a file.
func (c *applyCommand) applySaved(s *session) error {
	if c.Env != "" || !c.none() {
		return &usageError{"a plan is applied as it is: --env, --prune, --detach, --take-over and --adopt stand on mooring plan"}
	}
	if err := s.tokenHasServer(); err != nil {
		return err
	}
	saved, err := loadPlan(c.From)
	if err != nil {
		return err
	}
	r, err := s.remote(saved.Server, saved.Deployment)
	if err != nil {
		return err
	}
	fmt.Fprint(s.stdout, saved.Text(s.colour()))
	done, err := c.apply(s, r, saved.Plan)
	if err != nil {
		return err
	}
	return c.record(s, saved, done.Assets)
}

// record writes what a plan's file did to the mooring.lock of its project's folder, if that is here. It only helps pull: what was applied
// stays so without it.
func (c *applyCommand) record(s *session, saved *savedPlan, done []ascode.Applied) error {
	if !isProject(c.Folder) && c.Folder == "." {
		return nil
	}
	f, err := s.openFolder(c.Folder, saved.Environment)
	switch {
	case err != nil:
		s.progress("mooring.lock is left as it is: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil
	case f.Project.Name != saved.Project || f.Project.Environment.Deployment != saved.Deployment:
		s.progress("mooring.lock is left as it is: the plan is of the project %s for deployment %d, and %s is another.",
			saved.Project, saved.Deployment, f.dir)
		return nil
	}
	return f.RecordApply(saved.Sent, done)
}

// apply asks, and applies.
func (c *applyCommand) apply(s *session, r *remote, plan *ascode.Plan) (*applied, error) {
	if !c.Approve {
		yes, err := s.confirmed(fmt.Sprintf("Apply this to %s?", r))
		if err != nil {
			return nil, err
		}
		if !yes {
			return nil, fmt.Errorf("nothing was applied")
		}
	}
	answer, err := r.api.ApplyPlanWithResponse(s.ctx, r.deployment, plan.ID)
	if err != nil {
		return nil, remoteError(err)
	}
	done := new(applied)
	if err := json.Unmarshal(answer.Body, done); err != nil {
		return nil, err
	}
	fmt.Fprintf(s.stdout, "Applied to %s at %s.\n", r, ascode.Line(done.AppliedAt))
	return done, nil
}
