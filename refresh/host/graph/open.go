package graph

import (
	"context"

	"mooring/refresh/host"
)

// Open is Driver's. With one drive and no folders it sends nothing: the first Read or Write finds out whether the document is there.
func (g *Workbooks) Open(ctx context.Context, document string) (host.Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := g.faults.InvalidDocument(document); err != nil {
		return nil, err
	}
	l, err := g.libraryOf(ctx, document)
	if err != nil {
		return nil, err
	}
	return &session{Workbooks: g, document: document, library: l, rangeCells: rangeCells}, nil
}

// Close ends the session, and the service's own if one is open.
func (s *session) Close() error {
	s.leave(context.Background())
	return nil
}

// Changed is the fault of a document that others changed since it was read.
func (s *session) changed(cause error) error {
	s.stale = true
	return s.faults.Changed(s.document, cause)
}
