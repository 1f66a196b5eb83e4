package code

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/web/client"
)

// PullCommand brings what the server has into files.
type PullCommand struct {
	folderFlags
	Adopt  []string `placeholder:"ASSET" sep:"none" help:"Bring unmanaged assets too: report:PUBLICID, report:#17, schedule:#17 or all; repeat for more."`
	Ours   bool     `xor:"side" help:"Where a file and the server changed the same, keep the file's."`
	Theirs bool     `xor:"side" help:"Where a file and the server changed the same, take the server's."`
}

// Run writes the files whose meaning changed, and says which.
func (c *PullCommand) Run(s *process.Invocation) error {
	for _, name := range c.Adopt {
		if name != "all" && !namesAsset(name) {
			return &process.UsageError{Message: fmt.Sprintf("%q names no asset: write one such as report:RevByRegion1, or all", name)}
		}
	}
	f, r, err := openProject(s, c.Dir, c.Env)
	if err != nil {
		return err
	}
	there, err := r.managed(s, f.Project.Name, c.Adopt)
	if err != nil {
		return err
	}
	pulled := f.Pull(there, c.side())
	if slices.Contains(c.Adopt, "all") {
		left, err := r.withoutSlug(s)
		if err != nil {
			return err
		}
		pulled.Notes = append(pulled.Notes, left...)
	}
	if err := pulled.Write(); err != nil {
		return err
	}
	fmt.Fprint(s.Stdout, pulled.Text(s.Colour()))
	if pulled.LacksSchemas() {
		s.Progress("The new files name schemas, by which editors know their keys: mooring schema --write puts these into the folder.")
	}
	s.Progress("%s pulled from %s, %s written.", process.Count(len(there), "asset"), r, process.Count(len(pulled.Changes), "file"))
	if len(pulled.Conflicts) > 0 {
		return &process.ExitError{Status: process.ExitConflict}
	}
	return nil
}

// side is whose value is taken.
func (c *PullCommand) side() ascode.Side {
	switch {
	case c.Ours:
		return ascode.Ours
	case c.Theirs:
		return ascode.Theirs
	}
	return ascode.Undecided
}

// managed lists what a project manages on the server, and what it wants to adopt.
func (r *destination) managed(s *process.Invocation, project string, adopt []string) (all []ascode.Remote, err error) {
	params := &client.ListManagedParams{Project: project, Adopt: adopt}
	for {
		answer, err := r.API.ListManagedWithResponse(s.Ctx, r.Deployment, params)
		if err != nil {
			return nil, remoteError(err)
		}
		var page struct {
			Items    []ascode.Remote
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		from := json.NewDecoder(bytes.NewReader(answer.Body))
		from.UseNumber() // a number of a meta stays as it is written
		if err := from.Decode(&page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if !page.PageInfo.HasNextPage {
			return all, nil
		}
		params.After = &page.PageInfo.EndCursor
	}
}

// withoutSlug says which workbooks no file can hold, for they have no slug to be named by.
func (r *destination) withoutSlug(s *process.Invocation) (left []string, err error) {
	params := &client.ListWorkbooksParams{}
	for {
		answer, err := r.API.ListWorkbooksWithResponse(s.Ctx, r.Deployment, params)
		if err != nil {
			return nil, remoteError(err)
		}
		var page struct {
			Items []struct {
				ID   int64
				Name string
				Slug *string // nil: of one that cannot be read
			}
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		if err := json.Unmarshal(answer.Body, &page); err != nil {
			return nil, err
		}
		for _, w := range page.Items {
			if w.Slug != nil && *w.Slug == "" {
				left = append(left, fmt.Sprintf("workbook #%d %q is left out: it has no slug, by which files name it; give it one, then pull again", w.ID, w.Name))
			}
		}
		if !page.PageInfo.HasNextPage {
			return left, nil
		}
		params.After = &page.PageInfo.EndCursor
	}
}
