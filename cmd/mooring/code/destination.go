package code

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/web/client"
)

// destination is a server that a project is applied to, and the deployment there.
type destination struct {
	server     string
	Deployment int64
	API        *client.ClientWithResponses
}

// openDestination returns the deployment of the server that a project or a plan names, if no other is meant. What names one is read only after
// tokenHasServer.
func openDestination(s *process.Invocation, named string, deployment int64) (*destination, error) {
	server, err := serverOf(s, named)
	if err != nil {
		return nil, err
	}
	token, err := TokenOf(s, server)
	if err != nil {
		return nil, err
	}
	api, err := client.New(server, token)
	return &destination{server, deployment, api}, err
}

// tokenHasServer refuses MOORING_TOKEN without MOORING_SERVER: the author of a file that names a server would get the token.
func tokenHasServer(s *process.Invocation) error {
	token, _ := s.Env("MOORING_TOKEN")
	server, _ := s.Env("MOORING_SERVER")
	if token != "" && server == "" {
		return &process.UsageError{Message: "MOORING_TOKEN is set without the server that it is for: set MOORING_SERVER too"}
	}
	return nil
}

// serverOf is the address of MOORING_SERVER, else the one that a project or a plan names, else that of the server that login signed in to
// last.
func serverOf(s *process.Invocation, named string) (string, error) {
	if chosen, _ := s.Env("MOORING_SERVER"); chosen != "" {
		return serverAddress(chosen)
	}
	if named == "" {
		latest, err := latestServer()
		if err != nil {
			return "", err
		}
		named = latest
	}
	if named == "" {
		return "", &process.UsageError{Message: "no server is named: sign in with mooring login --server URL, write server into project.yaml, or set MOORING_SERVER"}
	}
	return serverAddress(named)
}

// openProject opens a folder, and the deployment that it is applied to.
func openProject(s *process.Invocation, dir, environment string) (*files, *destination, error) {
	if err := tokenHasServer(s); err != nil {
		return nil, nil, err
	}
	f, err := openFolder(s, dir, environment)
	if err != nil {
		return nil, nil, err
	}
	r, err := openDestination(s, f.Project.Server, f.Project.Environment.Deployment)
	return f, r, err
}

// String names a deployment of a server.
func (r *destination) String() string {
	return fmt.Sprintf("deployment %d of %s", r.Deployment, r.server)
}

// plan asks for the plan of a folder.
func (r *destination) plan(s *process.Invocation, f *files, flags bundleFlags) (*ascode.Review, error) {
	body, err := flags.encode(f)
	if err != nil {
		return nil, err
	}
	s.Progress("Planning %s for %s.", process.Count(len(f.Bundle().Assets), "asset"), r)
	strict := &client.CreatePlanParams{Prefer: new("handling=strict")} // an older server refuses what it would leave out
	answer, err := r.API.CreatePlanWithBodyWithResponse(s.Ctx, r.Deployment, strict, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, f.located(err)
	}
	plan, err := ascode.ParsePlan(answer.Body)
	if err == nil {
		plan.Locate(f.Folder)
	}
	return plan, err
}

// located is remoteError with the faults of a bundle at their places in the folder's files.
func (f *files) located(err error) error {
	refused, ok := errors.AsType[*client.ResponseError](err)
	if !ok || len(refused.Details) == 0 {
		return remoteError(err)
	}
	details := make([]placements.Detail, len(refused.Details))
	for i, d := range refused.Details {
		details[i] = placements.Detail{Pointer: d.Pointer, Message: d.Message}
	}
	return &process.ExitError{Status: statusOf(refused), Err: f.named(f.ServerFaults(details))}
}

// remoteError is what went wrong with a request, with its exit status and what the server says in detail.
func remoteError(err error) error {
	refused, ok := errors.AsType[*client.ResponseError](err)
	if !ok {
		return err
	}
	first := refused.Error()
	if refused.RequestID != "" {
		first += " (request " + refused.RequestID + ")"
	}
	lines := []string{ascode.Line(first)}
	for _, d := range refused.Details {
		lines = append(lines, ascode.Line(strings.TrimPrefix(d.Pointer+": ", ": ")+d.Message))
	}
	return &process.ExitError{Status: statusOf(refused), Err: errors.New(strings.Join(lines, "\n"))}
}

// statusOf is the exit status for an answer that is an error.
func statusOf(refused *client.ResponseError) int {
	switch {
	case refused.StatusCode == http.StatusUnauthorized, refused.StatusCode == http.StatusForbidden:
		return process.ExitDenied
	case refused.StatusCode == http.StatusConflict, refused.StatusCode == http.StatusPreconditionFailed:
		return process.ExitConflict
	case refused.Code == string(placements.CodePlanExpired): // of 20 plans a user, others push out the oldest
		return process.ExitConflict
	}
	return process.ExitFailed
}
