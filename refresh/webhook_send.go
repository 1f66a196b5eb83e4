package refresh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"mooring/refresh/trace"
	"mooring/storage/record"
)

// webhookSender delivers the events of one deployment to one webhook.
type webhookSender struct {
	*agent
	hook   Webhook
	sub    record.Subscription
	client *http.Client
	ready  bool // the subscription exists
}

// webhookSenders are those of every webhook in the configuration.
func (a *agent) webhookSenders() []*webhookSender {
	client := &http.Client{
		Timeout: deliverTimeout,
		// A redirect is answered by another endpoint: it counts as a refusal.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	var list []*webhookSender
	for tenant, t := range a.tenants {
		for id, d := range t.Deployments {
			for _, hook := range d.Webhooks {
				sub := record.Subscription{Deployment: record.Deployment{Tenant: tenant, ID: id}, Name: hook.name()}
				list = append(list, &webhookSender{agent: a, hook: hook, sub: sub, client: client})
			}
		}
	}
	return list
}

// deliver does rounds, a little apart.
func (c *webhookSender) deliver(ctx context.Context) error {
	if err := c.round(ctx, patience); err != nil {
		return err
	}
	return sleep(ctx, deliverEvery)
}

// round delivers what is overdue, and then what is new until ctx ends. Events that it has taken are delivered even then, in their order,
// until the drain limit is over: no other agent sees them before they are overdue.
func (c *webhookSender) round(ctx context.Context, patience func(taken int64) time.Duration) error {
	if !c.ready {
		if err := c.queue.Queue.Events.Subscribe(c.work, c.sub); err != nil {
			return err
		}
		c.ready = true
	}
	events, err := c.queue.Queue.Events.Overdue(c.work, c.sub, c.name, deliverBatch, patience)
	if err != nil {
		c.ready = false // a server that lost its data lost the subscription too
		return err
	}
	for {
		for _, e := range events {
			if err := c.one(c.work, e); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if events, err = c.queue.Queue.Events.New(c.work, c.sub, c.name, deliverBatch); err != nil || len(events) == 0 {
			return err
		}
	}
}

// patience is how long an event that was taken so often may go unconfirmed.
func patience(taken int64) time.Duration {
	if taken > 6 {
		return mostPatience
	}
	return min(mostPatience, firstPatience*time.Duration(int64(1)<<(2*max(taken-1, 0))))
}

// webhookTold reports whether webhooks are told of events of that type.
func webhookTold(t record.EventType) bool {
	switch t {
	case record.EventRunFailed, record.EventRunRecovered, record.EventEditsKept, record.EventEditsGone:
		return true
	}
	return false
}

// one delivers an event that webhooks are told of. It is confirmed when the endpoint took it, even if ctx ends then, and when it is too
// old to matter.
func (c *webhookSender) one(ctx context.Context, e record.Event) error {
	if !webhookTold(e.Type) {
		return c.queue.Queue.Events.Confirm(ctx, c.sub, e.ID)
	}
	outcome := "delivered"
	if err := c.traced(ctx, e); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		outcome = "failed"
		at, _ := time.Parse(time.RFC3339, e.At)
		if time.Since(at) > deliverFor {
			outcome = "given_up"
		}
		c.log.Warn("webhook not delivered", "tenant", c.sub.Deployment.Tenant, "deployment", c.sub.Deployment.ID,
			"event", e.ID, "givenUp", outcome == "given_up", "error", err)
	}
	c.observe.Delivered(outcome)
	if outcome == "failed" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), confirmLimit)
	defer cancel()
	return c.queue.Queue.Events.Confirm(ctx, c.sub, e.ID)
}

// traced is post in a trace of its own.
func (c *webhookSender) traced(ctx context.Context, e record.Event) error {
	ctx, span := c.tracer.Work(ctx, "webhook", time.Now())
	defer span.End()
	span.Text("mooring.tenant", c.sub.Deployment.Tenant)
	span.Count("mooring.deployment", c.sub.Deployment.ID)
	span.Text("mooring.event", string(e.Type))
	err := c.post(ctx, e)
	if err != nil {
		span.Fail("webhook")
	}
	return err
}

// post sends one event; the error does not hold the address, which may have a token in it.
func (c *webhookSender) post(ctx context.Context, e record.Event) error {
	body, err := json.Marshal(map[string]any{
		"type": e.Type, "timestamp": e.At, "deploymentId": c.sub.Deployment.ID, "reportId": e.ReportID, "data": e.Data,
	})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.hook.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("address cannot be used")
	}
	r.Header = c.hook.sign(e.ID, time.Now(), body)
	trace.Send(ctx, r.Header)
	answer, err := c.client.Do(r)
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
