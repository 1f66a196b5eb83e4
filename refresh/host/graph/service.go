package graph

import (
	"context"
	"net/http"
	"time"

	"mooring/refresh/host/rest"
)

// closeTimeout bounds the closing of the service's session.
const closeTimeout = 10 * time.Second

// enter opens the service's session unless one is open. Documented as not supported for applications, it is open to them in some tenants
// and refused in others (microsoft-graph-docs-contrib#8691): without one each request is a session of its own.
func (s *session) enter(ctx context.Context) error {
	if s.service.id != "" || s.service.refused {
		return nil
	}
	if err := rest.TakeQuota(ctx, s.limiter, s.faults, s.quotas, 1); err != nil {
		return err
	}
	replies, err := s.batch(ctx, []request{
		sendBody(http.MethodPost, s.workbook(s.document)+"/createSession", []byte(`{"persistChanges":true}`)),
	})
	if err != nil {
		return err
	}
	var opened struct {
		ID string `json:"id"`
	}
	err = s.decode(replies[0], &opened)
	if rest.IsStatus(err, http.StatusForbidden) {
		s.service.refused = true
		return nil
	}
	s.service.id = opened.ID
	return err
}

// leave closes the service's session, if one is open. It does so even when ctx has ended, and what comes of it does not count.
func (s *session) leave(ctx context.Context) {
	if s.service.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	body, err := s.rest.Do(ctx, rest.Call{
		Method: http.MethodPost, Path: s.workbook(s.document) + "/closeSession",
		Header: http.Header{"Workbook-Session-Id": {s.service.id}}, Body: []byte("{}"),
	})
	if err == nil {
		body.Close()
	}
	s.service.id = ""
}

// send sends a batch, within the service's session if one is open.
func (s *session) send(ctx context.Context, requests []request) ([]reply, error) {
	for i := range requests {
		if s.service.id == "" {
			continue
		}
		if requests[i].Headers == nil {
			requests[i].Headers = map[string]string{}
		}
		requests[i].Headers["workbook-session-id"] = s.service.id
	}
	return s.batch(ctx, requests)
}
