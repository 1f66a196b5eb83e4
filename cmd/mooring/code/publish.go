package code

import (
	"fmt"

	"mooring/cmd/mooring/process"
	"mooring/storage/record/portable"
	"mooring/web/client"
)

// PublishCommand publishes dashboards.
type PublishCommand struct {
	Slugs []string `arg:"" optional:"" name:"slug" help:"The workbooks, by their slugs."`
	All   bool     `help:"All workbooks of the folder."`
	Dir   string   `default:"." placeholder:"DIR" help:"The project's folder; without it, this one."`
	environmentFlag
}

// Run publishes one workbook after the other; the first that fails ends it.
func (c *PublishCommand) Run(s *process.Invocation) error {
	if c.All == (len(c.Slugs) > 0) {
		return &process.UsageError{Message: "publish needs either slugs or --all"}
	}
	f, r, err := openProject(s, c.Dir, c.Env)
	if err != nil {
		return err
	}
	slugs := c.Slugs
	for _, a := range f.Bundle().Assets {
		if c.All && a.Kind == portable.KindWorkbook && a.Definition["dashboard"] != nil {
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
func (r *destination) publish(s *process.Invocation, slug string) error {
	workbook, err := r.API.GetWorkbookBySlugWithResponse(s.Ctx, r.Deployment, slug, nil)
	if err != nil {
		return remoteError(err)
	}
	answer, err := r.API.PublishDashboardWithResponse(s.Ctx, r.Deployment, workbook.JSON200.ID, nil, client.VersionInput{})
	if err != nil {
		return remoteError(err)
	}
	if result := answer.Headers200.XMooringResult; result != nil && *result == "unchanged" {
		fmt.Fprintf(s.Stdout, "workbook:%s is published as it is\n", slug)
		return nil
	}
	fmt.Fprintf(s.Stdout, "workbook:%s published\n", slug)
	return nil
}
