package oidc

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// How long an issuer may take to answer, and how long to wait between two attempts to reach it at first, doubled up to a bound.
const (
	answerTimeout = 10 * time.Second
	firstRetry    = time.Second
	lastRetry     = time.Minute
)

// Provider signs people in by one or several issuers of identities. It is safe for concurrent use.
type Provider struct{ clients []*client }

// New returns the provider of configurations that Check found nothing wrong with, each of another issuer. An issuer is ready when Run has
// reached it.
func New(issuers ...Config) *Provider {
	p := new(Provider)
	for _, c := range issuers {
		p.clients = append(p.clients, &client{config: c, http: &http.Client{Timeout: answerTimeout}})
	}
	return p
}

// Run asks the issuers about themselves until each has answered, or ctx ends.
func (p *Provider) Run(ctx context.Context, log *slog.Logger) {
	var running sync.WaitGroup
	for _, c := range p.clients {
		running.Go(func() { c.run(ctx, log.With("issuer", c.config.Issuer)) })
	}
	running.Wait()
}

// Ready reports whether people can sign in: an issuer has answered. No provider is never ready.
func (p *Provider) Ready() bool { return len(p.Choices()) > 0 }

// Choice is an issuer by which a person can sign in.
type Choice struct {
	Issuer string `json:"issuer"`
	Name   string `json:"name"` // for people; each has another
}

// Choices returns the issuers that have answered, in the order of the configuration.
func (p *Provider) Choices() []Choice {
	if p == nil {
		return nil
	}
	labels := map[string]int{}
	for _, c := range p.clients {
		labels[c.config.label()]++
	}
	var all []Choice
	for _, c := range p.clients {
		name := c.config.label()
		if labels[name] > 1 {
			name += " (" + c.config.shortAddress() + ")"
		}
		if c.found.Load() != nil {
			all = append(all, Choice{c.config.Issuer, name})
		}
	}
	return all
}

// client returns the one of an issuer; with no issuer named, the only one. It returns nil for an issuer that is not configured, or has not
// answered yet.
func (p *Provider) client(issuer string) *client {
	for _, c := range p.clients {
		if c.found.Load() != nil && (c.config.Issuer == issuer || issuer == "" && len(p.clients) == 1) {
			return c
		}
	}
	return nil
}
