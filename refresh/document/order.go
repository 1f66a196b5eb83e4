package document

import (
	"context"
	"errors"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/refresh/result"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// Order is what is to be written to a document: a report's table, at one of its placements.
type Order struct {
	Deployment record.Deployment
	Report     *storage.Report
	Placement  storage.Placed // as the attempt loaded it
	Table      *result.Table  // on behalf of who placed it
	Claim      *queue.Attempt // of the run, which is only read: what is noted ahead of the write is fenced by it
	Personal   bool           // the rows depend on who is shown them
	Location   *time.Location // of the deployment
	Clock      Clock
	Limit      *fault.Limit // of the attempt's work, to which waiting does not count
	Progress   func(string) // a line for the observers of the run

	job *Job // nil: the order cannot be withdrawn
}

// Clock is the store's, which all agents share: Begun by it is Started by our own.
type Clock struct{ Begun, Started time.Time }

// Now is the present.
func (c Clock) Now() time.Time { return c.Begun.Add(time.Since(c.Started)) }

// addin reports whether an add-in works on the run, in the document that it has open.
func (o *Order) addin() bool { return o.Claim.Run.Executor == record.ExecutorClient }

// level is what a person may do with the report as the attempt loaded it.
func (o *Order) level(who record.Actor) record.Level {
	return who.OnReport(o.Report.CreatedBy, o.Report.RolesWithAccess)
}

// behalf names on whose behalf a placement is queried: it is equal for two if they are shown the same rows.
func (o *Order) behalf(p storage.Placed) string { return result.Behalf(o.Personal, p.Behalf()) }

// withdrawn reports whether the attempt has ended before the write.
func (o *Order) withdrawn() bool { return o.job != nil && o.job.err != nil }

// blockRef names a block over all deployments of a tenant.
type blockRef struct {
	deployment, report int64
	placement          string
}

func (o *Order) ref() blockRef { return blockRef{o.Deployment.ID, o.Report.ID, o.Placement.ID} }

// options are those of the run, with what was requested of an older one, and of what neither says those of the placement. What would destroy
// something is asked for by who may do that, at the time when it is done.
func (o *Order) options(p storage.Placed) placements.Options {
	run := o.Claim.Run
	said := run.Options
	c, ok := run.Carried[p.ID]
	if may := o.level(c.By) >= record.MayEdit || p.Wholly(c.By.ID); !may {
		c.Options = c.Sparing()
	}
	if ok {
		if run.Trigger == record.TriggerManual {
			said = said.Over(c.Options)
		} else {
			said = c.Over(said)
		}
	}
	return said.Over(p.Options)
}

// Outcome is what came of an order.
type Outcome struct {
	Order  *Order
	Now    storage.Placed // as it is recorded since the document is locked; zero where it is gone, or was not read
	Left   bool           // it is not for this write any more: see load
	Err    error
	Done   bool // the block shows the table
	Opened bool // an agent has written the block in its document before, and so has had that open
	Sent   bool // it was given to the host, which has not refused it: the document may hold it

	Written host.Written
	Calls   int
	Took    time.Duration // the whole write; of those of a job only the first says so

	target *target // nil where nothing is known of it
	draft  *draft  // nil where it was not read
}

// outcomes are those of orders of which nothing has come yet.
func outcomes(orders []*Order) []Outcome {
	outs := make([]Outcome, len(orders))
	for i, o := range orders {
		outs[i].Order = o
	}
	return outs
}

// fail says that every order without a result of its own met err.
func fail(outs []Outcome, err error) {
	for i := range outs {
		if o := &outs[i]; err != nil && !o.Left && !o.Done && o.Err == nil {
			o.Err = err
		}
	}
}

// Recorded is the placement as it is recorded, or was when the document could not be locked.
func (o *Outcome) Recorded() storage.Placed {
	if o.Now.ID == "" {
		return o.Order.Placement
	}
	return o.Now
}

// Changes are those that were planned.
func (o *Outcome) Changes() *plan.Changes { return &o.draft.plan }

// Replaced are the edited rows that the write replaced.
func (o *Outcome) Replaced() []record.OverwrittenRow {
	return converted(o.draft.plan.Replaced(), storageRow)
}

// Edits are the cells that were left as people had typed them.
func (o *Outcome) Edits() []record.Edit { return converted(o.draft.plan.Edits, storageEdit) }

// Change is what the run changed in the block; nil for nothing.
func (o *Outcome) Change() *record.Change { return o.target.change }

// OthersValues reports whether the rows that were replaced may have values of others.
func (o *Outcome) OthersValues() bool { return o.draft.othersValues() }

// Words are what the write shifted, what followed that, what people had done to the block, and why its status cell was left alone.
func (o *Outcome) Words() []string { return o.draft.words() }

// Notes say what of the sheet could not stay with its record, which hidden rows are shown now, and why the status cell was left alone.
func (o *Outcome) Notes() []string { return o.draft.notes() }

// Refreshed is the placement's record after the write, and what to keep beside it.
func (o *Outcome) Refreshed(stamp placements.Stamp) (p placements.Placement, rows []byte, err error) {
	return o.draft.refreshed(stamp)
}

// ErrOvertaken: another attempt of the block's run has begun.
var ErrOvertaken = errors.New("another attempt of the run has begun")

// Ended is the reason why what came of the order is not to be told: its attempt has ended, and that is what ended the order too.
func (o *Outcome) Ended(attempt context.Context) error {
	switch {
	case errors.Is(o.Err, ErrOvertaken):
		return o.Err
	case o.Err != nil && attempt.Err() != nil:
		return context.Cause(attempt)
	}
	return nil
}
