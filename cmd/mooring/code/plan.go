package code

import (
	"encoding/json"
	"fmt"
	"os"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
)

// PlanCommand shows what an apply would change.
type PlanCommand struct {
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
	*ascode.Review
	Sent []ascode.Sent `json:"sent"`
}

// Run plans and shows.
func (c *PlanCommand) Run(s *process.Invocation) error {
	f, r, err := openProject(s, c.Dir, c.Env)
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
	return &process.ExitError{Status: process.ExitChanges}
}

// show writes a plan to stdout.
func (c planFormat) show(s *process.Invocation, plan *ascode.Review, f *files) error {
	switch c.Format {
	case "json":
		text, err := plan.JSON()
		fmt.Fprintf(s.Stdout, "%s\n", text)
		return err
	case "markdown":
		fmt.Fprint(s.Stdout, plan.Markdown())
	case "github":
		fmt.Fprint(s.Stdout, plan.GitHub(f.Folder, f.inRepo))
	default:
		fmt.Fprint(s.Stdout, plan.Text(s.Colour()))
	}
	return nil
}

// refused is the error of a plan that cannot be applied: an asset's error, else a conflict.
func (f *files) refused(plan *ascode.Review) error {
	faults := plan.Faults(f.Folder)
	if len(faults) == 0 {
		return nil
	}
	status := process.ExitConflict
	for _, a := range plan.Assets {
		if a.Error != nil {
			status = process.ExitFailed
		}
	}
	return &process.ExitError{Status: status, Err: f.named(faults)}
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
	if saved.Review, err = ascode.ParsePlan(text); err == nil {
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

// ShowCommand shows a plan again.
type ShowCommand struct {
	Plan string `arg:"" help:"A file that mooring plan -o wrote, or the id of a plan of the last 24 hours."`
	folderFlags
	planFormat
}

// Run reads the plan and shows it. A file is shown without the project's folder too, then without the names of files.
func (c *ShowCommand) Run(s *process.Invocation) error {
	if _, err := os.Stat(c.Plan); err == nil {
		saved, err := loadPlan(c.Plan)
		if err != nil {
			return err
		}
		return c.located(s, saved.Review, c.folderOf(s, saved))
	}
	f, r, err := openProject(s, c.Dir, c.Env)
	if err != nil {
		return err
	}
	answer, err := r.API.GetPlanWithResponse(s.Ctx, r.Deployment, c.Plan)
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
func (c *ShowCommand) folderOf(s *process.Invocation, saved *savedPlan) *files {
	f, err := readFolder(s, c.Dir, saved.Environment)
	if err != nil && f.Folder == nil || f.Project.Name != saved.Project {
		f.Folder = new(ascode.Folder)
	}
	return f
}

// located shows a plan with the files that its assets stand in.
func (c *ShowCommand) located(s *process.Invocation, plan *ascode.Review, f *files) error {
	plan.Locate(f.Folder)
	return c.show(s, plan, f)
}

// DriftCommand shows what was changed on the server.
type DriftCommand struct {
	folderFlags
	DetailedExitcode bool `help:"Exit with 2 if there is drift."`
}

// Run makes a plan and shows of it only what others changed.
func (c *DriftCommand) Run(s *process.Invocation) error {
	f, r, err := openProject(s, c.Dir, c.Env)
	if err != nil {
		return err
	}
	plan, err := r.plan(s, f, bundleFlags{})
	if err != nil {
		return err
	}
	text, drifted := plan.DriftText(s.Colour())
	fmt.Fprint(s.Stdout, text)
	if drifted > 0 && c.DetailedExitcode {
		return &process.ExitError{Status: process.ExitChanges}
	}
	return nil
}
