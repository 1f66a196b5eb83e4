package refresh

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/work"
)

// refresh queries and writes placements, in several rounds when the tables of all do not fit in memory together, or when a placement moved
// meanwhile. It leaves the last document locked, until the attempt is completed. An error ends the attempt before it has tried all of them.
func (a *attempt) refresh(ctx context.Context, todo []storage.Placed) error {
	for len(todo) > 0 {
		have, later := a.query(ctx, todo)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(have) == 0 {
			a.member.ready()
		}
		again, err := a.write(ctx, have)
		if err != nil {
			return err
		}
		a.drop()
		if todo = append(later, a.allowed(ctx, again)...); len(todo) == 0 {
			return nil
		}
		if err := a.release(ctx); err != nil {
			return err
		}
	}
	return nil
}

// write writes the placements, one document after the other: those to which other runs write at last. again are those that turned out to stand
// in another document, or to be placed by another person, and are to be queried and written yet.
func (a *attempt) write(ctx context.Context, todo []storage.Placed) (again []storage.Placed, err error) {
	var busy [][]storage.Placed
	refs, in := a.byDocument(todo)
	for _, ref := range refs {
		here := in[ref]
		left, err := a.writeDocument(ctx, ref, here, heldBriefly)
		if errors.Is(err, errHeld) {
			busy = append(busy, here)
			continue
		}
		if err != nil {
			return nil, err
		}
		again = append(again, left...)
	}
	left, err := a.writeBusy(ctx, busy)
	return append(again, left...), err
}

// writeBusy writes placements, by document, to which other runs write. Once it has waited long enough for all of them together, the rest wait
// without the attempt.
func (a *attempt) writeBusy(ctx context.Context, documents [][]storage.Placed) (again []storage.Placed, err error) {
	until := time.Now().Add(heldPatience)
	for _, here := range documents {
		ref := a.documentOf(a.d.Tenant, here[0].Placement)
		left, err := a.writeDocument(ctx, ref, here, max(heldBriefly, time.Until(until)))
		if errors.Is(err, errHeld) {
			fault := asFault(a.Engine.held(ctx, ref.tenant, a.lockOf(ref)))
			for _, p := range here {
				a.failed(p, fault)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		again = append(again, left...)
	}
	return again, nil
}

// writeDocument writes placements of one document together with what other attempts want there. again is write's. errHeld: for so long the
// document was another run's, and nothing was done.
func (a *attempt) writeDocument(
	ctx context.Context, ref documentRef, list []storage.Placed, patience time.Duration,
) (again []storage.Placed, err error) {
	if err := a.release(ctx); err != nil {
		return nil, err
	}
	ctx, span := trace.Start(ctx, "document")
	defer span.End()
	span.Text("mooring.document", ref.id)
	j := &job{attempt: a, ctx: ctx, done: make(chan struct{})}
	for _, p := range list {
		j.blocks = append(j.blocks, &block{job: j, known: p, table: a.asking(p).table})
	}
	a.limit.pause()
	a.join(ref, j)
	a.held = j
	a.member.ready()
	err = j.wait(patience)
	a.limit.goOn()
	if err != nil {
		return nil, err
	}
	for _, b := range j.blocks {
		if err := b.ended(ctx); err != nil {
			return nil, err
		}
		if p, left := a.note(b); left {
			again = append(again, p)
		}
	}
	return again, nil
}

// byDocument returns the documents of placements, in their order, and the placements in each.
func (a *attempt) byDocument(list []storage.Placed) (refs []documentRef, in map[documentRef][]storage.Placed) {
	in = map[documentRef][]storage.Placed{}
	for _, p := range list {
		ref := a.documentOf(a.d.Tenant, p.Placement)
		if in[ref] == nil {
			refs = append(refs, ref)
		}
		in[ref] = append(in[ref], p)
	}
	return refs, in
}

// release stores what the attempt has left in the document that it has locked, and unlocks it. ErrLockLost: another attempt has
// begun. What could not be stored is stored when the attempt completes.
func (a *attempt) release(ctx context.Context) error {
	if a.held == nil {
		return nil
	}
	defer a.leave()
	var o work.Outcome
	written := func(s work.PlacementOutcome) bool { return s.Written }
	for _, s := range a.completed() {
		if written(s) {
			o.Placements = append(o.Placements, s)
		}
	}
	if len(o.Placements) == 0 {
		return nil
	}
	o.Refreshed = a.requester()
	err := a.persist(ctx, func(ctx context.Context) error { return a.queue.Record(ctx, a.claim, o) })
	if err == nil {
		a.completions = slices.DeleteFunc(a.completions, written)
	}
	if errors.Is(err, storage.ErrLockLost) {
		return err
	}
	return nil
}

// leave unlocks the document that the attempt has locked.
func (a *attempt) leave() {
	if a.held != nil {
		a.held.leave()
		a.held = nil
	}
}

// note says in the run what came of a block. again is true for a placement that was moved or taken over meanwhile and is to be refreshed
// there.
func (a *attempt) note(b *block) (p storage.Placed, again bool) {
	switch asked := a.run.Target(); {
	case !b.left:
		a.tried(b)
	case b.now.ID != "" && asked.Has(b.now.Placement):
		return b.now, true
	case asked.PlacementID != "":
		a.failed(b.known, disconnected())
	case b.now.ID != "", a.waited[b.known.ID]: // else the run says nothing of it
		a.gone(b.known.ID)
	}
	return storage.Placed{}, false
}

// available leaves out what waits still, where the attempt would refresh nothing but what waits for its documents: the source is not asked
// for rows that cannot be written.
func (a *attempt) available(ctx context.Context, list []storage.Placed) (may []storage.Placed) {
	if slices.ContainsFunc(list, func(p storage.Placed) bool { return !waitsForDocument(p) }) {
		return list
	}
	refs, in := a.byDocument(list)
	for _, ref := range refs {
		here := in[ref]
		err := a.look(ctx, ref, here[0])
		if ctx.Err() != nil {
			return nil // the caller knows why
		}
		for _, p := range here {
			if !a.stillWaits(p, err) {
				may = append(may, p)
			}
		}
	}
	return may
}
