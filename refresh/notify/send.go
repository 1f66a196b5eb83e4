package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"mooring/refresh/fault"
	"mooring/refresh/trace"
	"mooring/storage/record"
	"mooring/storage/work"
)

// Sender delivers the events of one deployment to one webhook, for one agent.
type Sender struct {
	Hook    Webhook
	To      record.Subscription
	Queue   *work.Work
	Agent   string // its name
	Log     *slog.Logger
	Tracer  *trace.Tracer // nil: none
	Observe Deliveries
	Client  *http.Client // see NewClient
	// Patience is how long an event that was taken so often may go unconfirmed.
	Patience func(taken int64) time.Duration

	ready bool // the subscription exists
}

// Deliveries is told that an event was sent to a webhook, which took it: "delivered"; or did not, and gets it again: "failed"; or not:
// "given_up".
type Deliveries interface{ Delivered(outcome string) }

// NewClient returns a client that makes deliveries.
func NewClient() *http.Client {
	return &http.Client{
		Timeout: deliverTimeout,
		// A redirect is answered by another endpoint: it counts as a refusal.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Deliver does rounds, a little apart.
func (s *Sender) Deliver(ctx, work context.Context) error {
	if err := s.Round(ctx, work); err != nil {
		return err
	}
	return fault.Sleep(ctx, deliverEvery)
}

// Round delivers what is overdue, and then what is new until ctx ends. Events that it has taken are delivered even then, in their order,
// until work ends: no other agent sees them before they are overdue.
func (s *Sender) Round(ctx, work context.Context) error {
	if !s.ready {
		if err := s.Queue.Queue.Events.Subscribe(work, s.To); err != nil {
			return err
		}
		s.ready = true
	}
	events, err := s.Queue.Queue.Events.Overdue(work, s.To, s.Agent, deliverBatch, s.Patience)
	if err != nil {
		s.ready = false // a server that lost its data lost the subscription too
		return err
	}
	for {
		for _, e := range events {
			if err := s.one(work, e); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if events, err = s.Queue.Queue.Events.New(work, s.To, s.Agent, deliverBatch); err != nil || len(events) == 0 {
			return err
		}
	}
}

// Patience is how long an event that was taken so often may go unconfirmed.
func Patience(taken int64) time.Duration {
	if taken > 6 {
		return mostPatience
	}
	return min(mostPatience, firstPatience*time.Duration(int64(1)<<(2*max(taken-1, 0))))
}

// told reports whether webhooks are told of events of that type.
func told(t record.EventType) bool {
	switch t {
	case record.EventRunFailed, record.EventRunRecovered, record.EventEditsKept, record.EventEditsGone:
		return true
	}
	return false
}

// one delivers an event that webhooks are told of. It is confirmed when the endpoint took it, even if ctx ends then, and when it is too
// old to matter.
func (s *Sender) one(ctx context.Context, e record.Event) error {
	if !told(e.Type) {
		return s.Queue.Queue.Events.Confirm(ctx, s.To, e.ID)
	}
	outcome := "delivered"
	if err := s.traced(ctx, e); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		outcome = "failed"
		at, _ := time.Parse(time.RFC3339, e.At)
		if time.Since(at) > deliverFor {
			outcome = "given_up"
		}
		s.Log.Warn("webhook not delivered", "tenant", s.To.Deployment.Tenant, "deployment", s.To.Deployment.ID,
			"event", e.ID, "givenUp", outcome == "given_up", "error", err)
	}
	s.Observe.Delivered(outcome)
	if outcome == "failed" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), confirmLimit)
	defer cancel()
	return s.Queue.Queue.Events.Confirm(ctx, s.To, e.ID)
}

// traced is post in a trace of its own.
func (s *Sender) traced(ctx context.Context, e record.Event) error {
	ctx, span := s.Tracer.Work(ctx, "webhook", time.Now())
	defer span.End()
	span.Text("mooring.tenant", s.To.Deployment.Tenant)
	span.Count("mooring.deployment", s.To.Deployment.ID)
	span.Text("mooring.event", string(e.Type))
	err := s.post(ctx, e)
	if err != nil {
		span.Fail("webhook")
	}
	return err
}

// post sends one event; the error does not hold the address, which may have a token in it.
func (s *Sender) post(ctx context.Context, e record.Event) error {
	body, err := json.Marshal(map[string]any{
		"type": e.Type, "timestamp": e.At, "deploymentId": s.To.Deployment.ID, "reportId": e.ReportID, "data": e.Data,
	})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Hook.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("address cannot be used")
	}
	r.Header = s.Hook.sign(e.ID, time.Now(), body)
	trace.Send(ctx, r.Header)
	answer, err := s.Client.Do(r)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			return failed.Err
		}
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection can be used again
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("endpoint answered %d", answer.StatusCode)
	}
	return nil
}
