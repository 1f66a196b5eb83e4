package refresh

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
	looksAtOnce    = 4 // of an agent
)

// lookSoon looks for the documents that are due, each by itself: a look may take long. One for which there is no room is due again.
func (a *agent) lookSoon(list []record.Due) {
	for _, d := range list {
		select {
		case a.looks <- struct{}{}:
			a.running.Go(func() {
				defer func() { <-a.looks }()
				if err := a.lookFor(a.work, d.Deployment.Tenant, d.Identity); err != nil && a.work.Err() == nil {
					a.log.Warn("document not looked for, trying again", "tenant", d.Deployment.Tenant, "document", d.Identity, "error", err)
				}
			})
		default:
		}
	}
}

// lookFor goes on looking for a document, or has its placements follow its link.
func (e *Engine) lookFor(ctx context.Context, tenant, identity string) error {
	if err := e.records.Links().HoldLook(ctx, tenant, identity, lookTime+dueLease); err != nil {
		return err
	}
	l, err := e.records.Links().Of(ctx, tenant, identity)
	switch {
	case err != nil:
		return err
	case l == nil, len(l.Unsettled) == 0 && (l.Ask == nil || l.State == record.LinkLinked && !looking(l)):
		return e.records.Links().ForgetLook(ctx, tenant, identity)
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
func (e *Engine) settleNow(ctx context.Context, tenant string, l *record.Link) error {
	lease, release, err := e.lockLinked(ctx, tenant, l)
	if err != nil {
		return err
	}
	defer release()
	now, err := e.records.Links().Of(lease, tenant, l.Identity)
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
func (e *Engine) changeAsked(
	ctx context.Context, tenant string, asked *record.Link, change func(*record.Link) work.LinkChange,
) (*record.Link, error) {
	return e.records.Links().Change(ctx, tenant, asked.Identity, func(l *record.Link) (work.LinkChange, error) {
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
