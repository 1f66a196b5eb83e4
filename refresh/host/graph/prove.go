package graph

import (
	"context"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// Prove is host.Finder's. It opens a session of the service that keeps nothing, and closes it.
func (g *Workbooks) Prove(ctx context.Context, document string, budget *host.Budget) (host.Identity, error) {
	if err := g.faults.InvalidDocument(document); err != nil {
		return host.Identity{}, err
	}
	if err := budget.Take(proveRequests + g.locateRequests(document)); err != nil {
		return host.Identity{}, err
	}
	l, err := g.libraryOf(ctx, document)
	if err != nil {
		return host.Identity{}, err
	}
	s := &session{Workbooks: g, document: document, library: l, rangeCells: rangeCells}
	switch s.service.id, err = g.openPassing(ctx, s.workbook(document)); {
	case isRefusal(err):
		return s.Identity(ctx)
	case err != nil:
		return host.Identity{}, g.fault(ctx, document, err)
	}
	defer s.leave(ctx)
	if err := rest.TakeQuota(ctx, g.limiter, g.faults, g.quotas, 1); err != nil {
		return host.Identity{}, err
	}
	replies, err := s.send(ctx, []request{s.identityRequest()})
	if err != nil {
		return host.Identity{}, g.fault(ctx, document, err)
	}
	return s.identityIn(ctx, replies[0])
}

// proveRequests is how many requests Prove takes once it is known which library has the document.
const proveRequests = 3

// locateRequests is how many requests it takes to know that, as far as the libraries are known.
func (g *Workbooks) locateRequests(document string) int {
	if _, ok := g.single(); ok {
		return 0
	}
	_, known := g.known.item(document)
	switch {
	case known && len(g.folders) == 0:
		return 0
	case known:
		return 1
	}
	return max(len(g.places()), g.known.number())
}
