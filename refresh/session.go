package refresh

import (
	"context"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// wanted asks for a block, as far as extent.
type wanted struct {
	block  host.Block
	extent checksum.Extent
}

// found is what stands there. err concerns this block alone.
type found struct {
	view host.View
	err  error
}

// session is one document, open for reads and writes. It is not safe for concurrent use.
type session interface {
	// read finds each block. An error concerns the document, and with it all blocks.
	read(ctx context.Context, list []wanted) ([]found, error)
	// write applies all patches in one step. A fault of class Conflict, Structure or Permanent says that they were refused and that nothing was
	// written: the caller may then write them one by one.
	write(ctx context.Context, patches []host.Patch) ([]host.Written, error)
	close() error
}

// opener is a host that has sessions of its own.
type opener interface {
	open(ctx context.Context, document string) (session, error)
}

// open opens a document.
func open(ctx context.Context, h host.Host, document string) (session, error) {
	if o, ok := h.(opener); ok {
		return o.open(ctx, document)
	}
	return &single{host: h}, nil
}

// single is a session of a host that reads and writes one block at a time.
type single struct {
	host  host.Host
	wrote bool // what was read has another revision by now
}

func (s *single) read(ctx context.Context, list []wanted) ([]found, error) {
	s.wrote = false
	views := make([]found, len(list))
	for i, w := range list {
		views[i].view, views[i].err = s.host.Read(ctx, w.block, w.extent)
	}
	return views, nil
}

func (s *single) write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
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

func (s *single) close() error { return nil }
