package document

import (
	"context"
	"strings"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/site"
)

// Preview is what a refresh of a placement would do to its document now.
type Preview struct {
	Rows    int          // that it would write, clear or delete
	Inserts int          // rows of cells
	Follow  *host.Follow // of the shifts; nil without any, and where the host cannot tell
	Message string       // the shifts and Follow in words, and what people had done to the block; empty for nothing
}

// Preview reads and plans the block of a task as Write does, and writes nothing. The document is not locked: another write may come
// between this and the next one. The outcome's error is why the write would not end well.
func (w *Editor) Preview(ctx context.Context, ref site.Ref, o *Task) (Preview, *Receipt) {
	outs := outcomes([]*Task{o})
	one := &write{by: w, ref: ref}
	preview, err := one.preview(ctx, outs)
	fail(outs, err)
	return preview, &outs[0]
}

// PreviewSheet is Preview of the sheet that an add-in sent. The outcome's error is a *NeedError when more of it is needed.
func (w *Editor) PreviewSheet(ctx context.Context, ref site.Ref, sheet Sheet, o *Task) (Preview, *Receipt) {
	outs := outcomes([]*Task{o})
	s := &sheetSession{sheet: sheet}
	one := &write{by: w, ref: ref, sheet: s}
	preview, err := one.previewSheet(ctx, s, outs)
	fail(outs, err)
	return preview, &outs[0]
}

func (w *write) previewSheet(ctx context.Context, s *sheetSession, outs []Receipt) (preview Preview, err error) {
	targets, err := w.load(ctx, outs)
	if err != nil || len(targets) == 0 {
		return preview, err
	}
	if s.target = targets[0]; s.sheet.Status == nil {
		s.target.status = nil
	}
	done, err := w.by.Results.Clients.Write(ctx, targets[0].reads())
	if err != nil {
		return preview, err
	}
	defer done()
	drafts, err := w.find(ctx, s, targets, checksum.Means{Shifts: clientShifts})
	if err != nil || len(changed(drafts)) == 0 {
		return preview, err
	}
	s.draft = drafts[0]
	if _, err := s.Write(ctx, []host.Patch{s.draft.patch()}); err != nil {
		return preview, err
	}
	return s.draft.previewed(), nil
}

func (w *write) preview(ctx context.Context, outs []Receipt) (preview Preview, err error) {
	targets, err := w.load(ctx, outs)
	if err != nil || len(targets) == 0 {
		return preview, err
	}
	h, none := w.by.Sites.HostOf(w.ref)
	if none != nil {
		return preview, none
	}
	done, err := w.by.Results.Clients.Write(ctx, targets[0].reads())
	if err != nil {
		return preview, err
	}
	defer done()
	s, err := w.by.Sites.Open(ctx, h, w.ref)
	if err != nil {
		return preview, err
	}
	defer w.close(ctx, s)
	drafts, err := w.find(ctx, s, targets, checksum.Means{Shifts: h.MaxShifts(), Move: h.CanMove()})
	if err != nil || len(changed(drafts)) == 0 {
		return preview, err
	}
	if err := drafts[0].foresee(ctx, s); err != nil {
		return preview, err
	}
	return drafts[0].previewed(), nil
}

// foresee asks a session what follows the shifts of the plan.
func (b *draft) foresee(ctx context.Context, s host.Session) error {
	f, ok := s.(host.Follower)
	if !ok || len(b.plan.Shifts) == 0 {
		return nil
	}
	follow, err := f.Follows(ctx, []host.Patch{b.patch()})
	if err != nil {
		return err
	}
	b.follow = &follow
	return nil
}

// previewed is the plan of the block.
func (b *draft) previewed() Preview {
	inserts := 0
	for _, s := range b.plan.Shifts {
		inserts += max(s.Rows, 0)
	}
	return Preview{Rows: b.rowsToWrite(), Inserts: inserts, Follow: b.follow, Message: strings.Join(b.words(), "; ")}
}
