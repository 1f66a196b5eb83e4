package link

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/work"
)

// How much one look for a document may cost.
const (
	lookCandidates = 20
	lookRequests   = 30
	lookTime       = 2 * time.Minute
)

// Look goes on looking for a document, or has its placements follow its link.
func (e *Linker) Look(ctx context.Context, tenant, identity string) error {
	if err := e.Records.Links().HoldLook(ctx, tenant, identity, lookTime+e.Lease); err != nil {
		return err
	}
	l, err := e.Records.Links().Of(ctx, tenant, identity)
	switch {
	case err != nil:
		return err
	case l == nil, len(l.Unsettled) == 0 && (l.Ask == nil || l.State == record.LinkLinked && !looking(l)):
		return e.Records.Links().ForgetLook(ctx, tenant, identity)
	case len(l.Unsettled) > 0:
		return e.settleNow(ctx, tenant, l)
	}
	within, cancel := context.WithTimeoutCause(ctx, lookTime, errLookTime)
	defer cancel()
	f, err := e.find(within, tenant, l)
	if err == nil {
		err = e.foundOut(within, tenant, l, f)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	f.unsure = true
	return errors.Join(logged(err), e.told(ctx, tenant, l, f, unknown))
}

// errLookTime ends a look that takes too long.
var errLookTime = &placements.Fault{Class: placements.Transient, Message: "looking for the document took longer than " + lookTime.String()}

// logged is an error that is no fault of a host or another run, which is told the user alone.
func logged(err error) error {
	if _, ok := errors.AsType[*placements.Fault](err); ok || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// settleNow has the placements in a document follow its link as it is under the document's locks.
func (e *Linker) settleNow(ctx context.Context, tenant string, l *record.Link) error {
	lease, release, err := e.lockLinked(ctx, tenant, l)
	if err != nil {
		return err
	}
	defer release()
	now, err := e.Records.Links().Of(lease, tenant, l.Identity)
	if err != nil || now == nil || !sameIDs(l, now) {
		return err // it is due again, with the locks of other ids
	}
	_, err = e.settled(lease, tenant, now)
	return err
}

// sameIDs reports whether both have the same ids to settle.
func sameIDs(l, now *record.Link) bool {
	return slices.Equal(l.IDs, now.IDs) && slices.Equal(l.Unsettled, now.Unsettled)
}

// changeAsked changes a link, unless its add-in has asked anew or a user unlinked it meanwhile.
func (e *Linker) changeAsked(
	ctx context.Context, tenant string, asked *record.Link, change func(*record.Link) work.LinkChange,
) (*record.Link, error) {
	return e.Records.Links().Change(ctx, tenant, asked.Identity, func(l *record.Link) (work.LinkChange, error) {
		if l.Ask == nil || asked.Ask == nil || l.Ask.At != asked.Ask.At || !sameAsk(*l.Ask, *asked.Ask) {
			c := e.unchangedLook(l)
			if l.Ask == nil {
				c = work.LinkChange{}
			}
			return c, nil
		}
		return change(l), nil
	})
}
