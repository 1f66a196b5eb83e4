package host

import (
	"context"
	"net/http"
	"time"
)

// graphService is the service's own session on a workbook, which keeps together what is read and written. It ends by itself after some
// minutes without a request.
type graphService struct {
	id      string // empty while none is open
	refused bool   // the service opens none for us
}

// graphCloseTimeout bounds the closing of the service's session.
const graphCloseTimeout = 10 * time.Second

// enter opens the service's session unless one is open. Documented as not supported for applications, it is open to them in some tenants
// and refused in others (microsoft-graph-docs-contrib#8691): without one each request is a session of its own.
func (s *graphSession) enter(ctx context.Context) error {
	if s.service.id != "" || s.service.refused {
		return nil
	}
	if err := takeQuota(ctx, s.limiter, s.faults, s.quotas, 1); err != nil {
		return err
	}
	replies, err := s.batch(ctx, []graphRequest{
		graphSend(http.MethodPost, s.workbook(s.document)+"/createSession", []byte(`{"persistChanges":true}`)),
	})
	if err != nil {
		return err
	}
	var opened struct {
		ID string `json:"id"`
	}
	err = s.decode(replies[0], &opened)
	if isStatus(err, http.StatusForbidden) {
		s.service.refused = true
		return nil
	}
	s.service.id = opened.ID
	return err
}

// leave closes the service's session, if one is open. It does so even when ctx has ended, and what comes of it does not count.
func (s *graphSession) leave(ctx context.Context) {
	if s.service.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), graphCloseTimeout)
	defer cancel()
	body, err := s.rest.do(ctx, call{
		Method: http.MethodPost, Path: s.workbook(s.document) + "/closeSession",
		Header: http.Header{"Workbook-Session-Id": {s.service.id}}, Body: []byte("{}"),
	})
	if err == nil {
		body.Close()
	}
	s.service.id = ""
}

// send sends a batch, within the service's session if one is open.
func (s *graphSession) send(ctx context.Context, requests []graphRequest) ([]graphReply, error) {
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
