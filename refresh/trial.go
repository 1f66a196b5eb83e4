package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
)

// Draft is a query that somebody tries.
type Draft struct {
	Definition record.Definition
	Of         *storage.Report // whose query it would become; nil: it is that of a new one
	With       placements.Arguments
	Declares   bool // its parameters are all that it is to have: those that it does not name are told, too
	By         record.Actor
	Person     string // who it counts as a trial of
}

// Trial is what a draft returns: a table, or a fault.
type Trial struct {
	result.Sample // its Answer is nil where there is a fault, else it is to be closed
	Fault         *DraftFault
	Named         []placements.Detail // faults of how it names its parameters; there is a table if it only leaves some out
	Changes       *DraftChanges       // what saving it would change; nil: it is of a new report, has a fault or changes no cell
}

// DraftFault is what is wrong with a draft.
type DraftFault struct {
	Message      string
	Line, Column int    // in the text; 0: not known
	Pointer      string // to the text, or to the items of the pivot
}

// trials bounds what all who try queries take.
type trials struct {
	people  turns[trialist]
	sources turns[record.Deployment]
}

// trialist is a person in a tenant.
type trialist struct{ tenant, person string }

const (
	// trialLimit is how long a trial may take, and trialBytes how much of a result is read for it.
	trialLimit = time.Minute
	trialBytes = 1 << 20
)

// Try runs a draft on behalf of who tries it. The query is cancelled with ctx. Errors: *placements.Fault where the source does not answer or
// there is none, or that wraps ErrNoRoom; the *placements.Error CodePreviewBusy.
func (e *Engine) Try(ctx context.Context, d record.Deployment, draft *Draft) (*Trial, error) {
	from, none := e.tenants.origin(d)
	if none != nil {
		return nil, none
	}
	wrong, runs := parameterFaults(from, draft)
	if !runs {
		return &Trial{Named: wrong}, nil
	}
	end, err := e.turn(ctx, d, draft.Person)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeoutCause(ctx, trialLimit, &placements.Fault{
		Class: placements.Permanent, Message: fmt.Sprintf("the preview took longer than %s: make the query faster, or narrow it", trialLimit),
	})
	defer cancel()
	q := result.Question{
		Deployment: d, From: from, Of: &draft.Definition, With: draft.With, For: draft.By, Room: e.attempts.results.Clients, Patience: e.attempts.roomWait,
	}
	sample, err := e.attempts.results.Sample(ctx, q, trialBytes)
	if err != nil {
		return e.faulty(ctx, q, wrong, err)
	}
	t := &Trial{Sample: sample, Named: wrong}
	if draft.Of == nil {
		return t, nil
	}
	if t.Changes, err = e.draftChanges(ctx, d, draft, sample.Grid); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// parameterFaults are the faults of where a draft names parameters, and whether it can run all the same: one that it only leaves out hinders
// nothing, and is told only where the draft declares it itself.
func parameterFaults(from result.Origin, draft *Draft) (told []placements.Detail, runs bool) {
	runs = true
	for _, f := range from.ParameterFaults(&draft.Definition) {
		unused := f.Code == placements.CodeParameterUnused
		runs = runs && unused
		if !unused || draft.Declares {
			told = append(told, f)
		}
	}
	return told, runs
}

// turn waits for a turn of the person and of the deployment's source, of whose connections the half is for other queries.
func (e *Engine) turn(ctx context.Context, d record.Deployment, person string) (end func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, trialWait, errTurn)
	defer cancel()
	endPerson, err := e.trials.people.take(ctx, trialist{d.Tenant, person}, trialsAtOnce)
	if errors.Is(err, errTurn) {
		return nil, trialsBusy(fmt.Sprintf("%d previews are under way for you already: wait until one has ended.", trialsAtOnce))
	}
	if err != nil {
		return nil, err
	}
	queries := cmp.Or(e.tenants[d.Tenant].Deployments[d.ID].Queries, source.DefaultMaxConnections)
	endSource, err := e.trials.sources.take(ctx, d, max(1, queries/2))
	if errors.Is(err, errTurn) {
		err = trialsBusy("As many previews are under way as the source has connections for: try again in a while.")
	}
	if err != nil {
		endPerson()
		return nil, err
	}
	return func() {
		endSource()
		endPerson()
	}, nil
}

// errTurn ends the wait for a turn.
var errTurn = errors.New("no turn in time")

// faulty is the trial of a draft that has no table: the fault is its answer, unless the source did not look at it.
func (e *Engine) faulty(ctx context.Context, q result.Question, wrong []placements.Detail, err error) (*Trial, error) {
	if cause := context.Cause(ctx); cause != nil {
		if err = cause; errors.Is(err, context.Canceled) {
			return nil, err // who asked has hung up
		}
	}
	f := fault.Of(err)
	if fault.Retryable(f) {
		return nil, f
	}
	found := &DraftFault{Message: f.Message, Pointer: "/sqlQuery"}
	if q.Of.JSONQuery != "" {
		found.Pointer = "/jsonQuery"
	}
	if _, is := errors.AsType[result.PivotFault](err); is {
		found.Pointer = "/pivotItems"
	} else if f.Class == placements.Structure {
		found.locate(ctx, q)
	}
	return &Trial{Fault: found, Named: wrong}, nil
}

// locate asks the source where in the text the fault lies: it says so of a query that it only prepares.
func (f *DraftFault) locate(ctx context.Context, q result.Question) {
	found := result.Prepare(ctx, q.Deployment, q.From, []*record.Definition{q.Of}, q.For)
	if at, ok := errors.AsType[*source.PositionError](found[0].Err); ok {
		f.Message, f.Line, f.Column = at.Error(), at.Line, at.Column
	}
}
