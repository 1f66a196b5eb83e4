package main

import (
	"encoding/json"
	"fmt"
	"os"

	"mooring/cmd/mooring/ascode"
)

// planCommand shows what an apply would change.
type planCommand struct {
	folderFlags
	bundleFlags
	planFormat
	Output           string `short:"o" placeholder:"FILE" help:"Write the plan to a file too: mooring apply FILE applies exactly that."`
	DetailedExitcode bool   `help:"Exit with 2 if there are changes."`
}

// planFormat is how a plan is shown.
type planFormat struct {
	Format string `enum:"text,json,markdown,github" default:"text" help:"How to write it: text, json, markdown or github."`
}

// savedPlan is a plan in a file, with the server that keeps it and what it was asked for with.
type savedPlan struct {
	Server string `json:"server"`
	*ascode.Plan
	Sent []ascode.Sent `json:"sent"`
}

// Run plans and shows.
func (c *planCommand) Run(s *session) error {
	f, r, err := s.project(c.Dir, c.Env)
	if err != nil {
		return err
	}
	plan, err := r.plan(s, f, c.bundleFlags)
	if err != nil {
		return err
	}
	if err := c.show(s, plan, f); err != nil {
		return err
	}
	if c.Output != "" {
		if err := savePlan(c.Output, &savedPlan{r.server, plan, f.Sent()}); err != nil {
			return err
		}
	}
	if err := f.refused(plan); err != nil || plan.Empty() || !c.DetailedExitcode {
		return err
	}
	return &exitError{status: exitChanges}
}

// show writes a plan to stdout.
func (c planFormat) show(s *session, plan *ascode.Plan, f *folder) error {
	switch c.Format {
	case "json":
		text, err := plan.JSON()
		fmt.Fprintf(s.stdout, "%s\n", text)
		return err
	case "markdown":
		fmt.Fprint(s.stdout, plan.Markdown())
	case "github":
		fmt.Fprint(s.stdout, plan.GitHub(f.Folder, f.inRepo))
	default:
		fmt.Fprint(s.stdout, plan.Text(s.colour()))
	}
	return nil
}

// refused is the error of a plan that cannot be applied: an asset's error, else a conflict.
func (f *folder) refused(plan *ascode.Plan) error {
	faults := plan.Faults(f.Folder)
	if len(faults) == 0 {
		return nil
	}
	status := exitConflict
	for _, a := range plan.Assets {
		if a.Error != nil {
			status = exitFailed
		}
	}
	return &exitError{status, f.named(faults)}
}

func savePlan(name string, saved *savedPlan) error {
	text, err := json.MarshalIndent(saved, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o600)
}

// loadPlan reads a file that savePlan wrote.
func loadPlan(name string) (*savedPlan, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	saved := new(savedPlan)
	if saved.Plan, err = ascode.ParsePlan(text); err == nil {
		err = json.Unmarshal(text, &struct {
			Server *string
			Sent   *[]ascode.Sent
		}{&saved.Server, &saved.Sent})
	}
	if err != nil || saved.ID == "" {
		return nil, fmt.Errorf("%s is no plan that mooring plan -o wrote", name)
	}
	return saved, nil
}

// showCommand shows a plan again.
type showCommand struct {
	Plan string `arg:"" help:"A file that mooring plan -o wrote, or the id of a plan of the last 24 hours."`
	folderFlags
	planFormat
}

// Run reads the plan and shows it. A file is shown without the project's folder too, then without the names of files.
func (c *showCommand) Run(s *session) error {
	if _, err := os.Stat(c.Plan); err == nil {
		saved, err := loadPlan(c.Plan)
		if err != nil {
			return err
		}
		return c.located(s, saved.Plan, c.folderOf(s, saved))
	}
	f, r, err := s.project(c.Dir, c.Env)
	if err != nil {
		return err
	}
	answer, err := r.api.GetPlanWithResponse(s.ctx, r.deployment, c.Plan)
	if err != nil {
		return fmt.Errorf("plan %s: %w", c.Plan, remoteError(err))
	}
	plan, err := ascode.ParsePlan(answer.Body)
	if err != nil {
		return err
	}
	return c.located(s, plan, f)
}

// folderOf is the folder that a saved plan was made of, as far as it can be read; an empty one if this is another.
func (c *showCommand) folderOf(s *session, saved *savedPlan) *folder {
	f, err := s.readFolder(c.Dir, saved.Environment)
	if err != nil && f.Folder == nil || f.Project.Name != saved.Project {
		f.Folder = new(ascode.Folder)
	}
	return f
}

// located shows a plan with the files that its assets stand in.
func (c *showCommand) located(s *session, plan *ascode.Plan, f *folder) error {
	plan.Locate(f.Folder)
	return c.show(s, plan, f)
}

// driftCommand shows what was changed on the server.
type driftCommand struct {
	folderFlags
	DetailedExitcode bool `help:"Exit with 2 if there is drift."`
}

// Run makes a plan and shows of it only what others changed.
func (c *driftCommand) Run(s *session) error {
	f, r, err := s.project(c.Dir, c.Env)
	if err != nil {
		return err
	}
	plan, err := r.plan(s, f, bundleFlags{})
	if err != nil {
		return err
	}
	text, drifted := plan.DriftText(s.colour())
	fmt.Fprint(s.stdout, text)
	if drifted > 0 && c.DetailedExitcode {
		return &exitError{status: exitChanges}
	}
	return nil
}
