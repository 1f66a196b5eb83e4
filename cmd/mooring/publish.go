package main

import (
	"fmt"

	"mooring/cmd/mooring/ascode"
	"mooring/web/client"
)

// publishCommand publishes dashboards.
type publishCommand struct {
	Slugs []string `arg:"" optional:"" name:"slug" help:"The workbooks, by their slugs."`
	All   bool     `help:"All workbooks of the folder."`
	Dir   string   `default:"." placeholder:"DIR" help:"The project's folder; without it, this one."`
	environmentFlag
}

// Run publishes one workbook after the other; the first that fails ends it.
func (c *publishCommand) Run(s *session) error {
	if c.All == (len(c.Slugs) > 0) {
		return &usageError{"publish needs either slugs or --all"}
	}
	f, r, err := s.project(c.Dir, c.Env)
	if err != nil {
		return err
	}
	slugs := c.Slugs
	for _, a := range f.Bundle().Assets {
		if c.All && a.Kind == ascode.Workbook && a.Definition["dashboard"] != nil {
			slugs = append(slugs, a.Ref)
		}
	}
	for _, slug := range slugs {
		if err := r.publish(s, slug); err != nil {
			return err
		}
	}
	return nil
}

// publish publishes the draft of a workbook.
func (r *remote) publish(s *session, slug string) error {
	workbook, err := r.api.GetWorkbookBySlugWithResponse(s.ctx, r.deployment, slug, nil)
	if err != nil {
		return remoteError(err)
	}
	answer, err := r.api.PublishDashboardWithResponse(s.ctx, r.deployment, workbook.JSON200.ID, nil, client.VersionInput{})
	if err != nil {
		return remoteError(err)
	}
	if result := answer.Headers200.XMooringResult; result != nil && *result == "unchanged" {
		fmt.Fprintf(s.stdout, "workbook:%s is published as it is\n", slug)
		return nil
	}
	fmt.Fprintf(s.stdout, "workbook:%s published\n", slug)
	return nil
}
