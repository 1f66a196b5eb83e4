package code

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/web/client"
)

// DocumentsCommand lists the spreadsheets in which reports stand.
type DocumentsCommand struct {
	Deployment []int64 `placeholder:"D" help:"A deployment; repeat for more. None: all of the token's."`
	Lost       bool    `help:"Only those that no agent reaches."`
	Format     string  `enum:"text,json" default:"text" help:"How to write them: text or json, one document a line."`
}

// Help implements kong's HelpProvider.
func (DocumentsCommand) Help() string {
	return "It asks the server of MOORING_SERVER, else the one that mooring login signed in to last, and needs ReportRead in each deployment. " +
		"It ends with 0 whether there are documents or none."
}

// listedDocument is a line of the list as JSON.
type listedDocument struct {
	DeploymentID int64 `json:"deploymentId"`
	client.Document
}

// Run lists the documents of one deployment after the other, as the server orders them.
func (c *DocumentsCommand) Run(s *process.Invocation) error {
	if err := tokenHasServer(s); err != nil {
		return err
	}
	r, err := openDestination(s, "", 0)
	if err != nil {
		return err
	}
	deployments, err := c.deployments(s, r)
	if err != nil {
		return err
	}
	var all []listedDocument
	for _, d := range deployments {
		found, err := r.documents(s, d, c.Lost)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	if c.Format == "json" {
		return writeLines(s, all)
	}
	return writeDocuments(s, all)
}

// deployments are those that were named, else all that the token may read.
func (c *DocumentsCommand) deployments(s *process.Invocation, r *destination) (ids []int64, err error) {
	if len(c.Deployment) > 0 {
		return c.Deployment, nil
	}
	me, err := r.API.GetMeWithResponse(s.Ctx)
	if err != nil {
		return nil, remoteError(err)
	}
	if me.JSON200 == nil {
		return nil, notMooring(r.server)
	}
	for _, d := range me.JSON200.Deployments {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids, nil
}

// documents reads a deployment's list, page by page.
func (r *destination) documents(s *process.Invocation, deployment int64, lost bool) (all []listedDocument, err error) {
	params := &client.ListDocumentsParams{Include: new(client.ListDocumentsParamsIncludeLink)}
	if lost {
		params.Reach = new(client.ListDocumentsParamsReachLost)
	}
	for {
		answer, err := r.API.ListDocumentsWithResponse(s.Ctx, deployment, params)
		if err != nil {
			return nil, remoteError(err)
		}
		if answer.JSON200 == nil {
			return nil, notMooring(r.server)
		}
		for _, d := range answer.JSON200.Items {
			all = append(all, listedDocument{deployment, d})
		}
		if !answer.JSON200.PageInfo.HasNextPage {
			return all, nil
		}
		after, err := answer.JSON200.PageInfo.EndCursor.Get()
		if err != nil {
			return nil, err
		}
		params.After = &after
	}
}

// writeLines writes one JSON object a line.
func writeLines(s *process.Invocation, all []listedDocument) error {
	out := json.NewEncoder(s.Stdout)
	for _, d := range all {
		if err := out.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

// writeDocuments writes a table for a person. What people wrote stays within its cell.
func writeDocuments(s *process.Invocation, all []listedDocument) error {
	out := tabwriter.NewWriter(s.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "DEPLOYMENT\tDOCUMENT\tSTATE\tHOST\tNAME\tADDRESS\tSINCE\tWHY")
	for _, d := range all {
		link := cmp.Or(d.Link, new(client.DocumentLink))
		why := link.Message
		if link.State == "linked" {
			why = ""
		}
		since := "-"
		if link.Since != nil {
			since = link.Since.Format(time.RFC3339)
		}
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", d.DeploymentID, cell(d.ExternalWorkbookID), cell(string(link.State)),
			cell(*cmp.Or(link.Host, new(string(d.Host)))), cell(*cmp.Or(link.Name, d.WorkbookName, new(""))), cell(*cmp.Or(link.WebURL, new(""))), since, cell(why))
	}
	return out.Flush()
}

// cell is a text in one cell of a table; one that says nothing is a dash.
func cell(text string) string { return cmp.Or(ascode.Line(text), "-") }
