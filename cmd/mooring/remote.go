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

// remote returns the deployment of a server. Its address is that of MOORING_SERVER, else the one that a project or a plan names: a token in
// MOORING_TOKEN is then never sent where a changed file wants it. Where nothing names one, it is the server that login signed in to last.
func (s *session) remote(named string, deployment int64) (*remote, error) {
	address := named
	if from, set := s.env("MOORING_SERVER"); set && from != "" {
		address = from
	}
	if address == "" {
		latest, err := latestServer()
		if err != nil {
			return nil, err
		}
		address = latest
	}
	if address == "" {
		return nil, &usageError{"no server is named: sign in with mooring login --server URL, write server into project.yaml, or set MOORING_SERVER"}
	}
	server, err := serverAddress(address)
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

// project opens a folder, and the deployment that it is applied to.
func (s *session) project(dir, environment string) (*folder, *remote, error) {
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
	lines := []string{refused.Error()}
	for _, d := range refused.Details {
		lines = append(lines, strings.TrimPrefix(d.Pointer+": ", ": ")+d.Message)
	}
	if refused.RequestID != "" {
		lines[0] += " (request " + refused.RequestID + ")"
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
