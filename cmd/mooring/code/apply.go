package code

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/storage/record/portable"
)

// ApplyCommand makes the server have what a folder says.
type ApplyCommand struct {
	From   string `arg:"" optional:"" name:"dir" default:"." help:"The project's folder, or a file that mooring plan -o wrote; without it, this folder."`
	Folder string `arg:"" optional:"" default:"." help:"Of a plan's file, the folder whose mooring.lock is written; without it, this one."`
	environmentFlag
	bundleFlags
	Approve bool          `help:"Apply without asking."`
	Refresh bool          `help:"Refresh the blocks that this makes or changes, and wait: ends with 1 if one failed, with 4 if one is in conflict."`
	Timeout time.Duration `default:"10m" placeholder:"DURATION" help:"With --refresh, how long to wait, such as 90s; without it, 10m."`
}

// applied is the answer to an apply.
type applied struct {
	AppliedAt string                  `json:"appliedAt"`
	Summary   portable.Summary        `json:"summary"`
	Assets    []ascode.AppliedVersion `json:"assets"`
}

// Run shows the plan, asks, and applies exactly that.
func (c *ApplyCommand) Run(s *process.Invocation) error {
	if !c.Approve && !process.IsTerminal(s.Stdin) {
		return &process.UsageError{Message: "apply has no terminal to ask at: add --approve"}
	}
	if info, err := os.Stat(c.From); err == nil && !info.IsDir() {
		return c.applySaved(s)
	}
	if c.Folder != "." {
		return &process.UsageError{Message: fmt.Sprintf("%s is no plan that mooring plan -o wrote: only with one a second folder is named", c.From)}
	}
	f, r, err := openProject(s, c.From, c.Env)
	if err != nil {
		return err
	}
	plan, err := r.plan(s, f, c.bundleFlags)
	if err != nil {
		return err
	}
	fmt.Fprint(s.Stdout, plan.Text(s.Colour()))
	if err := f.refused(plan); err != nil || plan.Empty() {
		return err
	}
	done, err := c.apply(s, r, plan)
	if err != nil {
		return err
	}
	if err := f.RecordApply(f.Sent(), done.Assets); err != nil {
		return err
	}
	return c.refreshed(s, r, plan, done)
}

// refreshed refreshes what an apply changed, or says what still shows what was there before.
func (c *ApplyCommand) refreshed(s *process.Invocation, r *destination, plan *ascode.Review, done *applied) error {
	all, err := r.changed(s.Ctx, plan, done)
	switch {
	case err != nil && !c.Refresh:
		s.Progress("What is not refreshed yet cannot be told: %v", err)
		return nil
	case err != nil:
		return err
	case len(all) == 0:
		return nil
	case !c.Refresh:
		fmt.Fprintln(s.Stdout, unrefreshed(all))
		return nil
	}
	return r.refresh(s, all, c.Timeout)
}

// applySaved applies a plan of a file.
func (c *ApplyCommand) applySaved(s *process.Invocation) error {
	if c.Env != "" || !c.none() {
		return &process.UsageError{Message: "a plan is applied as it is: --env, --prune, --detach, --take-over and --adopt stand on mooring plan"}
	}
	if err := tokenHasServer(s); err != nil {
		return err
	}
	saved, err := loadPlan(c.From)
	if err != nil {
		return err
	}
	r, err := openDestination(s, saved.Server, saved.Deployment)
	if err != nil {
		return err
	}
	fmt.Fprint(s.Stdout, saved.Text(s.Colour()))
	done, err := c.apply(s, r, saved.Review)
	if err != nil {
		return err
	}
	if err := c.record(s, saved, done.Assets); err != nil {
		return err
	}
	return c.refreshed(s, r, saved.Review, done)
}

// record writes what a plan's file did to the mooring.lock of its project's folder, if that is here. It only helps pull: what was applied
// stays so without it.
func (c *ApplyCommand) record(s *process.Invocation, saved *savedPlan, done []ascode.AppliedVersion) error {
	if _, found := ascode.IsProject(c.Folder); !found && c.Folder == "." {
		return nil
	}
	f, err := openFolder(s, c.Folder, saved.Environment)
	switch {
	case err != nil:
		s.Progress("mooring.lock is left as it is: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
		return nil
	case f.Project.Name != saved.Project || f.Project.Environment.Deployment != saved.Deployment:
		s.Progress("mooring.lock is left as it is: the plan is of the project %s for deployment %d, and %s is another.",
			saved.Project, saved.Deployment, f.dir)
		return nil
	}
	return f.RecordApply(saved.Sent, done)
}

// apply asks, and applies.
func (c *ApplyCommand) apply(s *process.Invocation, r *destination, plan *ascode.Review) (*applied, error) {
	if !c.Approve {
		yes, err := s.Confirmed(fmt.Sprintf("Apply this to %s?", r))
		if err != nil {
			return nil, err
		}
		if !yes {
			return nil, fmt.Errorf("nothing was applied")
		}
	}
	answer, err := r.API.ApplyPlanWithResponse(s.Ctx, r.Deployment, plan.ID)
	if err != nil {
		return nil, remoteError(err)
	}
	done := new(applied)
	if err := json.Unmarshal(answer.Body, done); err != nil {
		return nil, err
	}
	fmt.Fprintf(s.Stdout, "Applied to %s at %s.\n", r, ascode.Line(done.AppliedAt))
	return done, nil
}
