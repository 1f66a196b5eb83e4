package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"mooring/cmd/mooring/ascode"
	"mooring/placements"
	"mooring/web/client"
)

// remote is a server that a project is applied to, and the deployment there.
type remote struct {
	server     string
	deployment int64
	api        *client.ClientWithResponses
}

// remote returns the deployment of the server that a project or a plan names, if no other is meant. What names one is read only after
// tokenHasServer.
func (s *session) remote(named string, deployment int64) (*remote, error) {
	server, err := s.server(named)
	if err != nil {
		return nil, err
	}
	token, err := s.token(server)
	if err != nil {
		return nil, err
	}
	api, err := client.New(server, token)
	return &remote{server, deployment, api}, err
}

// tokenHasServer refuses MOORING_TOKEN without MOORING_SERVER: the author of a file that names a server would get the token.
func (s *session) tokenHasServer() error {
	token, _ := s.env("MOORING_TOKEN")
	server, _ := s.env("MOORING_SERVER")
	if token != "" && server == "" {
		return &usageError{"MOORING_TOKEN is set without the server that it is for: set MOORING_SERVER too"}
	}
	return nil
}

// server is the address of MOORING_SERVER, else the one that a project or a plan names, else that of the server that login signed in to
// last.
func (s *session) server(named string) (string, error) {
	if chosen, _ := s.env("MOORING_SERVER"); chosen != "" {
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
		return "", &usageError{"no server is named: sign in with mooring login --server URL, write server into project.yaml, or set MOORING_SERVER"}
	}
	return serverAddress(named)
}

// project opens a folder, and the deployment that it is applied to.
func (s *session) project(dir, environment string) (*folder, *remote, error) {
	if err := s.tokenHasServer(); err != nil {
		return nil, nil, err
	}
	f, err := s.openFolder(dir, environment)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.remote(f.Project.Server, f.Project.Environment.Deployment)
	return f, r, err
}

// String names a deployment of a server.
func (r *remote) String() string { return fmt.Sprintf("deployment %d of %s", r.deployment, r.server) }

// plan asks for the plan of a folder.
func (r *remote) plan(s *session, f *folder, flags bundleFlags) (*ascode.Plan, error) {
	body, err := flags.encode(f)
	if err != nil {
		return nil, err
	}
	s.progress("Planning %s for %s.", counted(len(f.Bundle().Assets), "asset"), r)
	strict := &client.CreatePlanParams{Prefer: new("handling=strict")} // an older server refuses what it would leave out
	answer, err := r.api.CreatePlanWithBodyWithResponse(s.ctx, r.deployment, strict, "application/json", bytes.NewReader(body))
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
func (f *folder) located(err error) error {
	refused, ok := errors.AsType[*client.ResponseError](err)
	if !ok || len(refused.Details) == 0 {
		return remoteError(err)
	}
	details := make([]ascode.Detail, len(refused.Details))
	for i, d := range refused.Details {
		details[i] = ascode.Detail{Pointer: d.Pointer, Message: d.Message}
	}
	return &exitError{statusOf(refused), f.named(f.ServerFaults(details))}
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
	return &exitError{statusOf(refused), errors.New(strings.Join(lines, "\n"))}
}

// statusOf is the exit status for an answer that is an error.
func statusOf(refused *client.ResponseError) int {
	switch {
	case refused.StatusCode == http.StatusUnauthorized, refused.StatusCode == http.StatusForbidden:
		return exitDenied
	case refused.StatusCode == http.StatusConflict, refused.StatusCode == http.StatusPreconditionFailed:
		return exitConflict
	case refused.Code == string(placements.CodePlanExpired): // of 20 plans a user, others push out the oldest
		return exitConflict
	}
	return exitFailed
}
