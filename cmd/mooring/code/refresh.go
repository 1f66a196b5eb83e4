package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mooring/cmd/mooring/ascode"
	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/storage/record/portable"
	"mooring/web/client"
)

// block is a placement whose cells an apply changes with the next refresh.
type block struct {
	report int64
	id     string
	where  string // for people
}

// changed are the blocks that an apply made or changed: those of reports whose query it changed, and those of placements.
func (r *destination) changed(ctx context.Context, plan *ascode.Review, done *applied) (all []block, err error) {
	c := changes{reports: map[int64]bool{}, placements: map[string]bool{}, documents: map[string]bool{}}
	for _, a := range plan.Assets {
		c.add(a, done)
	}
	seen := map[string]bool{}
	add := func(found []block, meant func(block) bool) {
		for _, b := range found {
			if !seen[b.id] && meant(b) {
				seen[b.id] = true
				all = append(all, b)
			}
		}
	}
	for report := range c.reports {
		found, err := r.blocks(ctx, &client.ListPlacementsParams{Report: &report})
		if err != nil {
			return nil, err
		}
		add(found, func(block) bool { return true })
	}
	for document := range c.documents {
		found, err := r.blocks(ctx, &client.ListPlacementsParams{Document: &document})
		if err != nil {
			return nil, err
		}
		add(found, func(b block) bool { return c.placements[b.id] })
	}
	slices.SortFunc(all, func(a, b block) int { return cmp.Or(cmp.Compare(a.report, b.report), cmp.Compare(a.where, b.where)) })
	return all, nil
}

// changes are what an apply changed: reports by id, placements by id with the documents that they are in.
type changes struct {
	reports    map[int64]bool
	placements map[string]bool
	documents  map[string]bool
}

// add adds what became of an asset.
func (c *changes) add(a portable.PlannedAsset, done *applied) {
	if a.Action != portable.ActionUpdate && a.Action != portable.ActionCreate || len(a.Documents) == 0 || !decides(a) {
		return
	}
	i := slices.IndexFunc(done.Assets, func(v ascode.AppliedVersion) bool { return v.Kind == a.Kind && v.Ref == a.Ref })
	if i < 0 {
		return
	}
	switch a.Kind {
	case portable.KindReport:
		c.reports[done.Assets[i].Number()] = true
	case portable.KindPlacement:
		c.placements[done.Assets[i].Text()] = true
		c.documents[a.Documents[0]] = true
	}
}

// decides reports whether more of an asset changed than whether a plan may delete it.
func decides(a portable.PlannedAsset) bool {
	return len(a.Changes) == 0 || slices.ContainsFunc(a.Changes, func(d portable.MemberChange) bool { return d.Pointer != "/protect" })
}

// blocks lists placements.
func (r *destination) blocks(ctx context.Context, params *client.ListPlacementsParams) (all []block, err error) {
	for {
		answer, err := r.API.ListPlacementsWithResponse(ctx, r.Deployment, params)
		if err != nil {
			return nil, remoteError(err)
		}
		if answer.JSON200 == nil {
			return nil, notMooring(r.server)
		}
		for _, item := range answer.JSON200.Items {
			p, err := item.Placement.AsPlacement()
			if err != nil || item.ReportID == nil { // of a report that this token may not read
				continue
			}
			document := cmp.Or(p.WorkbookName, &p.WorkbookID)
			all = append(all, block{*item.ReportID, p.ID, ascode.Line(p.ResultLocation + " in " + *document)})
		}
		if !answer.JSON200.PageInfo.HasNextPage {
			return all, nil
		}
		after, err := answer.JSON200.PageInfo.EndCursor.Get()
		if err != nil {
			return nil, err
		}
		params.After = &after
	}
}

// maxNamed is how many blocks are named in one line.
const maxNamed = 5

// unrefreshed says which blocks still show what was there before.
func unrefreshed(all []block) string {
	var places []string
	for _, b := range all[:min(len(all), maxNamed)] {
		places = append(places, b.where)
	}
	if more := len(all) - len(places); more > 0 {
		places = append(places, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("Not refreshed yet: %s: %s. A schedule or a person does it; apply --refresh does it at once.",
		process.Count(len(all), "block"), strings.Join(places, ", "))
}

// refreshing refreshes blocks and waits for what becomes of them.
type refreshing struct {
	*destination
	s                  *process.Invocation
	failed, conflicted int
}

// refresh refreshes blocks one run each, all at once, and says what became of each. The error is the exit status of those that could not be.
func (r *destination) refresh(s *process.Invocation, all []block, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(s.Ctx, timeout)
	defer cancel()
	s.Progress("Refreshing %s.", process.Count(len(all), "block"))
	work := &refreshing{destination: r, s: s}
	runs := make([]string, len(all))
	for i, b := range all {
		run, err := work.start(ctx, b)
		if err != nil {
			work.fault(b, err)
		}
		runs[i] = run
	}
	for i, b := range all {
		if runs[i] == "" {
			continue
		}
		if err := work.wait(ctx, b, runs[i]); err != nil {
			work.fault(b, err)
		}
	}
	if s.Ctx.Err() != nil {
		return s.Ctx.Err()
	}
	return work.status()
}

// status is the error of those that could not be refreshed.
func (w *refreshing) status() error {
	switch {
	case w.failed > 0:
		return &process.ExitError{Status: process.ExitFailed, Err: fmt.Errorf("%s not refreshed; what was applied stays", process.Count(w.failed+w.conflicted, "block"))}
	case w.conflicted > 0:
		return &process.ExitError{Status: process.ExitConflict, Err: fmt.Errorf("%s in conflict; what was applied stays", process.Count(w.conflicted, "block"))}
	}
	return nil
}

// fault says why a block was not refreshed.
func (w *refreshing) fault(b block, err error) {
	w.failed++
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("was not refreshed in time: its run goes on; see the console, or raise --timeout")
	}
	fmt.Fprintf(w.s.Stdout, "%s: %s\n", b.where, ascode.Line(err.Error()))
}

// start starts the run of a block, once one that is at work on it has ended; empty for a block with nothing to refresh.
func (w *refreshing) start(ctx context.Context, b block) (run string, err error) {
	body := client.RunInput{}
	body.PlacementID.Set(b.id)
	for {
		answer, err := w.API.StartRunWithResponse(ctx, w.Deployment, b.report, nil, body)
		if err == nil && answer.JSON202 != nil {
			return answer.JSON202.RunID, nil
		}
		refused, ok := errors.AsType[*client.ResponseError](err)
		switch {
		case err == nil:
			return "", notMooring(w.server)
		case ok && refused.Code == string(placements.CodeNothing):
			fmt.Fprintf(w.s.Stdout, "%s: its report has no query\n", b.where)
			return "", nil
		case !ok || refused.Code != string(placements.CodeRunning) && !refused.Retryable:
			return "", remoteError(err)
		}
		if err := pause(ctx, refused); err != nil {
			return "", err
		}
	}
}

// pause waits until it is worth asking again; refused is an answer that may say when, nil for none.
func pause(ctx context.Context, refused *client.ResponseError) error {
	wait := time.Second / 2
	if refused != nil {
		wait = max(wait, refused.RetryAfter)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(wait):
		return nil
	}
}

// wait waits until the run of a block has ended, or the newer one that refreshes it instead, and says what it did.
func (w *refreshing) wait(ctx context.Context, b block, run string) error {
	for {
		answer, err := w.API.GetRunByIDWithResponse(ctx, w.Deployment, run, nil)
		refused, ok := errors.AsType[*client.ResponseError](err)
		if err != nil && (!ok || !refused.Retryable) {
			return remoteError(err)
		}
		if err == nil {
			if answer.JSON200 == nil {
				return notMooring(w.server)
			}
			done, next := ended(answer.JSON200, b)
			if done != nil {
				w.outcome(b, done)
				return nil
			}
			run = cmp.Or(next, run)
		}
		if err := pause(ctx, refused); err != nil {
			return err
		}
	}
}

// ended is what became of a block in a run that has ended with it, nil before, and the run that refreshes it instead.
func ended(run *client.Run, b block) (done *client.RunPlacement, instead string) {
	working := slices.Contains([]string{"QUEUED", "RUNNING"}, string(run.State))
	i := slices.IndexFunc(run.Placements, func(p client.RunPlacement) bool { return p.PlacementID == b.id })
	switch {
	case i >= 0 && run.Placements[i].SupersededBy != nil:
		return nil, *run.Placements[i].SupersededBy
	case working:
		return nil, ""
	case i >= 0:
		return &run.Placements[i], ""
	}
	return &client.RunPlacement{State: client.RunPlacementState(run.State), Error: run.Error, ErrorClass: run.ErrorClass}, ""
}

// outcome says what became of a block.
func (w *refreshing) outcome(b block, p *client.RunPlacement) {
	said := ascode.Line(*cmp.Or(p.Error, new(strings.ToLower(string(p.State)))))
	switch {
	case p.State == "SUCCEEDED":
		said = "refreshed, nothing to write"
		if rows := *cmp.Or(p.RowsWritten, new(int64)); rows > 0 {
			said = "refreshed, " + process.Count(int(rows), "row") + " written"
		}
	case p.ErrorClass != nil && *p.ErrorClass == "conflict":
		w.conflicted++
	default:
		w.failed++
	}
	fmt.Fprintf(w.s.Stdout, "%s: %s\n", b.where, said)
}
