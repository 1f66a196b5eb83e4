package xlsx

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/shift"
)

func (w *writer) count(f shift.Followed) {
	if w.follows.Formulas += f.Formulas; f.Formulas > 0 {
		w.follows.Sheets++
	}
}

// tryMove returns what of a sheet follows the cells that move, and writes nothing.
func (w *writer) tryMove(f *zip.File, s sheet) (shift.Followed, error) {
	for {
		in, err := w.sheet(w.ctx, f)
		if err != nil {
			return shift.Followed{}, err
		}
		followed, err := shift.Sheet(in, io.Discard, s.name, &w.moves)
		in.Close()
		if !w.shuffle(f, err) {
			return followed, err
		}
	}
}

// Follows is host.Follower's. It reads every sheet.
func (s *session) Follows(ctx context.Context, patches []host.Patch) (host.Follow, error) {
	if err := s.begin(ctx, patches); err != nil {
		return host.Follow{}, err
	}
	w, err := s.p.newWriter(ctx, s.wb, s.blocks.now(patches), host.Identity{})
	if err != nil {
		return host.Follow{}, err
	}
	for f, sheet := range w.moving {
		if !w.shifting(sheet.name) {
			continue
		}
		followed, err := w.tryMove(f, sheet)
		if err != nil {
			return host.Follow{}, w.classify(err)
		}
		w.count(followed)
	}
	return w.follows, nil
}

var _ host.Follower = (*session)(nil)

// movedSheet is a sheet part with its cells moved, as it is read.
type movedSheet struct {
	*io.PipeReader
	done     chan struct{} // closed once nothing of the part is read any more
	followed shift.Followed
}

// openMoved opens a sheet part with its cells moved.
func (w *writer) openMoved(f *zip.File) (io.ReadCloser, error) {
	in, err := w.sheet(w.ctx, f)
	sheet, moves := w.moving[f]
	if err != nil || !moves {
		return in, err
	}
	r, out := io.Pipe()
	m := &movedSheet{PipeReader: r, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		defer in.Close()
		defer func() {
			if p := recover(); p != nil { // it must not end what else the process does
				out.CloseWithError(fmt.Errorf("moving cells of %s panicked: %v\n%s", sheet.part, p, debug.Stack()))
			}
		}()
		var err error
		m.followed, err = shift.Sheet(in, out, sheet.name, &w.moves)
		out.CloseWithError(err)
	}()
	return m, nil
}

// Close ends the moving.
func (m *movedSheet) Close() error {
	err := m.PipeReader.Close()
	<-m.done
	return err
}
