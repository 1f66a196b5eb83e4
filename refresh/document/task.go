package document

import (
	"errors"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/parameter"
	"mooring/refresh/result"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// Task is what is to be written to a document: a report's table, at one of its placements.
type Task struct {
	Deployment record.Deployment
	Report     *storage.Report
	Placement  storage.Placed // as the attempt loaded it
	Table      *result.Answer // on behalf of who placed it
	Claim      *queue.Attempt // of the run, which is only read: what is noted ahead of the write is fenced by it
	Personal   bool           // the rows depend on who is shown them
	Location   *time.Location // of the deployment
	Clock      Clock
	Limit      *fault.Limit       // of the attempt's work, to which waiting does not count
	Progress   func(string)       // a line for the observers of the run
	Kept       *record.KeptChange // what the run is to put back; nil for nothing
	Feeds      []parameter.Feed   // the parameters that the placement takes from cells
	Reading    *parameter.Reading // what those said before the query; nil without any

	job interface { // nil: the task cannot be withdrawn
		begin() // makes it part of the write, unless the attempt has ended
		gone() bool
	}
}

// Clock is the store's, which all agents share: Begun by it is Started by our own.
type Clock struct{ Begun, Started time.Time }

// Now is the present.
func (c Clock) Now() time.Time { return c.Begun.Add(time.Since(c.Started)) }

// addin reports whether an add-in works on the run, in the document that it has open.
func (o *Task) addin() bool { return o.Claim.Run.Executor == record.ExecutorClient }

// level is what a person may do with the report as the attempt loaded it.
func (o *Task) level(who record.Actor) record.Level {
	return who.OnReport(o.Report.CreatedBy, o.Report.RolesWithAccess)
}

// behalf names on whose behalf a placement is queried: it is equal for two if they are shown the same rows.
func (o *Task) behalf(p storage.Placed) string { return result.Behalf(o.Personal, p.Behalf()) }

// withdrawn reports whether the attempt has ended before the write.
func (o *Task) withdrawn() bool { return o.job != nil && o.job.gone() }

// blockRef names a block over all deployments of a tenant.
type blockRef struct {
	deployment, report int64
	placement          string
}

func (o *Task) ref() blockRef { return blockRef{o.Deployment.ID, o.Report.ID, o.Placement.ID} }

// options are those of the run, with what was requested of an older one, and of what neither says those of the placement. What would destroy
// something is asked for by who may do that, at the time when it is done.
func (o *Task) options(p storage.Placed) placements.Options {
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

// Receipt is what came of a task.
type Receipt struct {
	Task   *Task
	Now    storage.Placed // as it is recorded since the document is locked; zero where it is gone, or was not read
	Left   bool           // it is not for this write any more: see load
	Asks   bool           // since its cells say other values than it was queried with: Reading
	Err    error
	Done   bool // the block shows the table
	Opened bool // an agent has written the block in its document before, and so has had that open
	Sent   bool // it was given to the host, which has not refused it: the document may hold it

	Reading *parameter.Reading // what its cells said at the write; nil: they were not looked at
	Written host.Written
	Calls   int
	Took    time.Duration // the whole write; of those of a job only the first says so

	target *target // nil where nothing is known of it
	draft  *draft  // nil where it was not read
}

// outcomes are those of tasks of which nothing has come yet.
func outcomes(tasks []*Task) []Receipt {
	outs := make([]Receipt, len(tasks))
	for i, o := range tasks {
		outs[i].Task = o
	}
	return outs
}

// fail says that every task without a result of its own met err.
func fail(outs []Receipt, err error) {
	for i := range outs {
		if o := &outs[i]; err != nil && !o.Left && !o.Done && o.Err == nil {
			o.Err = err
		}
	}
}

// ErrOvertaken says that another attempt of the block's run has begun.
var ErrOvertaken = errors.New("another attempt of the run has begun")

// begin makes tasks part of the write, without those whose attempt has ended.
func begin(tasks []*Task) {
	for _, o := range tasks {
		if o.job != nil {
			o.job.begin()
		}
	}
}
