package main

import "fmt"

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
