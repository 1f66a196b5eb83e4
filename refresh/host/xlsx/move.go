package xlsx

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
	"mooring/refresh/host/xlsx/shift"
)

// moveCells makes what refers to cells that move follow them, in all parts but the sheets that they stand on.
func (w *writer) moveCells() (err error) {
	if len(w.moves.By) == 0 {
		return nil
	}
	doc, err := w.moves.Names(w.wb.Doc)
	if err != nil {
		return err
	}
	if w.wb, err = w.wb.With(doc); err != nil {
		return err
	}
	w.draft.Set(w.wb.Part, w.wb.Doc)
	if err := follow(w.draft, w.wb, &w.moves); err != nil {
		return err
	}
	for _, s := range w.wb.Sheets {
		f := w.archive.Part(s.Part)
		if s.Part == "" || f == nil {
			continue
		}
		if w.shifting(s.Name) {
			w.moving[f] = s
			continue
		}
		followed, err := w.tryMove(f, s)
		if err != nil {
			return err
		}
		if followed.Changed {
			w.moving[f] = s
		}
		w.count(followed)
	}
	return nil
}

func (w *writer) count(f shift.Followed) {
	if w.follows.Formulas += f.Formulas; f.Formulas > 0 {
		w.follows.Sheets++
	}
}

// tryMove returns what of a sheet follows the cells that move, and writes nothing.
func (w *writer) tryMove(f *zip.File, s part.Sheet) (shift.Followed, error) {
	for {
		in, err := w.parts.Open(w.ctx, f)
		if err != nil {
			return shift.Followed{}, err
		}
		followed, err := shift.Sheet(in, io.Discard, s.Name, &w.moves)
		in.Close()
		if !w.parts.Shuffle(f, err) {
			return followed, err
		}
	}
}

// Follows is host.Follower's. It reads every sheet.
func (s *session) Follows(ctx context.Context, patches []host.Patch) (host.Follow, error) {
	if err := s.begin(ctx, patches); err != nil {
		return host.Follow{}, err
	}
	w, err := newWriter(ctx, s.p, s.parts, s.wb, s.blocks.now(patches), ownNames{})
	if err != nil {
		return host.Follow{}, err
	}
	for f, of := range w.moving {
		if !w.shifting(of.Name) {
			continue
		}
		followed, err := w.tryMove(f, of)
		if err != nil {
			return host.Follow{}, classify(w.archive, err)
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
func (w *writer) openMoved(f *zip.File) (*movedSheet, error) {
	of := w.moving[f]
	in, err := w.parts.Open(w.ctx, f)
	if err != nil {
		return nil, err
	}
	r, out := io.Pipe()
	m := &movedSheet{PipeReader: r, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		defer in.Close()
		defer func() {
			if p := recover(); p != nil { // it must not end what else the process does
				out.CloseWithError(fmt.Errorf("moving cells of %s panicked: %v\n%s", of.Part, p, debug.Stack()))
			}
		}()
		var err error
		m.followed, err = shift.Sheet(in, out, of.Name, &w.moves)
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

// shown notes the rows of a sheet that are shown now as cells moved there, each at the patch whose shifts moved them: the last one above.
func (w *writer) shown(name string, rows []int) {
	for _, row := range rows {
		var by *sheet.BlockPatch
		for _, p := range w.patches {
			above := p.Block.Sheet == name && len(p.Shifts) > 0 && p.Block.Anchor.Row <= row
			if above && (by == nil || by.Block.Anchor.Row < p.Block.Anchor.Row) {
				by = p
			}
		}
		if by != nil {
			by.Shown(row)
		}
	}
}

// shifting reports whether the shifts are of a sheet.
func (w *writer) shifting(sheet string) bool {
	return slices.ContainsFunc(w.moves.By, func(s formula.CellShift) bool { return strings.EqualFold(s.Sheet, sheet) })
}
