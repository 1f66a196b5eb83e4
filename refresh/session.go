package refresh

import (
	"context"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// wanted is a block to read, and how much of it at least.
type wanted struct {
	Block  host.Block
	Extent checksum.Extent
}

// found is what stands there. Err concerns this block alone.
type found struct {
	View host.View
	Err  error
}

// session is one document, open for reads and writes. It is not safe for concurrent use.
type session interface {
	// Read finds each block. An error concerns the document, and with it all blocks.
	Read(ctx context.Context, list []wanted) ([]found, error)
	// Write applies all patches in one step. A fault of class Conflict, Structure or Permanent says that they were refused and
	// that nothing was written: the caller may then write them one by one.
	Write(ctx context.Context, patches []host.Patch) ([]host.Written, error)
	Close() error
}

// opener is a host that has sessions of its own.
type opener interface {
	Open(ctx context.Context, document string) (session, error)
}

// open opens a document.
func open(ctx context.Context, h host.Host, document string) (session, error) {
	if o, ok := h.(opener); ok {
		return o.Open(ctx, document)
	}
	return &single{host: h}, nil
}

// single is a session of a host that reads and writes one block at a time.
type single struct {
	host  host.Host
	wrote bool // what was read has another revision by now
}

func (s *single) Read(ctx context.Context, list []wanted) ([]found, error) {
	s.wrote = false
	views := make([]found, len(list))
	for i, w := range list {
		views[i].View, views[i].Err = s.host.Read(ctx, w.Block, w.Extent)
	}
	return views, nil
}

func (s *single) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	if len(patches) > 1 {
		return nil, &placements.Fault{Class: placements.Permanent, Message: "this host writes one block at a time"}
	}
	p := patches[0]
	if s.wrote {
		if err := s.again(ctx, &p); err != nil {
			return nil, err
		}
	}
	s.wrote = true
	w, err := s.host.Write(ctx, p)
	return []host.Written{w}, err
}

// again learns the document's revision after the session's own write.
func (s *single) again(ctx context.Context, p *host.Patch) error {
	v, err := s.host.Read(ctx, p.Block, checksum.Extent{Rows: 1, Columns: 1})
	if err != nil {
		return err
	}
	if v.Sheet != p.Block.Sheet || v.Anchor != p.Block.Anchor {
		return &placements.Fault{Class: placements.Transient, Message: "the document changed while it was refreshed"}
	}
	p.Revision = v.Revision
	return nil
}

func (s *single) Close() error { return nil }
